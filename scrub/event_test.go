package scrub

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"errand/core"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// parseValue reads a JSON value.
func parseValue(t require.TestingT, s string) core.Value {
	var v core.Value
	require.NoError(t, json.Unmarshal([]byte(s), &v))
	return v
}

// extraOf scrubs an event's extra, which is JSON, and returns it.
func extraOf(t *testing.T, r *Rules, in string) string {
	t.Helper()
	e := &core.Event{Extra: parseValue(t, in)}

	r.ScrubEvent(e)
	once := string(e.Extra.AppendJSON(nil))
	r.ScrubEvent(e)

	require.Equal(t, once, string(e.Extra.AppendJSON(nil)), "scrubbing twice is scrubbing once")
	return once
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []textCase{
		{`{"password":"x","a":1}`, `{"password":"*","a":1}`},
		{`{"password":12,"secret":true,"token":{"a":[1]},"auth":["x"]}`, `{"password":"*","secret":"*","token":"*","auth":"*"}`},
		{`{"password":null,"secret":"","token":{},"auth":[]}`, `{"password":null,"secret":"","token":{},"auth":[]}`},
		{`{"a":{"b":[{"Api-Key":"x"}]}}`, `{"a":{"b":[{"Api-Key":"*"}]}}`},
		{`{"card":4111111111111111,"n":1700000000123,"f":0.4111111111111111}`, `{"card":"*","n":1700000000123,"f":0.4111111111111111}`},
		{`{"%70assword":"x"}`, `{"%70assword":"*"}`},
		{`{"pass\u200bword":"x","a\u0000b\n":"c\u202e"}`, `{"password":"*","ab\n":"c"}`},
		{`{"4111 1111 1111 1111":"x"}`, `{"*":"x"}`},
		{`{"pair":["password","x"],"list":["password","user","email"]}`, `{"pair":["password","*"],"list":["password","user","email"]}`},
		{`{"headers":[["Authorization","x"],["Host","h"]]}`, `{"headers":[["Authorization","*"],["Host","h"]]}`},
		{`{"h":[{"name":"Cookie","value":"x"},{"key":"Host","value":"h"}]}`, `{"h":[{"name":"Cookie","value":"*"},{"key":"Host","value":"h"}]}`},
		{`{"argv":["a.py","--password","x","--port","8000","--token=y"]}`, `{"argv":["a.py","--password","*","--port","8000","--token=*"]}`},
		{`{"pem":["a","-----BEGIN PRIVATE KEY-----","MIIE","-----END PRIVATE KEY-----"],"b":["c"]}`, `{"pem":["*","*","*","*"],"b":["c"]}`},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, maskStars(tt.out), extraOf(t, DefaultRules(), tt.in))
		})
	}
}

func TestDeepValues(t *testing.T) {
	t.Parallel()
	for _, brackets := range []string{"[]", `{"a":` + "}"} {
		open, closing := brackets[:len(brackets)-1], brackets[len(brackets)-1:]
		deep := strings.Repeat(open, 5000) + `"hunter2"` + strings.Repeat(closing, 5000)
		got := extraOf(t, DefaultRules(), `{"deep":`+deep+`}`)
		require.NotContains(t, got, "hunter2")
		require.Contains(t, got, Mask)
		flat := strings.Repeat(open, maxNesting-1) + `"x"` + strings.Repeat(closing, maxNesting-1)
		require.Equal(t, `{"flat":`+flat+`}`, extraOf(t, DefaultRules(), `{"flat":`+flat+`}`))
	}
}

func TestCookiesKeepTheirNamesOnly(t *testing.T) {
	t.Parallel()
	e := &core.Event{Request: &core.Request{Cookies: parseValue(t, `{"theme":"dark","sessionid":"x","empty":""}`)}}
	DefaultRules().ScrubEvent(e)
	require.JSONEq(t, maskStars(`{"theme":"*","sessionid":"*","empty":""}`), string(e.Request.Cookies.AppendJSON(nil)))
	e.Request.Cookies = core.StringValue("theme=dark")
	DefaultRules().ScrubEvent(e)
	require.Equal(t, core.StringValue(Mask), e.Request.Cookies)
}

