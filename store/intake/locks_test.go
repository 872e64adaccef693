package intake_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/intake"
	"errand/store/storetest"
)

// startDump reads like pg_dump: it keeps every table locked against changes until it ends.
func startDump(t *testing.T, url string) (end func()) {
	t.Helper()
	conn := storetest.ConnectTo(t, url)
	_, err := conn.Exec(t.Context(), `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
		LOCK TABLE events, issues, projects IN ACCESS SHARE MODE`)
	require.NoError(t, err)
	return func() {
		_, err := conn.Exec(context.Background(), `ROLLBACK`)
		require.NoError(t, err)
	}
}

func TestPartitionsAreMadeDuringADump(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	s := storetest.Open(t, url, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	storetest.MakeIssue(t, s, "pay")
	startDump(t, url)

	c.Now = storetest.Noon.AddDate(0, 0, 30)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	require.NoError(t, s.Intake.MakePartitions(ctx))
	_, err := s.Intake.AddEvents(ctx, []intake.NewEvent{storetest.MakeShopEvent("pay", 2, c.At(0))})
	require.NoError(t, err)
}

func TestPartitionIsLikeTheOthers(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	s := storetest.Open(t, storetest.NewURL(t), c.Tell)
	require.NoError(t, s.Intake.MakePartitions(t.Context()))

	missing := storetest.ReadCell[int64](t, s, `
		SELECT count(*) FROM pg_inherits i CROSS JOIN pg_index parent
		WHERE i.inhparent = 'events'::regclass AND parent.indrelid = i.inhparent AND NOT EXISTS (
			SELECT FROM pg_inherits index JOIN pg_index child ON child.indexrelid = index.inhrelid
			WHERE index.inhparent = parent.indexrelid AND child.indrelid = i.inhrelid)`)

	require.Zero(t, missing, "every partition has every index")
	require.Positive(t, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass`))
}

// A day that cannot be dropped yet is emptied as soon as its own lock is free, and dropped the next time.
func TestExpiredDayIsDroppedAfterADump(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	s := storetest.Open(t, url, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	issue := storetest.MakeIssue(t, s, "pay")
	c.Now = storetest.Noon.AddDate(0, 0, 3)
	end := startDump(t, url)

	dropped := make(chan error, 1)
	go func() {
		_, err := s.Intake.DropExpired(t.Context(), 1)
		dropped <- err
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for n := range 50 { // events keep arriving while it waits
		_, err := s.Intake.AddEvents(ctx, []intake.NewEvent{storetest.MakeShopEvent("pay", 10+n, c.At(0))})
		require.NoError(t, err)
	}
	end()

	if err := <-dropped; err != nil {
		storetest.DropExpired(t, s, 1)
	}
	found, err := s.ReadIssue(t.Context(), issue)
	require.NoError(t, err)
	require.EqualValues(t, 50, found.StoredEvents)
}

// TestHotRowsAreTakenLast makes a batch wait for the name of an environment. The rows that all batches of the project write
// to must be free until then.
func TestHotRowsAreTakenLast(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	s := storetest.Open(t, url, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	id := storetest.MakeIssue(t, s, "pay")
	other := storetest.ConnectTo(t, url)
	_, err := other.Exec(t.Context(), `BEGIN`)
	require.NoError(t, err)
	_, err = other.Exec(t.Context(), `INSERT INTO issue_environments (project_id, environment, issue_id) VALUES ($1, 'staging', $2)`,
		int64(storetest.Shop), id)
	require.NoError(t, err)

	added := make(chan error, 1)
	go func() {
		e := storetest.MakeShopEvent("pay", 2, c.At(0))
		e.Environment = "staging"
		_, err := s.Intake.AddEvents(context.WithoutCancel(t.Context()), []intake.NewEvent{e})
		added <- err
	}()
	storetest.WaitUntilLocked(t, s)
	for _, table := range []string{"project_hours", "project_seen"} {
		_, err := other.Exec(t.Context(), `SELECT FROM `+table+` WHERE project_id = $1 FOR UPDATE NOWAIT`, int64(storetest.Shop))
		require.NoError(t, err, table)
	}
	_, err = other.Exec(t.Context(), `ROLLBACK`)
	require.NoError(t, err)
	require.NoError(t, <-added)
}

// Postgres has no timeout for a server that freezes in the middle of statements that it sends together.
func TestServerFrozenInTheMiddleOfABatchHoldsUpOthersForSeconds(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	s := storetest.Open(t, url, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	id := storetest.MakeIssue(t, s, "pay")
	frozen := storetest.ConnectTo(t, url).PgConn().StartPipeline(t.Context())
	frozen.SendQueryParams(`SELECT FROM issues WHERE id = $1 FOR UPDATE`, [][]byte{[]byte(strconv.FormatInt(id, 10))}, nil, nil, nil)
	frozen.SendFlushRequest()
	require.NoError(t, frozen.Flush())
	_, err := frozen.GetResults()
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, err = s.Intake.AddEvents(ctx, []intake.NewEvent{storetest.MakeShopEvent("pay", 2, c.At(0))})

	require.NoError(t, err)
	require.Error(t, frozen.Close(), "its connection was ended, and nothing of it is committed")
}
