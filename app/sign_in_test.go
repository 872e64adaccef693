package app_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

const (
	clientRedirect = "http://127.0.0.1:4711/callback"
	verifier       = "a-verifier-of-the-tests-that-is-long-enough-0123456789"
)

// challengeOf returns the S256 challenge of a verifier.
func challengeOf(verifier string) string {
	hash := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(hash[:])
}

// signIn is a client of MCP that signs in by the URL of the server.
type signIn struct {
	*server
	*testing.T
	clientID string
}

// openSignIn starts a server, and registers a client with the name Claude Code.
func openSignIn(t *testing.T) *signIn {
	t.Helper()
	return openSignInOn(t, storetest.NewURL(t))
}

// openSignInOn is openSignIn on a database that the test looks into.
func openSignInOn(t *testing.T, databaseURL string) *signIn {
	t.Helper()
	s := &signIn{server: startServer(t, configOn(databaseURL)), T: t}
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.clientID = s.registerClient("Claude Code", clientRedirect)
	return s
}

// send makes a request without a credential. A form is sent as the body unless it is nil.
func (s *signIn) send(method, path string, form url.Values) answer {
	s.Helper()
	return s.sendText(method, path, "application/x-www-form-urlencoded", form.Encode())
}

func (s *signIn) sendText(method, path, contentType, body string) answer {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, "http://"+s.Addr()+path, strings.NewReader(body))
	require.NoError(s, err)
	request.Header.Set("Content-Type", contentType)
	got := s.doRequest(request)
	require.NoError(s, got.err)
	return got
}

func (s *signIn) registerClient(name string, redirects ...string) string {
	s.Helper()
	body, err := json.Marshal(map[string]any{
		"client_name": name, "redirect_uris": redirects, "grant_types": []string{"authorization_code", "refresh_token"},
	})
	require.NoError(s, err)
	got := s.sendText(http.MethodPost, "/oauth/register", "application/json", string(body))
	require.Equal(s, http.StatusCreated, got.status, got.body)
	return readFields(s.T, got.body)["client_id"].(string)
}

func readFields(t *testing.T, body string) (fields map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(body), &fields), body)
	return fields
}

// question is the client's question to the person, with changes as name, value.
func (s *signIn) question(changes ...string) url.Values {
	query := url.Values{
		"response_type": {"code"}, "client_id": {s.clientID}, "redirect_uri": {clientRedirect}, "state": {"the state"},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"S256"}, "scope": {"issues:read issues:write"},
		"resource": {s.URL() + "/mcp"},
	}
	for i := 0; i < len(changes); i += 2 {
		query.Set(changes[i], changes[i+1])
	}
	return query
}

// consent answers the question like a person who allows everything, and returns the code.
func (s *signIn) consent(query url.Values) string {
	s.Helper()
	got := s.send(http.MethodPost, "/oauth/authorize?"+query.Encode(), url.Values{
		"decision": {"allow"}, "credential": {adminToken}, "scope": {"issues:read", "issues:write", "releases:write"},
	})
	require.Equal(s, http.StatusSeeOther, got.status, got.body)
	back, err := url.Parse(got.header.Get("Location"))
	require.NoError(s, err)
	require.Equal(s, "the state", back.Query().Get("state"))
	require.Equal(s, s.URL(), back.Query().Get("iss"))
	return back.Query().Get("code")
}

// exchange shows a code, with changes as name, value.
func (s *signIn) exchange(code string, changes ...string) answer {
	s.Helper()
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "client_id": {s.clientID}, "redirect_uri": {clientRedirect},
		"code_verifier": {verifier}, "resource": {s.URL() + "/mcp"},
	}
	for i := 0; i < len(changes); i += 2 {
		form.Set(changes[i], changes[i+1])
	}
	return s.send(http.MethodPost, "/oauth/token", form)
}

// whoami returns a token's description of itself, and the status.
func (s *signIn) whoami(token string) (int, map[string]any) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, "http://"+s.Addr()+"/v1/tokens/current", nil)
	require.NoError(s, err)
	request.Header.Set("Authorization", "Bearer "+token)
	got := s.doRequest(request)
	require.NoError(s, got.err)
	data, _ := readFields(s.T, got.body)["data"].(map[string]any)
	return got.status, data
}