// TestEveryFieldIsCleaned fills the whole event, so that a new field cannot be forgotten.
func TestEveryFieldIsCleaned(t *testing.T) {
	t.Parallel()
	const dirty = "password=hunter2\u202e"
	e := &core.Event{}
	filled := fillTexts(reflect.ValueOf(e).Elem(), dirty)
	require.Greater(t, filled, 60)
	e.EventID = "0123456789abcdef0123456789abcdef"
	DefaultRules().ScrubEvent(e)
	require.Equal(t, dirty, e.Identity, "only its hash is stored")
	require.Equal(t, "0123456789abcdef0123456789abcdef", e.EventID)
	e.Identity = ""
	all := fmt.Sprintf("%+v %+v %+v", *e, *e.Request, *e.Report) + string(e.AppendJSON(nil))
	require.NotContains(t, all, "hunter2")
	require.NotContains(t, all, "\u202e")
}

// fillTexts puts the text into every field that takes one, and returns how many there are.
func fillTexts(v reflect.Value, text string) int {
	n := 0
	switch {
	case v.Type() == reflect.TypeFor[core.Time]():
	case v.Type() == reflect.TypeFor[core.Value]():
		v.Set(reflect.ValueOf(objectOf("k", text)))
		n = 1
	case v.Kind() == reflect.String:
		v.SetString(text)
		n = 1
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		n = fillTexts(v.Elem(), text)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		n = fillTexts(v.Index(0), text)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			n += fillTexts(v.Field(i), text)
		}
	}
	return n
}

func TestPrivateKeyInSourceContext(t *testing.T) {
	t.Parallel()
	frame := func(pre, line, post string) core.Frame {
		return core.Frame{ContextLine: core.Untrusted(line), PreContext: []core.Untrusted{"x = 1", core.Untrusted(pre)},
			PostContext: []core.Untrusted{core.Untrusted(post)}}
	}
	e := &core.Event{Exceptions: []core.Exception{{Frames: []core.Frame{
		frame(`KEY = """-----BEGIN PRIVATE KEY-----`, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7"),
		frame("BKcwggSjAgEAAoIBAQC7", `-----END PRIVATE KEY-----"""`, "y = 2"),
		frame("a = 1", "b = 2", "c = 3"),
	}}}}
	DefaultRules().ScrubEvent(e)
	got := string(e.AppendJSON(nil))
	require.NotContains(t, got, "MIIE")
	require.NotContains(t, got, "BKcw")
	require.Contains(t, got, "b = 2")
}

func TestOwnKeysNameTheEventsFields(t *testing.T) {
	t.Parallel()
	r, err := NewRules([]string{"Server_Name", "message", "email", "extra", "vars", "context_line", "type", "release"}, nil)
	require.NoError(t, err)
	e := &core.Event{
		ServerName: "web-1", Message: "hi", Release: "1.0", User: objectOf("id", "1", "email", "a@b.c"), Extra: objectOf("a", "b"),
		Tags:       objectOf("type", "x"),
		Exceptions: []core.Exception{{Type: "ValueError", Frames: []core.Frame{{ContextLine: "x()", Vars: objectOf("n", "1")}}}},
	}
	r.ScrubEvent(e)
	require.JSONEq(t, maskStars(`{"server_name":"*","message":"*","release":"1.0","user":{"id":"1","email":"*"},"extra":{"a":"*"},
		"tags":{"type":"*"},"exceptions":[{"type":"ValueError","frames":[{"context_line":"*","vars":{"n":"*"}}]}]}`), string(e.AppendJSON(nil)))
	require.Equal(t, "email=[Filtered] a@b.c", r.ScrubText("email=x@y.z a@b.c"))
}

func TestRulesAreSharedByGoroutines(t *testing.T) {
	t.Parallel()
	r, err := NewRules([]string{"order_total"}, typicalPatterns)
	require.NoError(t, err)
	want := typicalEvent()
	r.ScrubEvent(want)
	var group sync.WaitGroup
	results := make([]*core.Event, 8)
	for i := range results {
		group.Go(func() {
			results[i] = typicalEvent()
			r.ScrubEvent(results[i])
		})
	}
	group.Wait()
	for _, got := range results {
		require.Equal(t, want, got)
	}
}

func TestCleanTextsCostNoMemory(t *testing.T) {
	e := typicalEvent()
	r := DefaultRules()
	r.ScrubEvent(e)
	require.Zero(t, testing.AllocsPerRun(100, func() { r.ScrubEvent(e) }), "an event without secrets")
}

// plantSecret draws a text with a secret that must not survive, and the secret.
func plantSecret(t *rapid.T) (text, hidden string) {
	random := rapid.StringMatching(`[A-Z][a-z0-9]{4}[0-9][A-Za-z0-9]{34}`).Draw(t, "random")
	kinds := []struct{ format, secret string }{
		{"password=%s", random}, {"password: %s.", random}, {`{"a":1,"api_key":"%s"}`, random}, {`{\"token\":\"%s\"}`, random},
		{"x=1&access_token=%s&y=2", random}, {"Authorization: Bearer %s", random}, {"Bearer %s", random}, {"https://bob:%s@example.com/", random},
		{"ck_%s abc", random + "_-7"}, {"ghp_%s", random}, {"key AKIA%s", "IOSFODNN7EXAMPLE"}, {"card %s", "4111 1111 1111 1111"},
		{"sk_live_%s", random}, {"Cookie: a=%s; b=c", random}, {"eyJhbGciOiJIUzI1NiJ9.%s.sig", random}, {"ssn: %s", "078-05-1120"},
		{"-----BEGIN PRIVATE KEY-----\n%s", random}, {"pass\u200bword=%s", random}, {"{'secret': '%s'}", random},
		{"<password>%s</password>", random},
	}
	k := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]
	return fmt.Sprintf(k.format, k.secret), k.secret
}

