package app_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// consentVisit is a browser of a person at the page where a client asks.
type consentVisit struct {
	*signIn
	*browser
	databaseURL string
}

// openConsent starts a server with a site admin, a browser in which nobody is signed in, and a client.
func openConsent(t *testing.T) consentVisit {
	t.Helper()
	s, databaseURL := openSite(t)
	client := &signIn{server: s, T: t}
	client.clientID = client.registerClient("Claude Code", clientRedirect)
	return consentVisit{client, s.newBrowser(t), databaseURL}
}

func (v consentVisit) path(changes ...string) string {
	return "/oauth/authorize?" + v.question(changes...).Encode()
}

// allow sends the form of the page as it is when nothing was changed.
func (v consentVisit) allow(path string, scopes ...string) answer {
	form := url.Values{"decision": {"allow"}, "scope": scopes, "credential": {""}, "project": {""}}
	return v.browser.send(http.MethodPost, path, "application/x-www-form-urlencoded", form.Encode())
}

// TestConsentByOneClick lets a client in as a site admin who was not signed in at first.
func TestConsentByOneClick(t *testing.T) {
	t.Parallel()
	v := openConsent(t)
	asked := v.browser.get(v.path())
	require.NotContains(t, asked.body, "You are signed in")
	link := regexp.MustCompile(`href="(/sign-in\?return_to=[^"]+)">Sign in to allow it`).FindStringSubmatch(asked.body)
	require.NotNil(t, link, asked.body)
	signInPage, err := url.Parse(link[1])
	require.NoError(t, err)
	back := signInPage.Query().Get("return_to")
	require.Equal(t, v.path(), back)

	signedIn := v.browser.post("/sign-in", "email", adminEmail, "password", adminPassword, "return_to", back)
	require.Equal(t, back, signedIn.header.Get("Location"), "the same question again")
	shown := v.browser.get(back)
	require.Contains(t, shown.body, "You are signed in as <strong>"+adminEmail+"</strong>")
	require.Contains(t, shown.body, `<details><summary>With a token or setup key</summary>`)
	require.Contains(t, shown.header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	require.Equal(t, "same-origin", shown.header.Get("Referrer-Policy"))

	allowed := v.allow(v.path(), "issues:read", "issues:write", "admin", "releases:write")

	require.Equal(t, http.StatusSeeOther, allowed.status, allowed.body)
	goes, err := url.Parse(allowed.header.Get("Location"))
	require.NoError(t, err)
	issued := readFields(t, v.exchange(goes.Query().Get("code")).body)
	require.Equal(t, "issues:read issues:write", issued["scope"], "nothing that was not asked for, and never admin")
	tokens := v.browser.get("/v1/tokens").body
	require.Contains(t, tokens, `"name":"oauth: Claude Code"`)
	require.Contains(t, tokens, `"created_by":"`+adminEmail+`"`)
	require.Contains(t, v.browser.get("/v1/activity").body, `"actor_type":"user"`)
}

// TestConsentIsForWhoMay refuses people without the right, forms of other sites, and who is not signed in any longer.
func TestConsentIsForWhoMay(t *testing.T) {
	t.Parallel()
	v := openConsent(t)
	v.makeProject(t)
	addMember(t, v.databaseURL, "bob@example.com", core.RoleOwner)
	nobody := v.allow(v.path(), "issues:read")
	require.Equal(t, http.StatusUnauthorized, nobody.status)
	require.Contains(t, nobody.body, "You are not signed in here, or no longer.")

	v.browser.signIn("bob@example.com", adminPassword)
	require.Contains(t, v.browser.get(v.path()).body, "Only a site admin may let a client in")
	refused := v.allow(v.path(), "issues:read")
	require.Equal(t, http.StatusForbidden, refused.status)
	require.Contains(t, refused.body, "Only a site admin may let a client in")

	v.browser.signIn(adminEmail, adminPassword)
	for name, header := range map[string]http.Header{
		"Sec-Fetch-Site":        {"Sec-Fetch-Site": {"cross-site"}},
		"of the same owner":     {"Sec-Fetch-Site": {"same-site"}, "Origin": {"http://other.example.com"}},
		"Origin alone":          {"Origin": {"https://evil.example"}},
		"an origin that is not": {"Origin": {"null"}},
	} {
		v.browser.header = header
		forged := v.allow(v.path(), "issues:read")
		require.Equal(t, http.StatusForbidden, forged.status, name)
		require.Contains(t, forged.body, "This form was sent from another site", name)
		require.Equal(t, http.StatusOK, v.browser.get(v.path()).status, "%s: a client on another site may ask", name)
	}
	require.NotContains(t, v.sendRequest(t.Context(), http.MethodGet, "/v1/tokens", "", nil).body, "oauth:")
}

// TestConsentEndsWithTheRight takes the right away before the client fetches its token.
func TestConsentEndsWithTheRight(t *testing.T) {
	t.Parallel()
	v := openConsent(t)
	v.browser.signIn(adminEmail, adminPassword)
	allowed := v.allow(v.path(), "issues:read")
	goes, err := url.Parse(allowed.header.Get("Location"))
	require.NoError(t, err)
	_, err = openConnection(t, v.databaseURL).Exec(t.Context(), `UPDATE users SET site_admin = false`)
	require.NoError(t, err)

	got := v.exchange(goes.Query().Get("code"))

	require.Equal(t, http.StatusBadRequest, got.status)
	require.Equal(t, "invalid_grant", readFields(t, got.body)["error"])
}

// TestConsentLeavesOnlyByAClick refuses and mistakes as somebody who is signed in, for a client on another site.
func TestConsentLeavesOnlyByAClick(t *testing.T) {
	t.Parallel()
	v := openConsent(t)
	v.browser.signIn(adminEmail, adminPassword)
	v.clientID = v.registerClient("Elsewhere", "https://client.example/callback")
	elsewhere := []string{"redirect_uri", "https://client.example/callback"}
	for name, got := range map[string]answer{
		"the question": v.browser.get(v.path(elsewhere...)),
		"a mistake":    v.browser.get(v.path(append(elsewhere, "response_type", "token")...)),
		"a refusal":    v.browser.post(v.path(elsewhere...), "decision", "refuse"),
	} {
		require.Less(t, got.status, 500, name)
		require.Empty(t, got.header.Get("Location"), name)
	}
	require.Equal(t, http.StatusSeeOther, v.allow(v.path(elsewhere...), "issues:read").status)
}
