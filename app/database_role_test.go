package app_test

import (
	"context"
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
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	database := strings.TrimPrefix(u.Path, "/")
	role := "few_" + database
	admin := storetest.ConnectTo(t, databaseURL)
	run := func(statements ...string) {
		t.Helper()
		for _, sql := range statements {
			_, err := admin.Exec(context.WithoutCancel(t.Context()), sql)
			require.NoError(t, err, sql)
		}
	}
	run(fmt.Sprintf(`CREATE ROLE %s LOGIN`, role),
		fmt.Sprintf(`REVOKE ALL ON DATABASE %s FROM PUBLIC`, database),
		fmt.Sprintf(`GRANT CONNECT ON DATABASE %s TO %s`, database, role),
		fmt.Sprintf(`GRANT USAGE, CREATE ON SCHEMA public TO %s`, role))
	t.Cleanup(func() {
		run(fmt.Sprintf(`DROP OWNED BY %s`, role), fmt.Sprintf(`DROP ROLE %s`, role))
	})
	u.User = url.User(role)
	config := configWithJobs(u.String())
	config.MetricsAddr = "127.0.0.1:0"
	s := startServer(t, config)

	s.sendEvent(t, s.makeProject(t))

	require.NotContains(t, s.log.String(), `"level":"WARN"`, "nothing is missing")
	require.Contains(t, s.log.String(), `"level":"INFO"`)
	require.NotContains(t, s.operatorGet(t, "/metrics").body, "errand_wal_bytes")
	require.Contains(t, s.operatorGet(t, "/metrics").body, "errand_database_bytes")
}
