//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestFaultTwoSettings lets a server with settings take events in, and then one without them on the same database.
// The second one keeps and holds what the first one does. The settings of a third one then apply to all.
func TestFaultTwoSettings(t *testing.T) {
	t.Parallel()
	const events, old, days = 405, 202, 200
	database := newDatabase(t)
	first := startServerOn(t, newDir(t), "DATABASE_URL="+database, "RETENTION_DAYS=400", "REQUIRE_APPROVAL=ignore",
		"STORED_EVENTS_PER_ISSUE=1000000")
	text, slug := first.makeProject("Shop")
	key := parseDSN(t, text).key
	send := func(s *server, from, to int) (taken int) {
		for n := from; n < to; n++ {
			body := fmt.Sprintf(`{"message":"of kind %d","fingerprint":["%[1]d"]}`, n%5)
			if s.callAPI("", "POST", "/v1/ingest?key="+key, body, nil) == http.StatusOK {
				taken++
			}
		}
		return taken
	}
	taken := send(first, 0, old)
	moveDaysBack(t, database, days)
	second := startServerOn(t, newDir(t), "DATABASE_URL="+database)
	taken += send(second, old, events)
	first.stopServer() // from now on the second one deletes what is too old
	refused := second.ignoreAll(slug)
	waitForJob(t, database, "drop_expired")
	report := func(of string, want int) {
		stored, counted := countEvents(t, database)
		t.Logf("%s: %d taken, %d stored, %d counted; ignoring of 5 issues refused until a second admin approves: %d", of, taken, stored,
			counted, refused)
		require.Equal(t, events, taken)
		require.Equal(t, want, stored)
		require.Equal(t, events, counted)
	}
	report("a server without settings beside one that keeps 400 days", events)
	require.Equal(t, 5, refused)

	third := startServerOn(t, newDir(t), "DATABASE_URL="+database, "RETENTION_DAYS=100", "REQUIRE_APPROVAL=none")
	second.stopServer()
	refused = third.ignoreAll(slug)
	waitForJob(t, database, "drop_expired")
	report("a server that keeps 100 days", events-old)
	require.Zero(t, refused)
	third.stopServer()
	require.Contains(t, third.log.String(), `"setting":"RETENTION_DAYS","old":"400","new":"100"`)
	require.Contains(t, second.log.String()+third.log.String(), fmt.Sprintf(`"events":%d`, old))
}

// ignoreAll ignores a project's issues and returns how often it was held for approval.
func (s *server) ignoreAll(slug string) (held int) {
	s.t.Helper()
	var list struct{ Data []struct{ ID int64 } }
	require.Equal(s.t, http.StatusOK, s.callAPI(adminToken, "GET", "/v1/issues?project="+slug, "", &list))
	for _, issue := range list.Data {
		if s.callAPI(adminToken, "POST", fmt.Sprintf("/v1/issues/%d/ignore", issue.ID), "", nil) == http.StatusAccepted {
			held++
		}
	}
	return held
}

// moveDaysBack moves all stored events some days back.
func moveDaysBack(t *testing.T, database string, days int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -days)
	_, err = conn.Exec(t.Context(), fmt.Sprintf(`CREATE TABLE events_%s PARTITION OF events FOR VALUES FROM ('%s') TO ('%s')`,
		day.Format("20060102"), day.Format(time.RFC3339), day.AddDate(0, 0, 1).Format(time.RFC3339)))
	require.NoError(t, err)
	for _, table := range []string{"events", "event_ids"} {
		_, err := conn.Exec(t.Context(), `UPDATE `+table+` SET received_at = $1`, day)
		require.NoError(t, err)
	}
}

// waitForJob waits until a new job is done.
func waitForJob(t *testing.T, database, kind string) {
	t.Helper()
	require.Equal(t, "completed", runJob(t, database, kind))
}

// runJob waits until a new job is done or has failed, and returns its state.
func runJob(t *testing.T, database, kind string) (state string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var id int64
	require.NoError(t, conn.QueryRow(t.Context(), `INSERT INTO river_job (kind, args, max_attempts, state, queue, scheduled_at)
		VALUES ($1, '{}', 1, 'available', 'default', now()) RETURNING id`, kind).Scan(&id))
	require.Eventually(t, func() bool {
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT state FROM river_job WHERE id = $1`, id).Scan(&state))
		return state == "completed" || state == "discarded"
	}, 30*time.Second, 100*time.Millisecond)
	return state
}

// countEvents returns how many events are stored and how many are counted.
func countEvents(t *testing.T, database string) (stored, counted int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM events), (SELECT sum(times_seen) FROM issues)`).
		Scan(&stored, &counted))
	return stored, counted
}
