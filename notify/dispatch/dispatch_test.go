package dispatch_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/notify"
	"errand/notify/dispatch"
	"errand/notify/notifytest"
)

const githubURL = "https://api.github.com/repos/acme/shop/dispatches"

func TestNewRequest(t *testing.T) {
	t.Parallel()
	request, err := dispatch.NewRequest(t.Context(), notifytest.NewExample(), notify.Target{URL: githubURL, Token: "token"})

	require.NoError(t, err)
	require.Equal(t, http.MethodPost, request.Method)
	require.Equal(t, githubURL, request.URL.String())
	body, err := io.ReadAll(request.Body)
	require.NoError(t, err)
	require.Equal(t, `{"event_type":"service.issue.new","client_payload":{"event":"issue.new","delivery_id":7,"webhook_id":3,`+
		`"issue":{"id":42,"project_id":1234567890,"status":"unresolved","level":"error","trust":"high","priority":12.5,`+
		`"times_seen":12,"users_affected":1,"first_seen":"2026-01-03T17:22:50.123Z","last_seen":"2026-01-03T18:21:50.123Z",`+
		`"fix":null,"title_untrusted":"TypeError: x is undefined"},"brief_markdown":"# Issue 42\n\nIt broke.\n"}}`, string(body))
}

func TestNewRequestOfPing(t *testing.T) {
	t.Parallel()
	request, err := dispatch.NewRequest(t.Context(), notifytest.NewPing(), notify.Target{URL: githubURL, Token: "token"})

	require.NoError(t, err)
	body, err := io.ReadAll(request.Body)
	require.NoError(t, err)
	require.Equal(t, `{"event_type":"service.ping","client_payload":{"event":"ping","delivery_id":8,"webhook_id":3,`+
		`"issue":null,"brief_markdown":null}}`, string(body))
}

// The public GitHub and a self-hosted GitHub get GitHub's headers, others neutral ones (decisions 8).
func TestHeaders(t *testing.T) {
	t.Parallel()
	github := http.Header{"Accept": {"application/vnd.github+json"}, "X-Github-Api-Version": {"2022-11-28"}}
	other := http.Header{"Accept": {"application/vnd.scm+json"}, "X-Scm-Api-Version": {"2022-11-28"}}
	for location, want := range map[string]http.Header{
		githubURL: github,
		"https://git.example.com/api/v3/repos/acme/shop/dispatches": github,
		"https://git.example.com/api/v1/repos/acme/shop/dispatches": other,
		"https://git.example.com/repos/acme/shop/dispatches":        other,
	} {
		t.Run(location, func(t *testing.T) {
			t.Parallel()
			request, err := dispatch.NewRequest(t.Context(), notifytest.NewExample(), notify.Target{URL: core.Secret(location), Token: "token"})

			require.NoError(t, err)
			wanted := want.Clone()
			wanted.Set("Authorization", "Bearer token")
			wanted.Set("Content-Type", "application/json")
			wanted.Set("X-Service-Event", "issue.new")
			wanted.Set("X-Service-Delivery", "7")
			require.Equal(t, wanted, request.Header)
		})
	}
}

// It is signed like any request (webhooks, Events), with the headers of the source control in addition.
func TestDispatchIsSigned(t *testing.T) {
	t.Parallel()
	request, err := dispatch.NewRequest(t.Context(), notifytest.NewExample(),
		notify.Target{URL: githubURL, Token: "token", Secret: "whsec_secret"})

	require.NoError(t, err)
	body, err := io.ReadAll(request.Body)
	require.NoError(t, err)
	require.Equal(t, notify.SignBody("whsec_secret", notifytest.SentAt, body), request.Header.Get("X-Service-Signature"))
}

