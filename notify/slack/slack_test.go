package slack_test

import (
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
	"errand/notify/notifytest"
	"errand/notify/slack"
)

const hookURL = "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"

func TestNewRequest(t *testing.T) {
	t.Parallel()
	request, err := slack.NewRequest(t.Context(), notifytest.NewExample(), notify.Target{URL: hookURL})

	require.NoError(t, err)
	require.Equal(t, hookURL, request.URL.String())
	require.Equal(t, "application/json", request.Header.Get("Content-Type"))
	body, err := io.ReadAll(request.Body)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"text": "New issue in Web shop: TypeError: x is undefined",
		"blocks": [{"type": "section", "text": {"type": "mrkdwn", "verbatim": true,
			"text": "*New issue in Web shop*\nTitle, written by the monitored app: `+"`TypeError: x is undefined`"+
		`\nseen 12 times, 1 user affected, level error, status unresolved\n<https://errand.example/issues/42|Issue 42 in Errand>"}}],
		"parse": "none", "link_names": false, "unfurl_links": false, "unfurl_media": false}`, string(body))
}

func TestNewRequestOfPing(t *testing.T) {
	t.Parallel()
	request, err := slack.NewRequest(t.Context(), notifytest.NewPing(), notify.Target{URL: hookURL})

	require.NoError(t, err)
	require.Equal(t, []string{"Test message from Errand", "*Test message from Errand*\n<https://errand.example|Errand>"},
		textsOf(t, request.Body))
}

// Slack reads <...> as links and mentions. Errand's own link must be the only one.
func TestHostileTitles(t *testing.T) {
	t.Parallel()
	angles := regexp.MustCompile(`<[^>]*>`)
	for _, title := range []string{notifytest.Hostile, strings.Repeat("<!channel>", 500), strings.Repeat("&", 5000), "`` `x`"} {
		m := notifytest.NewExample()
		m.Issue.Title = core.Untrusted(title)
		requireHarmless(t, m, angles)
	}
}

func requireHarmless(t *testing.T, m *notify.Message, angles *regexp.Regexp) {
	t.Helper()
	request, err := slack.NewRequest(t.Context(), m, notify.Target{URL: hookURL})
	require.NoError(t, err)
	texts := textsOf(t, request.Body)
	require.Empty(t, angles.FindAllString(texts[0], -1))
	require.Equal(t, []string{"<https://errand.example/issues/42|Issue 42 in Errand>"}, angles.FindAllString(texts[1], -1))
	require.Equal(t, 2, strings.Count(texts[1], "`"))
	require.Equal(t, 3, strings.Count(texts[1], "\n"))
	require.LessOrEqual(t, utf8.RuneCountInString(texts[1]), 3000) // the limit of a section
}

// textsOf returns the fallback text and the text of the block.
func textsOf(t *testing.T, body io.Reader) []string {
	t.Helper()
	var sent struct {
		Text   string
		Blocks []struct{ Text struct{ Text string } }
	}
	require.NoError(t, json.NewDecoder(body).Decode(&sent))
	return []string{sent.Text, sent.Blocks[0].Text.Text}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for url, accepted := range map[string]bool{
		hookURL:                                  true,
		hookURL + "/":                            false,
		hookURL + "?x=1":                         false,
		hookURL + "\n":                           false,
		"https://hooks.slack.com/services/T0/B0": false,
		"https://hooks.slack.com/services/T0/../x":            false,
		"https://hooks.slack.com/workflows/T0/B0/x":           false,
		"https://hooks.slack.com.evil.example/services/T/B/x": false,
		"https://evil.example/hooks.slack.com/services/T/B/x": false,
		"http://hooks.slack.com/services/T0/B0/x":             false,
		"https://user@hooks.slack.com/services/T0/B0/x":       false,
		"https://discord.com/api/webhooks/1/x":                false,
		"":                                                    false,
	} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			err := slack.CheckURL(url)

			require.Equal(t, accepted, err == nil, err)
			require.False(t, err != nil && strings.Contains(err.Error(), "XXXX"))
		})
	}
	require.Equal(t, "https://hooks.slack.com/services/***", slack.MaskURL())
}
