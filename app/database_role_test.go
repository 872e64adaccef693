package app_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// TestServerWithFewRights runs a server by a role that owns neither the database nor a schema: what docs/configuration.md says it needs.
func TestServerWithFewRights(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewEmptyURL(t)
	roleURL, role := storetest.MakeRole(t, databaseURL, "few", "")
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	database := strings.TrimPrefix(u.Path, "/")
	admin := storetest.ConnectTo(t, databaseURL)
	for _, sql := range []string{
		fmt.Sprintf(`REVOKE ALL ON DATABASE %s FROM PUBLIC`, database),
		fmt.Sprintf(`GRANT CONNECT ON DATABASE %s TO %s`, database, role),
		fmt.Sprintf(`GRANT USAGE, CREATE ON SCHEMA public TO %s`, role),
	} {
		_, err := admin.Exec(t.Context(), sql)
		require.NoError(t, err, sql)
	}
	config := configWithJobs(roleURL)
	config.MetricsAddr = "127.0.0.1:0"
	s := startServer(t, config)

	s.sendEvent(t, s.makeProject(t))

	require.NotContains(t, s.log.String(), `"level":"WARN"`, "nothing is missing")
	require.Contains(t, s.log.String(), `"level":"INFO"`)
	require.NotContains(t, s.operatorGet(t, "/metrics").body, "errand_wal_bytes")
	require.Contains(t, s.operatorGet(t, "/metrics").body, "errand_database_bytes")
}
