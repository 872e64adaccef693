package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/store"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// setAway takes the server's database away, with all connections, or brings it back.
func setAway(t *testing.T, databaseURL string, away bool) {
	t.Helper()
	name, other := splitDatabaseURL(t, databaseURL)
	conn := openConnection(t, other)
	defer conn.Close(t.Context())
	if !away {
		_, err := conn.Exec(t.Context(), "ALTER DATABASE "+name+" ALLOW_CONNECTIONS true")
		require.NoError(t, err)
		return
	}
	_, err := conn.Exec(t.Context(), "ALTER DATABASE "+name+" ALLOW_CONNECTIONS false")
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, name)
	require.NoError(t, err)
}

func TestReadyFollowsTheDatabase(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := startServer(t, configWithJobs(databaseURL))
	key := s.makeProject(t)
	s.sendEvent(t, key)
	get := func(path string) answer { return s.sendRequest(t.Context(), http.MethodGet, path, "", nil) }
	require.Equal(t, http.StatusOK, get("/readyz").status)

	setAway(t, databaseURL, true)
	require.Eventually(t, func() bool { return get("/readyz").status == http.StatusServiceUnavailable }, atMost, every)
	require.Equal(t, http.StatusOK, get("/healthz").status, "the process is up all the same")
	for _, path := range []string{"/readyz", "/v1/projects"} {
		got := get(path)
		require.Equal(t, http.StatusServiceUnavailable, got.status, "%s: %s", path, got.body)
		require.JSONEq(t, `{"error":"unavailable"}`, got.body, path)
		require.NotEmpty(t, got.header.Get("Retry-After"), path)
	}

	setAway(t, databaseURL, false)
	require.Eventually(t, func() bool { return get("/readyz").status == http.StatusOK }, atMost, every)
	// Each connection for reads that ended within the last second may cost one answer.
	require.Eventually(t, func() bool { return get("/v1/projects").status == http.StatusOK }, atMost, every)
	s.sendEvent(t, key)
}

func TestReadyNeedsTheSchema(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := startServer(t, configWithJobs(databaseURL))
	db, newest := openConnection(t, databaseURL), 0
	err := db.QueryRow(t.Context(),
		`DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version) RETURNING version_id`).Scan(&newest)
	require.NoError(t, err)
	untilReady(t, s, http.StatusServiceUnavailable)
	_, err = db.Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, true)`, newest)
	require.NoError(t, err)
	untilReady(t, s, http.StatusOK)
}

func TestMigrateOffRefusesAnOldSchema(t *testing.T) {
	t.Parallel()
	c := configWithJobs(storetest.NewEmptyURL(t))
	c.Migrate = "off"
	_, err := app.New(t.Context(), c, "0.0.0", (&logtext.Text{}).NewLogger())
	require.ErrorIs(t, err, store.ErrOldSchema)

	require.NoError(t, app.Migrate(t.Context(), &c, (&logtext.Text{}).NewLogger()))
	s := startServer(t, c)
	s.sendEvent(t, s.makeProject(t))
}

// untilReady waits until /readyz answers with the status: the result of a check counts for a second.
func untilReady(t *testing.T, s *server, status int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return s.sendRequest(t.Context(), http.MethodGet, "/readyz", "", nil).status == status
	}, atMost, every)
}
