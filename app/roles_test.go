package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/store/storetest"
)

func TestRoles(t *testing.T) {
	t.Parallel()
	// Without the role the answer is 404. With the role, a token, key or body may still be missing.
	paths := map[string]string{
		"/v1/ingest": "ingest", "/api/1/envelope/": "ingest", "/v1/projects": "api", "/v1/openapi.json": "api", "/docs": "api", "/mcp": "mcp",
	}
	for _, roles := range []string{"all", "ingest", "api", "mcp", "web", "worker", " ingest, api ,mcp,web,worker", "api,mcp", "API,Mcp"} {
		t.Run(roles, func(t *testing.T) {
			t.Parallel()
			databaseURL := storetest.NewURL(t)
			c := configOn(databaseURL)
			c.Roles = roles
			s := startServer(t, c)
			for path, role := range paths {
				got := s.sendRequest(t.Context(), http.MethodGet, path, "", nil)
				require.NoError(t, got.err)
				has := roles == "all" || strings.Contains(strings.ToLower(roles), role)
				require.Equal(t, has, got.status != http.StatusNotFound, "%s: %d %s", path, got.status, got.body)
				if !has {
					require.JSONEq(t, `{"error":"not_found"}`, got.body, path)
				}
			}
			for _, path := range []string{"/healthz", "/readyz"} {
				require.Equal(t, http.StatusOK, s.sendRequest(t.Context(), http.MethodGet, path, "", nil).status, path)
			}
			conn := openConnection(t, databaseURL)
			leaders := func() (n int) {
				require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM river_leader`).Scan(&n))
				return n
			}
			if roles == "all" || strings.Contains(roles, "worker") {
				require.Eventually(t, func() bool { return leaders() == 1 }, atMost, every)
			}
			s.stopServer(t)
			var known int
			require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM river_queue`).Scan(&known))

			require.Equal(t, roles == "all" || strings.Contains(roles, "worker"), known > 0, "a server without the role takes no part in the queue")
		})
	}
}

func TestUnknownRole(t *testing.T) {
	t.Parallel()
	for _, roles := range []string{"admin", "api,", ",", "all,api"} {
		c := app.Config{Addr: "127.0.0.1:0", Roles: roles}
		err := c.FillDefaults()
		require.ErrorContains(t, err, "ROLES", roles)
		for _, name := range []string{"all", "ingest", "api", "mcp", "web", "worker"} {
			require.ErrorContains(t, err, name, roles)
		}
	}
}
