//go:build e2e

package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDemo is the first minute with Errand: a running server, `errand demo` beside it, and issues.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := startServerOn(t, dir)
	for range 2 {
		text, err := errandCommand(t, dir, []string{"BASE_URL=" + s.url}, "demo").Output()
		require.NoError(t, err)
		require.Regexp(t, `has \d+ issues`, string(text))
		require.Contains(t, string(text), s.url+"/v1/issues?project=demo-shop")
	}
	require.Equal(t, http.StatusOK, s.callAPI(adminToken, "GET", "/v1/issues?project=demo-shop", "", nil))
	require.Equal(t, http.StatusNoContent, s.callAPI(adminToken, "DELETE", "/v1/projects/demo-shop", "", nil))
	require.Equal(t, http.StatusNotFound, s.callAPI(adminToken, "GET", "/v1/issues?project=demo-shop", "", nil))
}
