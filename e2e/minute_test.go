//go:build e2e

package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// actsWithin is how long a change of a project may take to act on every server (primary API, Limits).
const actsWithin = 60 * time.Second

// TestFaultChangesActWithinAMinute makes changes on one server and measures when the other one, which is in constant use, acts on them.
// It may take a minute, so it runs only with E2E_SLOW=1. Package ingest tests the same with its own clock.
func TestFaultChangesActWithinAMinute(t *testing.T) {
	if os.Getenv("E2E_SLOW") != "1" {
		t.Skip("takes up to a minute; set E2E_SLOW=1")
	}
	t.Parallel()
	pair, _ := startPair(t)
	for name, c := range map[string]struct {
		change func(slug string, d dsn)
		status int
	}{
		"daily_quota": {func(slug string, _ dsn) {
			require.Equal(t, http.StatusOK, pair[0].callAPI(adminToken, "PATCH", "/v1/projects/"+slug, `{"daily_quota":1}`, nil))
		}, http.StatusTooManyRequests},
		"allowed_origins": {func(slug string, _ dsn) {
			require.Equal(t, http.StatusOK, pair[0].callAPI(adminToken, "PATCH", "/v1/projects/"+slug,
				`{"allowed_origins":["https://office.example"]}`, nil))
		}, http.StatusForbidden},
		"a revoked key": {func(slug string, d dsn) {
			require.Equal(t, http.StatusCreated, pair[0].callAPI(adminToken, "POST", "/v1/projects/"+slug+"/keys", "", nil))
			require.Equal(t, http.StatusNoContent, pair[0].callAPI(adminToken, "DELETE", "/v1/projects/"+slug+"/keys/"+d.key, "", nil))
		}, http.StatusUnauthorized},
		"a deleted project": {func(slug string, _ dsn) {
			require.Equal(t, http.StatusNoContent, pair[0].callAPI(adminToken, "DELETE", "/v1/projects/"+slug, "", nil))
		}, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, slug := pair[0].makeProject("Shop with " + name)
			d := parseDSN(t, text)
			send := func() int {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, pair[1].url+"/v1/ingest?key="+d.key,
					strings.NewReader(`{"message":"boom"}`))
				require.NoError(t, err)
				r.Header.Set("Origin", "https://shop.example")
				answer, err := http.DefaultClient.Do(r)
				require.NoError(t, err)
				require.NoError(t, answer.Body.Close())
				return answer.StatusCode
			}
			require.Equal(t, http.StatusOK, send())
			require.Equal(t, http.StatusOK, send())
			c.change(slug, d)
			begin := time.Now()
			require.Eventually(t, func() bool { return send() == c.status }, actsWithin, 200*time.Millisecond)
			t.Logf("acts on the other server after %s", time.Since(begin).Round(100*time.Millisecond))
		})
	}
}
