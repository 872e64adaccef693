package app_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRedirectsThatAreTaken registers one redirect at a time.
func TestRedirectsThatAreTaken(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	register := func(redirect string) answer {
		body, err := json.Marshal(map[string]any{"redirect_uris": []string{redirect}})
		require.NoError(t, err)
		return s.sendText(http.MethodPost, "/oauth/register", "application/json", string(body))
	}
	for _, redirect := range []string{
		"https://claude.ai/api/mcp/auth_callback", "https://app.example:8443/cb?a=b", "https://127.0.0.1/cb",
		"http://127.0.0.1:1/", "http://[::1]:80/x",
		"http://localhost/callback", "http://LOCALHOST:3/", "cursor://anysphere.cursor-mcp/oauth/callback",
		"vscode://vscode.github-authentication/did",
		"vscode-insiders://x.y/z", "CURSOR://x/y", "claude:callback", "com.example.app:/oauth2redirect",
		"com.googleusercontent.apps.123-abc:/cb",
		"dev.zed.preview:cb", "com.applepie.app:/cb",
	} {
		require.Equal(t, http.StatusCreated, register(redirect).status, redirect)
	}
	for _, redirect := range []string{
		"javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
		"ms-appinstaller:?source=https://evil.example",
		"ms-settings:x", "ms-msdt:/id", "search-ms:query=x", "tel:+4912345", "sms:1", "mailto:a@b.example",
		"facetime:x", "ssh://x", "telnet://x",
		"blob:https://x/y", "about:blank", "view-source:https://x", "intent://x", "itms-services://x",
		"x-apple.systempreferences:com.apple", "ws://x",
		"microsoft.windows.camera:", "com.apple.tv:x", "com.microsoft.teams:x", "web+evil:x", "steam://run/1", "a:b",
		"evil:x", "a.b:x", ".a:x", "com.:x",
		"http://127.0.0.1.evil.example/", "http://10.0.0.1/", "https:evil", "https:///x",
		"https://caf\u00e9.example/", "https://a b/", "//app.example/x",
	} {
		got := register(redirect)
		require.Equal(t, http.StatusBadRequest, got.status, redirect)
		require.Equal(t, "invalid_redirect_uri", readFields(t, got.body)["error"], redirect)
	}
}

// TestNobodyIsSentToAnotherSiteUnasked follows links to this server that a stranger made for the stranger's own client.
func TestNobodyIsSentToAnotherSiteUnasked(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	link := regexp.MustCompile(`<a class="button wide-button" href="([^"]*)" rel="noreferrer">Go to ([^<]*)</a>`)
	for redirect, named := range map[string]string{
		"https://evil.example/landing?x=1": "evil.example",
		"cursor://evil/x":                  "the program that opens cursor: links",
		"com.example.app:/cb":              "the program that opens com.example.app: links",
	} {
		s.clientID = s.registerClient("Evil", redirect)
		for name, changes := range map[string][]string{
			"no PKCE":          {"code_challenge", ""},
			"another response": {"response_type", "token"},
			"only admin":       {"scope", "admin"},
			"another resource": {"resource", "https://elsewhere.example/mcp"},
		} {
			query := s.question(append(changes, "redirect_uri", redirect)...).Encode()
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				got := s.send(method, "/oauth/authorize?"+query, url.Values{"decision": {"allow"}, "credential": {adminToken}})
				require.Equal(t, http.StatusBadRequest, got.status, "%s %s %s", redirect, name, method)
				requireWayBack(t, link, got, redirect, named)
			}
		}
		refused := s.send(http.MethodPost, "/oauth/authorize?"+s.question("redirect_uri", redirect).Encode(), url.Values{"decision": {"refuse"}})
		require.Equal(t, http.StatusOK, refused.status)
		requireWayBack(t, link, refused, redirect, named)
		require.Contains(t, html.UnescapeString(refused.body), "error=access_denied")
	}
	s.clientID = s.registerClient("Here", "http://127.0.0.1:4711/callback")
	here := s.send(http.MethodPost, "/oauth/authorize?"+s.question("redirect_uri", "http://127.0.0.1:4711/callback").Encode(),
		url.Values{"decision": {"refuse"}})
	require.Equal(t, http.StatusSeeOther, here.status, "a program on this machine is told at once")
	require.Contains(t, here.header.Get("Location"), "error=access_denied")
}

// requireWayBack checks that a page does not redirect, and that its button names and leads to the client.
func requireWayBack(t *testing.T, link *regexp.Regexp, got answer, redirect, named string) {
	t.Helper()
	require.Empty(t, got.header.Get("Location"))
	require.Empty(t, got.header.Get("Refresh"))
	require.NotContains(t, got.body, "http-equiv")
	found := link.FindStringSubmatch(got.body)
	require.NotNil(t, found, got.body)
	require.Equal(t, named, found[2])
	target, err := url.Parse(html.UnescapeString(found[1]))
	require.NoError(t, err)
	wanted, err := url.Parse(redirect)
	require.NoError(t, err)
	require.Equal(t, wanted.Scheme+wanted.Host, target.Scheme+target.Host)
	require.Equal(t, "the state", target.Query().Get("state"))
	require.NotEmpty(t, target.Query().Get("error"))
	require.Empty(t, target.Query().Get("code"))
	require.Contains(t, got.header.Get("Content-Security-Policy"), "form-action 'none'")
}
