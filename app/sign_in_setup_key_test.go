package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// makeSetupKey returns the id and the value of a new setup key.
func (s *signIn) makeSetupKey() (id int64, key string) {
	s.Helper()
	made := s.postAsAdmin(s.T, "/v1/setup/keys", `{}`)
	return int64(made["id"].(float64)), made["key"].(string)
}

// allowWith answers a consent question with a credential, and allows these scopes.
func (s *signIn) allowWith(credential string, query url.Values, scopes ...string) answer {
	s.Helper()
	return s.send(http.MethodPost, "/oauth/authorize?"+query.Encode(), url.Values{
		"decision": {"allow"}, "credential": {credential}, "scope": scopes,
	})
}

// codeOf returns the code in an answer that sends the browser back to the client.
func codeOf(t *testing.T, got answer) string {
	t.Helper()
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	back, err := url.Parse(got.header.Get("Location"))
	require.NoError(t, err)
	require.NotEmpty(t, back.Query().Get("code"))
	return back.Query().Get("code")
}

// TestASetupKeyAllowsAClient checks that the token counts among the key's tokens, names the key, and ends with it.
func TestASetupKeyAllowsAClient(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	id, key := s.makeSetupKey()

	issued := s.exchange(codeOf(t, s.allowWith(key, s.question(), "issues:read", "issues:write")))

	require.Equal(t, http.StatusOK, issued.status, issued.body)
	token := readFields(t, issued.body)["access_token"].(string)
	status, self := s.whoami(token)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, []any{"issues:read", "issues:write"}, self["scopes"])
	require.Nil(t, self["project_id"], "an agent token reaches all apps")
	require.Contains(t, s.sendRequest(t.Context(), http.MethodGet, "/v1/tokens", "", nil).body, `"created_by":"setup key `+key[:10]+`"`)
	require.Contains(t, s.sendRequest(t.Context(), http.MethodGet, "/v1/setup/keys", "", nil).body, `"tokens":1`)

	gone := s.sendRequest(t.Context(), http.MethodDelete, fmt.Sprintf("/v1/setup/keys/%d", id), "", nil)
	require.Equal(t, http.StatusNoContent, gone.status, gone.body)
	status, _ = s.whoami(token)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, s.sendRequest(t.Context(), http.MethodGet, "/v1/activity", "", nil).body, `"token.revoke"`)
	require.NotContains(t, s.log.String(), key)
}

// TestASetupKeyAllowsWhatAgentsMay checks that the page names the scope that it refuses.
func TestASetupKeyAllowsWhatAgentsMay(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	_, key := s.makeSetupKey()
	query := s.question("scope", "issues:read releases:write")

	refused := s.allowWith(key, query, "issues:read", "releases:write")

	require.Equal(t, http.StatusForbidden, refused.status)
	require.Contains(t, refused.body, "a setup key cannot allow releases:write")
	require.NotContains(t, refused.body, key)
	require.Empty(t, refused.header.Get("Location"))
	require.Equal(t, "issues:read", readFields(t, s.exchange(codeOf(t, s.allowWith(key, query, "issues:read"))).body)["scope"])
}

// TestASetupKeyAllowsFiveClients counts clients' tokens among those of the key, on the page and at the exchange.
func TestASetupKeyAllowsFiveClients(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	_, key := s.makeSetupKey()
	var codes []string
	for range 6 { // no token exists yet
		codes = append(codes, codeOf(t, s.allowWith(key, s.question(), "issues:read")))
	}
	for _, code := range codes[:5] {
		require.Equal(t, http.StatusOK, s.exchange(code).status)
	}

	sixth := s.exchange(codes[5])
	onPage := s.allowWith(key, s.question(), "issues:read")

	require.Equal(t, http.StatusBadRequest, sixth.status)
	require.Equal(t, "invalid_grant", readFields(t, sixth.body)["error"])
	require.Contains(t, sixth.body, "setup key")
	require.Equal(t, http.StatusTooManyRequests, onPage.status)
	require.Contains(t, onPage.body, "at most 5 tokens")
	require.Contains(t, onPage.body, `role="alert"`)
}

// TestASetupKeyMustStillBeValid ends a key between the page and the exchange, and shows ended keys to the page.
func TestASetupKeyMustStillBeValid(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := openSignInOn(t, databaseURL)
	for name, sql := range map[string]string{
		"expired": `UPDATE setup_keys SET expires_at = created_at WHERE id = $1`,
		"revoked": `UPDATE setup_keys SET revoked_at = created_at WHERE id = $1`,
	} {
		t.Run(name, func(t *testing.T) {
			id, key := s.makeSetupKey()
			code := codeOf(t, s.allowWith(key, s.question(), "issues:read"))
			_, err := openConnection(t, databaseURL).Exec(t.Context(), sql, id)
			require.NoError(t, err)

			late, onPage := s.exchange(code), s.allowWith(key, s.question(), "issues:read")

			require.Equal(t, "invalid_grant", readFields(t, late.body)["error"], late.body)
			require.Equal(t, http.StatusUnauthorized, onPage.status)
			require.Contains(t, onPage.body, "not a valid token or setup key")
		})
	}
}