// plantedEvent is an event whose texts may be innocent, or hold a secret.
func plantedEvent(t *rapid.T) (e *core.Event, hidden []string) {
	text := func() string {
		if !rapid.Bool().Draw(t, "secret") {
			return rapid.OneOf(hostileText(),
				rapid.SampledFrom([]string{"GET", "x = 1", "shop.checkout", "200", "user logged in", "/a/b.py"})).Draw(t, "innocent")
		}
		s, secret := plantSecret(t)
		hidden = append(hidden, secret)
		space := rapid.SampledFrom([]string{"", " ", "\n", "see ", "("}).Draw(t, "before")
		return space + s
	}
	untrusted := func() core.Untrusted { return core.Untrusted(text()) }
	var value func(depth int) core.Value
	value = func(depth int) core.Value {
		switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
		case kind < 2 || depth > 3:
			return core.StringValue(text())
		case kind == 2:
			return core.Value{Kind: core.Array, Kids: []core.Member{{Value: value(depth + 1)}, {Value: value(depth + 1)}, {Value: value(depth + 1)}}}
		}
		key := rapid.SampledFrom([]string{"a", "url", "password", "X-Api-Key", "session_id", "message"}).Draw(t, "key")
		return core.Value{Kind: core.Object, Kids: []core.Member{{Key: key, Value: value(depth + 1)}, {Key: text(), Value: value(depth + 1)}}}
	}
	e = &core.Event{
		Message: untrusted(), Transaction: untrusted(), Extra: value(0), Contexts: value(0), Tags: value(0), User: value(0),
		Exceptions: []core.Exception{{
			Type: untrusted(), Value: untrusted(),
			Frames: []core.Frame{{Function: untrusted(), AbsPath: untrusted(), Vars: value(0)}},
		}},
		Breadcrumbs: []core.Breadcrumb{{Message: untrusted(), Data: value(0)}},
		Request:     &core.Request{URL: untrusted(), Headers: value(0), Cookies: value(0), Data: value(0), Query: value(0)},
	}
	return e, hidden
}

func TestPlantedSecretsDoNotSurvive(t *testing.T) {
	t.Parallel()
	r, err := NewRules([]string{"message"}, []string{`EMP-\d+`})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		e, hidden := plantedEvent(t)
		r.ScrubEvent(e)
		once := string(e.AppendJSON(nil))
		for _, secret := range hidden {
			require.NotContains(t, once, secret)
		}
		requireVisible(t, once)
		r.ScrubEvent(e)
		require.Equal(t, once, string(e.AppendJSON(nil)), "an event that passed does not change")
	})
}
