package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// TestRegistrationsGrowNothing counts the rows of all tables before and after 10,000 registrations.
func TestRegistrationsGrowNothing(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := openSignInOn(t, databaseURL)
	before := countRows(t, databaseURL)

	for i := range 10_000 {
		s.registerClient(fmt.Sprintf("client %d", i), fmt.Sprintf("http://127.0.0.1:%d/callback", 1024+i))
	}

	require.Less(t, countRows(t, databaseURL)-before, 100, "background work adds a few")
}

// countRows returns how many rows all tables have together.
func countRows(t *testing.T, databaseURL string) (rows int) {
	t.Helper()
	const query = `
SELECT sum((xpath('/row/n/text()',
	query_to_xml(format('SELECT count(*) AS n FROM %I.%I', schemaname, tablename), false, true, '')))[1]::text::bigint)
FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`
	require.NoError(t, openConnection(t, databaseURL).QueryRow(t.Context(), query).Scan(&rows))
	return rows
}

// TestClientsOfAnotherInstallation shows an id that another installation signed.
func TestClientsOfAnotherInstallation(t *testing.T) {
	t.Parallel()
	here, elsewhere := openSignIn(t), openSignIn(t)

	page := here.send(http.MethodGet, "/oauth/authorize?"+here.question("client_id", elsewhere.clientID).Encode(), nil)
	exchanged := here.exchange(here.consent(here.question()), "client_id", elsewhere.clientID)

	require.Equal(t, http.StatusBadRequest, page.status)
	require.Contains(t, page.body, "not known here")
	require.Equal(t, "invalid_client", readFields(t, exchanged.body)["error"])
}

// TestNoPageIsFramed checks the headers of every page that signing in shows, including errors.
func TestNoPageIsFramed(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	path := "/oauth/authorize?" + s.question().Encode()
	for name, got := range map[string]answer{
		"the question":   s.send(http.MethodGet, path, nil),
		"a problem":      s.send(http.MethodGet, "/oauth/authorize", nil),
		"a wrong answer": s.allowWith("ck_wrong", s.question(), "issues:read"),
		"a long form":    s.sendText(http.MethodPost, path, "application/x-www-form-urlencoded", "x="+strings.Repeat("x", 70<<10)),
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, "DENY", got.header.Get("X-Frame-Options"))
			require.Contains(t, got.header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
			require.Equal(t, "no-store", got.header.Get("Cache-Control"))
			require.Empty(t, got.header.Get("Access-Control-Allow-Origin"), "no page of another origin reads it")
			require.Empty(t, got.header.Get("Set-Cookie"), "there is nothing that a forged form could ride on")
		})
	}
}

// TestRegistrationsInStrangeJSON requires an OAuth error for each of them.
func TestRegistrationsInStrangeJSON(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	for name, body := range map[string]string{
		"nothing":       ``,
		"null":          `null`,
		"a list":        `[]`,
		"a text":        `"x"`,
		"two objects":   `{"redirect_uris": ["http://127.0.0.1/"]}{}`,
		"broken":        `{"redirect_uris": ["http://127.0.0.1/"]`,
		"deep":          strings.Repeat(`[`, 20_000),
		"a null inside": `{"redirect_uris": [null]}`,
		"a number":      `{"redirect_uris": [1]}`,
		"a name object": `{"redirect_uris": ["http://127.0.0.1/"], "client_name": {}}`,
		"no UTF-8":      "{\"redirect_uris\": [\"http://127.0.0.1/\xff\"]}",
	} {
		t.Run(name, func(t *testing.T) {
			got := s.sendText(http.MethodPost, "/oauth/register", "application/json", body)
			require.Equal(t, http.StatusBadRequest, got.status, got.body)
			require.Regexp(t, "^invalid_(client_metadata|redirect_uri)$", readFields(t, got.body)["error"])
		})
	}
}

// TestMethodsOfSigningIn uses methods that the paths do not take.
func TestMethodsOfSigningIn(t *testing.T) {
	t.Parallel()
	s := openSignIn(t)
	for path, refused := range map[string][]string{
		"/.well-known/oauth-protected-resource":   {http.MethodPost, http.MethodDelete},
		"/.well-known/oauth-authorization-server": {http.MethodPost, http.MethodPut},
		"/oauth/register":                         {http.MethodGet, http.MethodHead, http.MethodPut},
		"/oauth/token":                            {http.MethodGet, http.MethodHead, http.MethodDelete},
		"/oauth/authorize":                        {http.MethodPut, http.MethodDelete, http.MethodOptions},
	} {
		for _, method := range refused {
			t.Run(method+" "+path, func(t *testing.T) {
				got := s.send(method, path, nil)
				require.Equal(t, http.StatusMethodNotAllowed, got.status, got.body)
				require.NotEmpty(t, got.header.Get("Allow"))
			})
		}
	}
	head := s.send(http.MethodHead, "/.well-known/oauth-authorization-server", nil)
	require.Equal(t, http.StatusOK, head.status)
	require.Empty(t, head.body)
}
