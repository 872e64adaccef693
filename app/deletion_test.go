package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// TestDeletionGoesOnAfterARestart stops a server while it deletes a project's rows.
func TestDeletionGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := startServer(t, configWithJobs(databaseURL))
	key := s.makeProject(t)
	s.sendEvent(t, key)
	conn := openConnection(t, databaseURL)
	count := func(sql string) (n int) {
		require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&n))
		return n
	}
	run := func(sql string) {
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	require.Equal(t, http.StatusNoContent, s.sendRequest(t.Context(), http.MethodDelete, "/v1/projects/web-shop", "", nil).status)
	require.Equal(t, http.StatusNotFound, s.sendRequest(t.Context(), http.MethodGet, "/v1/issues?project=web-shop", "", nil).status)

	lock, err := openConnection(t, databaseURL).Begin(t.Context())
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), `LOCK TABLE issues IN SHARE MODE`) // tables earlier in the alphabet are emptied first
	require.NoError(t, err)
	run(`UPDATE projects SET deleted_at = deleted_at - interval '1 hour'`)
	require.Eventually(t, func() bool { return count(waitsForIssues) > 0 }, atMost, every)
	require.Zero(t, count(`SELECT count(*) FROM event_ids`))
	s.stopServer(t)
	require.Equal(t, 1, count(`SELECT count(*) FROM issues`))
	require.Zero(t, count(`SELECT count(*) FROM projects WHERE purged_at IS NOT NULL`))
	require.Zero(t, count(`SELECT count(*) FROM river_job WHERE state = 'running'`), "the job that was cut off can be taken again")

	s = startServer(t, configWithJobs(databaseURL))
	require.NoError(t, lock.Rollback(t.Context()))
	require.Eventually(t, func() bool { return count(`SELECT count(*) FROM projects WHERE purged_at IS NOT NULL`) == 1 }, atMost, every)
	require.Zero(t, count(`SELECT count(*) FROM issues`))
	require.NotContains(t, s.log.String(), `"level":"ERROR"`)
}