// TestSignInByURL follows the path of a client: 401, metadata, registration, consent, token.
func TestSignInByURL(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)

	refused := s.sendText(http.MethodPost, "/mcp", "application/json", `{}`)
	require.Equal(t, http.StatusUnauthorized, refused.status)
	metadataURL := s.URL() + "/.well-known/oauth-protected-resource/mcp"
	require.Equal(t, `Bearer resource_metadata="`+metadataURL+`", scope="issues:read issues:write"`, refused.header.Get("WWW-Authenticate"))
	require.Contains(t, readFields(t, refused.body)["hint"], "Authorization: Bearer")
	require.Equal(t, "Bearer", s.sendText(http.MethodGet, "/v1/issues", "", "").header.Get("WWW-Authenticate"))

	resource := readFields(t, s.send(http.MethodGet, "/.well-known/oauth-protected-resource/mcp", nil).body)
	require.Equal(t, s.URL()+"/mcp", resource["resource"])
	require.Equal(t, []any{s.URL()}, resource["authorization_servers"])
	issuer := readFields(t, s.send(http.MethodGet, "/.well-known/oauth-authorization-server", nil).body)
	require.Equal(t, s.URL(), issuer["issuer"])
	require.Equal(t, []any{"S256"}, issuer["code_challenge_methods_supported"])
	require.NotContains(t, issuer["scopes_supported"], "admin")

	page := s.send(http.MethodGet, "/oauth/authorize?"+s.question().Encode(), nil)
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.body, "“Claude Code”")
	require.NotContains(t, page.body, "releases:write", "was not asked for")
	action := regexp.MustCompile(`action="([^"]+)"`).FindStringSubmatch(page.body)
	sentAgain, err := url.ParseQuery(strings.TrimPrefix(html.UnescapeString(action[1]), "?"))
	require.NoError(t, err)
	require.Equal(t, s.question(), sentAgain)

	issued := s.exchange(s.consent(s.question()))
	require.Equal(t, http.StatusOK, issued.status, issued.body)
	require.Equal(t, "no-store", issued.header.Get("Cache-Control"))
	fields := readFields(t, issued.body)
	require.Equal(t, "Bearer", fields["token_type"])
	require.Equal(t, "issues:read issues:write", fields["scope"])
	require.Len(t, fields, 3)
	for path, begins := range map[string]string{"/setup": "Errand, an error tracker", "/llms.txt": "# Errand"} {
		text := s.send(http.MethodGet, path, nil)
		require.Equal(t, "text/plain; charset=utf-8", text.header.Get("Content-Type"))
		require.True(t, strings.HasPrefix(text.body, begins), text.body)
	}
	status, self := s.whoami(fields["access_token"].(string))
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "oauth: Claude Code", self["name"])
	require.Equal(t, []any{"issues:read", "issues:write"}, self["scopes"])

	activity := s.sendRequest(t.Context(), http.MethodGet, "/v1/activity", "", nil).body
	require.Contains(t, activity, `"token.create"`)
	require.NotContains(t, s.log.String(), fields["access_token"])
}

// TestSignInByAnotherLoopbackName asks like a client with the URL http://localhost, which accepts only metadata for that name.
func TestSignInByAnotherLoopbackName(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	base := strings.Replace(s.URL(), "127.0.0.1", "localhost", 1)
	require.NotEqual(t, s.URL(), base)
	ask := func(method, path string, headers ...string) answer {
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.Addr()+path, strings.NewReader("{}"))
		require.NoError(t, err)
		request.Host = strings.TrimPrefix(base, "http://")
		request.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		return s.doRequest(request)
	}

	require.Contains(t, ask(http.MethodPost, "/mcp").header.Get("WWW-Authenticate"), `resource_metadata="`+base+"/.well-known/")
	resource := readFields(t, ask(http.MethodGet, "/.well-known/oauth-protected-resource/mcp").body)
	require.Equal(t, base+"/mcp", resource["resource"])
	require.Equal(t, []any{base}, resource["authorization_servers"])
	issuer := readFields(t, ask(http.MethodGet, "/.well-known/oauth-authorization-server").body)
	require.Equal(t, base, issuer["issuer"])
	require.Equal(t, base+"/oauth/token", issuer["token_endpoint"])
	question := s.question()
	question.Set("resource", base+"/mcp")
	require.Contains(t, ask(http.MethodGet, "/oauth/authorize?"+question.Encode()).body, "“Claude Code”")

	token := readFields(t, s.exchange(s.consent(s.question())).body)["access_token"].(string)
	bearer := []string{"Authorization", "Bearer " + token, "Accept", "application/json, text/event-stream"}
	require.NotEqual(t, http.StatusForbidden, ask(http.MethodPost, "/mcp", append(bearer, "Origin", base)...).status)
	require.Equal(t, http.StatusForbidden, ask(http.MethodPost, "/mcp", append(bearer, "Origin", "http://localhost:1")...).status)
}

