package core

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAssess(t *testing.T) {
	t.Parallel()
	now := clock()
	var (
		never      = Time{}
		recently   = At(now.Add(-time.Hour))
		inside     = At(now.Add(-trustWindow + time.Millisecond))
		edge       = Time{now.Add(-trustWindow)}
		longAgo    = At(now.Add(-trustWindow - time.Hour))
		low, high  = TrustLow, TrustHigh
		server     = SourceServer
		browser    = SourceBrowser
		mixed      = SourceMixed
		noSource   *Source
		automatic  *Trust
		clientOnly = &browser
	)
	for name, c := range map[string]struct {
		setting        *Trust
		server, client Time
		trust          Trust
		source         *Source
	}{
		"nothing ever":                {automatic, never, never, TrustHigh, noSource},
		"server only":                 {automatic, recently, never, TrustHigh, &server},
		"client only":                 {automatic, never, recently, TrustLow, clientOnly},
		"both":                        {automatic, recently, recently, TrustLow, &mixed},
		"client inside the window":    {automatic, never, inside, TrustLow, clientOnly},
		"client at its edge":          {automatic, never, edge, TrustHigh, noSource},
		"client before it":            {automatic, recently, longAgo, TrustHigh, &server},
		"server at the edge":          {automatic, edge, recently, TrustLow, clientOnly},
		"server inside the window":    {automatic, inside, inside, TrustLow, &mixed},
		"both before it":              {automatic, longAgo, longAgo, TrustHigh, noSource},
		"set to high, client only":    {&high, never, recently, TrustHigh, clientOnly},
		"set to low, server only":     {&low, recently, never, TrustLow, &server},
		"set to low, nothing ever":    {&low, never, never, TrustLow, noSource},
		"set to high, both":           {&high, recently, recently, TrustHigh, &mixed},
		"a clock that runs ahead":     {automatic, never, At(now.Add(time.Hour)), TrustLow, clientOnly},
		"set to what it is by itself": {&low, never, recently, TrustLow, clientOnly},
	} {
		trust, source := AssessSources(c.setting, c.server, c.client, now)
		require.Equal(t, c.trust, trust, name)
		require.Equal(t, c.source, source, name)

		p := Project{TrustSetting: c.setting, ServerSeenAt: c.server, ClientSeenAt: c.client}
		p.AssessSources(now)
		require.Equal(t, []any{c.trust, c.trust, c.source}, []any{p.Trust, p.SourceTrust, p.Source}, name)
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Web Shop":         "web-shop",
		"web-shop":         "web-shop",
		"  API  (v2) !! ":  "api-v2",
		"--a--b--":         "a-b",
		"Über Größe":       "ber-gr-e",
		"a_b.c/d":          "a-b-c-d",
		"42":               "app-42",
		"4-2":              "app-4-2",
		"v42":              "v42",
		"日本":               "app",
		"!!!":              "app",
		"":                 "app",
		"../../etc/passwd": "etc-passwd",
		"ＦＵＬＬ":             "app",
	} {
		require.Equal(t, want, MakeSlug(name), name)
	}
}

func TestSlugIsFitForAPath(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		slug := MakeSlug(rapid.String().Draw(t, "name"))
		if slug == "" || strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Fatalf("slug %q", slug)
		}
		if strings.Trim(slug, "0123456789") == "" || strings.HasPrefix(slug, "-") || strings.HasSuffix(slug, "-") ||
			strings.Contains(slug, "--") {
			t.Fatalf("slug %q", slug)
		}
		if MakeSlug(slug) != slug {
			t.Fatalf("slug %q changes to %q", slug, MakeSlug(slug))
		}
	})
}

func TestDSN(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://errand.example":       "https://k3y@errand.example/1234567890",
		"https://errand.example/":      "https://k3y@errand.example/1234567890",
		"http://127.0.0.1:8080":        "http://k3y@127.0.0.1:8080/1234567890",
		"http://[::1]:8080":            "http://k3y@[::1]:8080/1234567890",
		"https://example.com/errand":   "https://k3y@example.com/errand/1234567890",
		"https://example.com/errors//": "https://k3y@example.com/errors//1234567890",
	} {
		require.Equal(t, want, WriteDSN(base, "k3y", 1234567890), base)
	}
}

func TestCheckName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Web shop", "x", "Größe 日本 №5", "a/b (c) <d>", "emoji 😀", "é",
		"👨\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "نمی\u200cخواهم"} {
		require.NoError(t, CheckName("name", name), name)
	}
	const shown = ": only letters, digits, punctuation and spaces"
	for name, want := range map[string]string{
		"":               "must not be blank",
		"   ":            "must not be blank",
		"\u00a0\u3000":   "must not be blank",
		"a\nb":           "must not contain the character U+000A" + shown,
		"a\tb":           "must not contain the character U+0009" + shown,
		"a\x00b":         "must not contain the character U+0000" + shown,
		"a\x7fb":         "must not contain the character U+007F" + shown,
		"abc\u202ecba":   "must not contain the character U+202E" + shown,
		"zero\u200bwide": "must not contain the character U+200B" + shown,
		"zero\u200dwide": "must not contain the character U+200D" + shown,
		"پ\u200c":        "must not contain the character U+200C" + shown,
		"\u200dپ":        "must not contain the character U+200D" + shown,
		"پ\u200d\u200dپ": "must not contain the character U+200D" + shown,
		"\u2066a":        "must not contain the character U+2066" + shown,
		"tag\U000e0041":  "must not contain the character U+E0041" + shown,
	} {
		err := CheckName("name", name)
		require.Error(t, err, "%q", name)
		require.Equal(t, []Detail{{"name", want}}, AsError(err).Details, "%q", name)
	}
}

func TestCreateProjectInputCheck(t *testing.T) {
	t.Parallel()
	require.NoError(t, CreateProjectInput{Name: "Web shop"}.Check())
	require.NoError(t, CreateProjectInput{Name: "Web shop", Platform: "node"}.Check())
	for path, in := range map[string]CreateProjectInput{
		"name":     {Name: "a\u202eb", Platform: "node"},
		"platform": {Name: "Web shop", Platform: "no\nde"},
	} {
		err := in.Check()
		require.True(t, HasCode(err, InvalidRequest))
		require.Equal(t, path, AsError(err).Details[0].Path)
	}
}

// A pattern may contain commas. Splitting the text there would make two other patterns.
func TestPatternsAreNotSplitAtCommas(t *testing.T) {
	t.Parallel()
	read := func(field, value string) (any, error) {
		args := map[string]any{"project": "shop", field: value}
		err := UpdateProject.Operation.derive().input.prepareArgs(args, false)
		return args[field], err
	}
	keys, err := read("scrub_keys", "iban,tax_id")
	require.NoError(t, err)
	require.Equal(t, []any{"iban", "tax_id"}, keys)
	patterns, err := read("scrub_patterns", `["a{1,3}", "b"]`)
	require.NoError(t, err)
	require.Equal(t, []any{"a{1,3}", "b"}, patterns)
	for _, text := range []string{"a{1,3}", "a", "", "[a-z]{1,3}", `["a{1,3}"`} {
		_, err := read("scrub_patterns", text)
		require.EqualError(t, err, "invalid_request; scrub_patterns: must be an array, not string", text)
	}
}
