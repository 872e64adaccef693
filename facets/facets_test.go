package facets_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/facets"
)

const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// readTags reads the tags of an event in its stored form.
func readTags(t *testing.T, event core.Event) *core.EventTags {
	t.Helper()
	tags, err := core.ReadEventTags(event.AppendJSON(nil))
	require.NoError(t, err)
	return &tags
}

func objectOf(t *testing.T, text string) (v core.Value) {
	t.Helper()
	require.NoError(t, v.UnmarshalJSON([]byte(text)))
	return v
}

func TestListTags(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		event core.Event
		want  string
	}{
		"nothing": {core.Event{}, ""},
		"what an SDK sets": {core.Event{Release: "shop@1", Environment: "production", ServerName: "web-1", Transaction: "/cart",
			Tags: objectOf(t, `{"customer": "acme", "release": "of a tag", "empty": ""}`)},
			"release=shop@1 environment=production server=web-1 transaction=/cart customer=acme"},
		"contexts": {core.Event{Contexts: objectOf(t, `{"browser": {"name": "Firefox", "version": "132.0.1"},
			"os": {"name": "Android", "version": "15"}, "device": {"model": "Pixel 9"}, "runtime": {"name": "CPython", "version": "3.14.1"}}`)},
			"browser=Firefox 132 os=Android 15 device=Pixel 9 runtime=CPython 3"},
		"the header of a browser": {core.Event{Request: &core.Request{URL: "https://ada:secret@shop.example/cart?id=7#top",
			Headers: objectOf(t, fmt.Sprintf(`{"user-agent": %q}`, chrome))}},
			"browser=Chrome 131 os=Linux url=https://shop.example/cart"},
		"contexts of other types": {core.Event{Contexts: objectOf(t, `{"browser": "x", "os": [1], "device": null}`),
			Tags: objectOf(t, `[1]`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list []string
			for _, tag := range facets.ListTags(readTags(t, c.event)) {
				list = append(list, tag.Key+"="+tag.Value)
			}
			require.Equal(t, c.want, strings.Join(list, " "))
		})
	}
}

func TestTagsAreBounded(t *testing.T) {
	t.Parallel()
	event := core.Event{Tags: core.Value{Kind: core.Object}, Request: &core.Request{
		URL:     core.Untrusted("https://x/" + strings.Repeat("é", 500)),
		Headers: objectOf(t, fmt.Sprintf(`{"User-Agent": %q}`, strings.Repeat("Mozilla/5.0 (", 5000))),
	}}
	for n := range 1000 {
		value := core.StringValue("\xff" + strings.Repeat("x", 999))
		event.Tags.Kids = append(event.Tags.Kids, core.Member{Key: fmt.Sprint("key", n), Value: value})
	}

	tags := facets.ListTags(readTags(t, event))

	require.LessOrEqual(t, len(tags), 60)
	for _, tag := range tags {
		require.LessOrEqual(t, len(tag.Value), 200)
	}
}

func TestCounter(t *testing.T) {
	t.Parallel()
	var counter facets.Counter
	for n := range 10 {
		event := core.Event{Release: "shop@1.4.3", Tags: objectOf(t, fmt.Sprintf(`{"request": "r%d", "user": "ada@shop.example"}`, n))}
		if n < 7 {
			event.Request = &core.Request{Headers: objectOf(t, fmt.Sprintf(`{"User-Agent": %q}`, chrome))}
		}
		counter.Add(readTags(t, event), fmt.Sprint("user", n%2))
	}

	shares := counter.Shares(2)

	var list []string
	for _, s := range shares {
		list = append(list, fmt.Sprint(s.Key, " ", s.Events, " of ", s.Of, " distinct ", s.Distinct, " ", s.Values))
	}
	require.Equal(t, []string{
		"release 10 of 10 distinct 1 [{shop@1.4.3 10}]",
		"browser 7 of 10 distinct 1 [{Chrome 131 7}]",
		"os 7 of 10 distinct 1 [{Linux 7}]",
		"user 10 of 10 distinct 2 [{user0 5} {user1 5}]",
		"request 10 of 10 distinct 10 [{r0 1} {r1 1}]",
	}, list, "the tag of an SDK that may name somebody is not counted")
}
