package jobs_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/jobs"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The bounds of waiting in tests, and the pauses between looks.
const (
	atMost = 30 * time.Second
	often  = 20 * time.Millisecond
)

const shop = 1_000_000_001

// startQueue works on the jobs of a database like one more server, until the test ends.
func startQueue(t *testing.T, url string) *river.Client[pgx.Tx] {
	t.Helper()
	client, err := jobs.StartQueue(context.Background(), jobs.Options{
		Store: storetest.Open(t, url, time.Now), Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Stop(context.Background())) })
	return client
}

// deletedLongAgo makes a deleted project whose rows are due for deletion.
func deletedLongAgo(t *testing.T, url string, id int64, name string) {
	t.Helper()
	s := storetest.Open(t, url, func() time.Time { return time.Now().Add(-time.Hour) })
	_, err := s.CreateProject(t.Context(), core.NewBootstrapActor(), store.NewProject{ID: id, Name: name, PublicKey: name})
	require.NoError(t, err)
	_, err = s.CarryOut(t.Context(), core.NewBootstrapActor(), store.DeleteProject{ID: id})
	require.NoError(t, err)
}

const unpurged = `SELECT count(*) FROM projects WHERE purged_at IS NULL`

func TestJobsAreDone(t *testing.T) {
	t.Parallel()
	url := storetest.NewEmptyURL(t)
	s := storetest.Open(t, url, time.Now)
	require.NoError(t, s.Migrate(t.Context(), slog.New(slog.DiscardHandler)))
	deletedLongAgo(t, url, shop, "Shop")
	startQueue(t, url)
	require.Eventually(t, func() bool {
		const partitions = `SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass`
		const done = `SELECT count(DISTINCT kind) FROM river_job WHERE state = 'completed'`
		return storetest.ReadCell[int](t, s, partitions) == 1+intake.PartitionsAhead && storetest.ReadCell[int](t, s, unpurged) == 0 &&
			storetest.ReadCell[int](t, s, done) == len(jobs.Options{Store: s}.Names())
	}, atMost, often)
	require.Zero(t, storetest.ReadCell[int](t, s, `SELECT count(*) FROM river_job WHERE state IN ('discarded', 'retryable')`))
}

func TestOneServerAtATime(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	s := storetest.Open(t, url, time.Now)
	for range 3 {
		startQueue(t, url)
	}
	hourly := `SELECT count(*) FROM river_job WHERE kind = ANY ('{make_partitions,drop_expired}')`
	require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, hourly+` AND state = 'completed'`) == 2 }, atMost, often)
	require.Equal(t, 2, storetest.ReadCell[int](t, s, hourly), "no server has put its own in")
	require.Equal(t, 1, storetest.ReadCell[int](t, s, `SELECT count(*) FROM river_leader`))
	require.Zero(t, storetest.ReadCell[int](t, s,
		`SELECT count(*) FROM (SELECT kind FROM river_job WHERE state = 'running' GROUP BY kind HAVING count(*) > 1) twice`))
}

// TestJobOfADeadServerRunsAgain finds a job that runs on a server which is gone, and blocks the next one.
func TestJobOfADeadServerRunsAgain(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	s := storetest.Open(t, url, time.Now)
	first := startQueue(t, url)
	const purge = `SELECT count(*) FROM river_job WHERE kind = 'purge_projects'`
	require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, purge+` AND state = 'completed'`) > 0 }, atMost, often)
	require.NoError(t, first.Stop(t.Context()))
	lost := storetest.ReadCell[int](t, s, `
		UPDATE river_job SET state = 'running', finalized_at = NULL, attempted_at = now() - interval '5 minutes'
		WHERE id = (SELECT max(id) FROM river_job WHERE kind = 'purge_projects') RETURNING id::int`)
	deletedLongAgo(t, url, shop, "Shop")

	startQueue(t, url)
	require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, unpurged) == 0 }, atMost, often)
	require.Equal(t, 1, storetest.ReadCell[int](t, s, `SELECT count(*) FROM river_job WHERE id = $1 AND state = 'discarded'`, lost))
}

func TestQueueDoesNotPileUp(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	s := storetest.Open(t, url, time.Now)
	const old = `SELECT count(*) FROM river_job WHERE kind LIKE 'old_%'`
	require.Equal(t, 3, storetest.ReadCell[int](t, s, `WITH added AS (
		INSERT INTO river_job (kind, args, state, finalized_at, max_attempts) VALUES
			('old_completed', '{}', 'completed', now() - interval '6 minutes', 1),
			('old_cancelled', '{}', 'cancelled', now() - interval '6 minutes', 1),
			('old_discarded', '{}', 'discarded', now() - interval '61 minutes', 1) RETURNING 1)
		SELECT count(*) FROM added`))
	startQueue(t, url)
	require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, old) == 0 }, atMost, often)
}

func TestStartSaysThatTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	_, err := jobs.StartQueue(t.Context(), jobs.Options{
		Store: storetest.Open(t, "postgres:///errand?host="+t.TempDir()+"&user=errand", time.Now), Log: slog.New(slog.DiscardHandler),
	})
	require.ErrorContains(t, err, "jobs")
}

// TestRunStartsWhenTheDatabaseLetsIt hides a table of the queue at first.
func TestRunStartsWhenTheDatabaseLetsIt(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	s, conn := storetest.Open(t, url, time.Now), storetest.ConnectTo(t, url)
	_, err := conn.Exec(t.Context(), `ALTER TABLE river_queue RENAME TO elsewhere`)
	require.NoError(t, err)
	var log logtext.Text
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- jobs.Run(ctx, jobs.Options{Store: s, Log: log.NewLogger()}) }()
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "jobs do not run yet on this server") }, atMost, often)

	_, err = conn.Exec(t.Context(), `ALTER TABLE elsewhere RENAME TO river_queue`)
	require.NoError(t, err)
	const done = `SELECT count(*) FROM river_job WHERE kind = 'make_partitions' AND state = 'completed'`
	require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, done) > 0 }, atMost, often)
	cancel()
	require.NoError(t, <-ended)
}

// TestLongJobsStartLater lets the database refuse the queue of long jobs at first.
func TestLongJobsStartLater(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	s := storetest.Open(t, url, time.Now)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.Background())) })
	_, err = conn.Exec(t.Context(), `ALTER TABLE river_queue ADD CONSTRAINT refused CHECK (name <> 'long')`)
	require.NoError(t, err)
	var log logtext.Text
	client, err := jobs.StartQueue(context.Background(), jobs.Options{Store: s, Log: log.NewLogger()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Stop(context.Background())) })
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "long jobs do not run yet") }, atMost, often)

	_, err = conn.Exec(t.Context(), `ALTER TABLE river_queue DROP CONSTRAINT refused`)
	require.NoError(t, err)
	const long = `SELECT count(*) FROM river_job WHERE kind = 'drop_expired' AND state = 'completed'`
	require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, long) > 0 }, atMost, often)
}