// TestCodesAreForOneExchange shows codes again, late, and with other parameters than at consent.
func TestCodesAreForOneExchange(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	other := s.registerClient("Another", clientRedirect)
	refused := map[string][]string{
		"another client":       {"client_id", other},
		"another redirect":     {"redirect_uri", "http://127.0.0.1:9/callback"},
		"another verifier":     {"code_verifier", verifier + "x"},
		"the challenge itself": {"code_verifier", challengeOf(verifier)},
		"no verifier":          {"code_verifier", ""},
		"another resource":     {"resource", "https://elsewhere.example/mcp"},
		"a forged client":      {"client_id", s.clientID[:len(s.clientID)-2] + "xx"},
		"another grant":        {"grant_type", "refresh_token"},
		"no code":              {"code", ""},
		"a code of nobody's":   {"code", "AAAA"},
		"no client":            {"client_id", ""},
	}
	code := s.consent(s.question())
	for name, changes := range refused {
		got := s.exchange(code, changes...)
		require.Equal(t, http.StatusBadRequest, got.status, name)
		require.NotEmpty(t, readFields(t, got.body)["error_description"], name)
	}

	issued := s.exchange(code, "redirect_uri", "")
	require.Equal(t, http.StatusOK, issued.status, "wrong tries do not use a code up, and a redirect need not be named: %s", issued.body)
	token := readFields(t, issued.body)["access_token"].(string)
	status, _ := s.whoami(token)
	require.Equal(t, http.StatusOK, status)

	again := s.exchange(code)
	require.Equal(t, "invalid_grant", readFields(t, again.body)["error"])
	status, _ = s.whoami(token)
	require.Equal(t, http.StatusUnauthorized, status, "a code that comes twice may have been stolen")
}

// TestCodesLastAMinute moves the end of a code back, and revokes the credential behind another code.
func TestCodesLastAMinute(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := openSignInOn(t, databaseURL)
	code := s.consent(s.question())

	_, err := openConnection(t, databaseURL).Exec(t.Context(), `UPDATE consents SET expires_at = expires_at - interval '61 seconds'`)
	require.NoError(t, err)

	require.Equal(t, "invalid_grant", readFields(t, s.exchange(code).body)["error"])
}

// TestConsentNeedsAnAdmin answers the page with credentials that may not make tokens.
func TestConsentNeedsAnAdmin(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	writer := s.postAsAdmin(t, "/v1/tokens", `{"name": "writer", "scopes": ["issues:write", "releases:write"]}`)["token"].(string)
	allow := url.Values{"decision": {"allow"}, "scope": {"issues:read"}}
	tries := map[string]struct {
		credential string
		form       url.Values
		status     int
	}{
		"no credential":    {"", allow, http.StatusUnauthorized},
		"a wrong one":      {"ck_" + strings.Repeat("a", 43), allow, http.StatusUnauthorized},
		"one without":      {writer, allow, http.StatusForbidden},
		"nothing allowed":  {adminToken, url.Values{"decision": {"allow"}}, http.StatusBadRequest},
		"more than asked":  {adminToken, url.Values{"decision": {"allow"}, "scope": {"releases:write"}}, http.StatusBadRequest},
		"admin is not had": {adminToken, url.Values{"decision": {"allow"}, "scope": {"admin"}}, http.StatusBadRequest},
	}
	for name, try := range tries {
		t.Run(name, func(t *testing.T) {
			form := maps.Clone(try.form)
			form.Set("credential", try.credential)

			got := s.send(http.MethodPost, "/oauth/authorize?"+s.question().Encode(), form)

			require.Equal(t, try.status, got.status, got.body)
			require.Contains(t, got.body, `role="alert"`)
			require.Empty(t, got.header.Get("Location"))
			if try.credential != "" {
				require.NotContains(t, got.body, try.credential)
			}
		})
	}
	refused := s.send(http.MethodPost, "/oauth/authorize?"+s.question().Encode(), url.Values{"decision": {"refuse"}})
	require.Contains(t, refused.header.Get("Location"), clientRedirect+"?error=access_denied")
}