// GitHub takes less than 64 KB: a brief that is too long is cut, whichever characters it has.
func TestLongBriefIsCut(t *testing.T) {
	t.Parallel()
	const githubLimit = 64 << 10
	for name, text := range map[string]string{
		"ASCII": strings.Repeat("a", 100_000), "quotes": strings.Repeat(`"\`, 50_000), "controls": strings.Repeat("\x01", 50_000),
		"wide": strings.Repeat("\U0001F600", 30_000), "broken UTF-8": strings.Repeat("\xff", 50_000), "lines": strings.Repeat("\n", 60_000),
		"separators": strings.Repeat("\u2028", 30_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := notifytest.NewExample()
			m.Brief.Markdown = text

			request, err := dispatch.NewRequest(t.Context(), m, notify.Target{URL: githubURL})

			require.NoError(t, err)
			body, err := io.ReadAll(request.Body)
			require.NoError(t, err)
			require.Less(t, len(body), githubLimit)
			require.Greater(t, len(body), githubLimit/2)
			var got struct {
				Payload struct {
					Brief string `json:"brief_markdown"`
				} `json:"client_payload"`
			}
			require.NoError(t, json.Unmarshal(body, &got))
			require.True(t, strings.HasSuffix(got.Payload.Brief, "[cut here: get_brief has the whole brief]\n"))
		})
	}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	const github, own = "https://api.github.com", "https://git.example.com/api/v3/"
	for _, test := range []struct {
		api, url string
		accepted bool
	}{
		{github, githubURL, true},
		{github, "https://API.github.com/repos/Acme-1/my.shop_2/dispatches", true},
		{own, "https://git.example.com/api/v3/repos/acme/shop/dispatches", true},

		{github, "https://api.github.com.evil.example/repos/acme/shop/dispatches", false},
		{github, "https://evil.example/repos/acme/shop/dispatches", false},
		{github, "http://api.github.com/repos/acme/shop/dispatches", false},
		{github, "https://api.github.com/repos/acme/shop/issues", false},
		{github, "https://api.github.com/repos/acme/shop/dispatches/", false},
		{github, "https://api.github.com/repos/acme/shop/dispatches?x=1", false},
		{github, "https://api.github.com/repos/acme/dispatches", false},
		{github, "https://api.github.com/repos/../shop/dispatches", false},
		{github, "https://api.github.com/repos/acme/%2e%2e/dispatches", false},
		{github, "https://api.github.com/repos//shop/dispatches", false},
		{github, "https://api.github.com/REPOS/acme/shop/dispatches", false},
		{github, "https://api.github.com/repos/" + strings.Repeat("a", 101) + "/shop/dispatches", false},
		{github, "", false},
		{own, "https://git.example.com/repos/acme/shop/dispatches", false},
		{own, "https://git.example.com/API/v3/repos/acme/shop/dispatches", false},
		{own, githubURL, false},
	} {
		t.Run(test.url, func(t *testing.T) {
			t.Parallel()
			err := dispatch.CheckURL(test.api, test.url)

			require.Equal(t, test.accepted, err == nil, err)
		})
	}
}

// FuzzCheckURL checks that the token goes only to the API of the source control.
func FuzzCheckURL(f *testing.F) {
	f.Add("https://api.github.com/repos/acme/shop/dispatches")
	f.Add("https://api.github.com@evil.example/repos/acme/shop/dispatches")
	f.Add("https://api.github.com/repos/acme/..%2f/dispatches")
	f.Fuzz(func(t *testing.T, text string) {
		if dispatch.CheckURL("https://api.github.com", text) != nil {
			return
		}
		parsed, err := url.Parse(text)
		require.NoError(t, err)
		require.Equal(t, "https", parsed.Scheme)
		require.Equal(t, "api.github.com", strings.ToLower(parsed.Host))
		require.Nil(t, parsed.User)
		require.Empty(t, parsed.RawQuery+parsed.Fragment)
		require.Equal(t, path.Clean(parsed.Path), parsed.EscapedPath())
		require.Len(t, strings.Split(parsed.Path, "/"), 5)
	})
}