// TestQuestionsThatAreRefused shows who learns about an error in a question: the client if it is known.
func TestQuestionsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	forged := strings.Replace(s.clientID, ".", "x.", 1)
	onPage := map[string][]string{
		"an unknown client":   {"client_id", "someone"},
		"a forged client":     {"client_id", forged},
		"a foreign redirect":  {"redirect_uri", "https://evil.example/callback"},
		"another path":        {"redirect_uri", "http://127.0.0.1:4711/other"},
		"another host":        {"redirect_uri", "http://localhost.evil.example:4711/callback"},
		"a user in it":        {"redirect_uri", "http://127.0.0.1:4711@evil.example/callback"},
		"no redirect":         {"redirect_uri", ""},
		"https for loopback":  {"redirect_uri", "https://127.0.0.1:4711/callback"},
		"loopback's other IP": {"redirect_uri", "http://127.0.0.2:4711/callback"},
	}
	for name, changes := range onPage {
		t.Run(name, func(t *testing.T) {
			got := s.send(http.MethodGet, "/oauth/authorize?"+s.question(changes...).Encode(), nil)
			require.Equal(t, http.StatusBadRequest, got.status)
			require.Empty(t, got.header.Get("Location"))
			require.NotContains(t, got.body, "evil.example")
		})
	}
	toClient := map[string][]string{
		"no PKCE":           {"code_challenge", ""},
		"plain PKCE":        {"code_challenge_method", "plain"},
		"no method":         {"code_challenge_method", ""},
		"another response":  {"response_type", "token"},
		"another resource":  {"resource", "https://elsewhere.example/mcp"},
		"a lookalike":       {"resource", s.URL() + ".evil.example/mcp"},
		"only admin":        {"scope", "admin"},
		"a very long state": {"state", strings.Repeat("s", 4001)},
	}
	for name, changes := range toClient {
		t.Run(name, func(t *testing.T) {
			got := s.send(http.MethodGet, "/oauth/authorize?"+s.question(changes...).Encode(), nil)
			require.Equal(t, http.StatusSeeOther, got.status, got.body)
			back, err := url.Parse(got.header.Get("Location"))
			require.NoError(t, err)
			require.NotEmpty(t, back.Query().Get("error"))
			require.Empty(t, back.Query().Get("code"))
		})
	}
	for _, free := range []string{"http://127.0.0.1:9999/callback", "http://127.0.0.1/callback"} {
		require.Equal(t, http.StatusOK, s.send(http.MethodGet, "/oauth/authorize?"+s.question("redirect_uri", free).Encode(), nil).status, free)
	}
}

// TestThePageIsSafe registers a client with a hostile name, and checks the page and its headers.
func TestThePageIsSafe(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	const redirect = "cursor://anysphere.cursor-mcp/oauth/callback"
	s.clientID = s.registerClient("<script>alert(1)</script>\u202e\x00"+strings.Repeat("long ", 100), redirect)

	got := s.send(http.MethodGet, "/oauth/authorize?"+s.question("redirect_uri", redirect).Encode(), nil)

	require.Equal(t, http.StatusOK, got.status, got.body)
	require.NotContains(t, got.body, "<script")
	require.NotContains(t, got.body, "\u202e")
	policy := got.header.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'")
	require.Contains(t, policy, "frame-ancestors 'none'")
	require.Contains(t, policy, "form-action 'self' cursor:;")
	require.Equal(t, "DENY", got.header.Get("X-Frame-Options"))
	require.Equal(t, "same-origin", got.header.Get("Referrer-Policy"))
}

// TestRegistrationsAreCheckedAndNotKept makes invalid registrations, and many.
func TestRegistrationsAreCheckedAndNotKept(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	for name, redirects := range map[string]string{
		"none":          `[]`,
		"a script":      `["javascript:alert(1)"]`,
		"data":          `["data:text/html,x"]`,
		"plain http":    `["http://app.example/callback"]`,
		"a fragment":    `["https://app.example/#x"]`,
		"a user":        `["https://me@app.example/"]`,
		"no scheme":     `["//app.example/"]`,
		"not a list":    `"https://app.example/"`,
		"eleven":        `["a:b` + strings.Repeat(`","a:b`, 10) + `"]`,
		"much text":     `["https://app.example/` + strings.Repeat("x", 2000) + `"]`,
		"a policy's ;":  `["cursor://x;script-src *"]`,
		"a star":        `["https://*.example/"]`,
		"a line break":  `["https://app.example/\nx"]`,
		"no host at it": `["https:///callback"]`,
	} {
		t.Run(name, func(t *testing.T) {
			got := s.sendText(http.MethodPost, "/oauth/register", "application/json", `{"redirect_uris": `+redirects+`}`)
			require.Equal(t, http.StatusBadRequest, got.status, got.body)
			require.NotEmpty(t, readFields(t, got.body)["error_description"])
		})
	}
	tooLarge := s.sendText(http.MethodPost, "/oauth/register", "application/json", strings.Repeat("x", 70<<10))
	require.Equal(t, http.StatusBadRequest, tooLarge.status)
	require.Equal(t, http.StatusMethodNotAllowed, s.send(http.MethodGet, "/oauth/register", nil).status)
	require.Equal(t, http.StatusNoContent, s.send(http.MethodOptions, "/oauth/token", nil).status)
	require.Equal(t, s.registerClient("Claude Code", clientRedirect), s.clientID, "the registration is the id: nothing is kept")
}
