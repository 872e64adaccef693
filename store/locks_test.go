package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store"
	"errand/store/storetest"
)

// dump reads as pg_dump does: it keeps every table locked against changes until it ends.
func dump(t *testing.T, url string) (end func()) {
	t.Helper()
	conn := connect(t, url)
	_, err := conn.Exec(t.Context(), `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE events, issues, projects IN ACCESS SHARE MODE`)
	require.NoError(t, err)
	return func() {
		_, err := conn.Exec(context.Background(), `ROLLBACK`)
		require.NoError(t, err)
	}
}

func TestPartitionsAreMadeDuringADump(t *testing.T) {
	t.Parallel()
	c, url := &clock{noon}, storetest.URL(t)
	s := storetest.Open(t, url, c.tell)
	makeProject(t, s, shop, "Shop")
	makeIssue(t, s, "pay")
	dump(t, url)

	c.now = noon.AddDate(0, 0, 30)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	require.NoError(t, s.MakePartitions(ctx))
	_, err := s.AddEvents(ctx, []store.NewEvent{event(shop, "pay", 2, c.at(0))})
	require.NoError(t, err)
}

func TestPartitionIsLikeTheOthers(t *testing.T) {
	t.Parallel()
	c := &clock{noon}
	s := storetest.Open(t, storetest.URL(t), c.tell)
	require.NoError(t, s.MakePartitions(t.Context()))

	missing := cell[int64](t, s, `
		SELECT count(*) FROM pg_inherits i CROSS JOIN pg_index parent
		WHERE i.inhparent = 'events'::regclass AND parent.indrelid = i.inhparent AND NOT EXISTS (
			SELECT FROM pg_inherits index JOIN pg_index child ON child.indexrelid = index.inhrelid
			WHERE index.inhparent = parent.indexrelid AND child.indrelid = i.inhrelid)`)

	require.Zero(t, missing, "every partition has every index")
	require.Positive(t, cell[int64](t, s, `SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass`))
}

// A day that cannot be dropped yet is emptied as soon as its own lock is free, and dropped the next time.
func TestExpiredDayIsDroppedAfterADump(t *testing.T) {
	t.Parallel()
	c, url := &clock{noon}, storetest.URL(t)
	s := storetest.Open(t, url, c.tell)
	makeProject(t, s, shop, "Shop")
	issue := makeIssue(t, s, "pay")
	c.now = noon.AddDate(0, 0, 3)
	end := dump(t, url)

	dropped := make(chan error, 1)
	go func() {
		_, err := s.DropExpired(t.Context(), 1)
		dropped <- err
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for n := range 50 { // events go on coming in while it waits
		_, err := s.AddEvents(ctx, []store.NewEvent{event(shop, "pay", 10+n, c.at(0))})
		require.NoError(t, err)
	}
	end()

	if err := <-dropped; err != nil {
		dropExpired(t, s, 1)
	}
	found, err := s.Issue(t.Context(), issue)
	require.NoError(t, err)
	require.EqualValues(t, 50, found.StoredEvents)
}

// Whoever waits for a lock has everybody else wait behind it.
func TestMigrationsWaitForALockInSmallSteps(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1s", storetest.New(t).LockTimeoutOfMigrations(t))
}

func TestConnectionsEndWhatAFrozenServerHolds(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	for pool, got := range s.ShowOnEachPool(t, "idle_in_transaction_session_timeout") {
		require.Equal(t, "2s", got, pool)
	}
}

// TestHotRowsAreTakenLast has a batch wait for the name of an environment: the rows that all batches of the project write to
// are free until then.
func TestHotRowsAreTakenLast(t *testing.T) {
	t.Parallel()
	c, url := &clock{noon}, storetest.URL(t)
	s := storetest.Open(t, url, c.tell)
	makeProject(t, s, shop, "Shop")
	id := makeIssue(t, s, "pay")
	other := connect(t, url)
	_, err := other.Exec(t.Context(), `BEGIN`)
	require.NoError(t, err)
	_, err = other.Exec(t.Context(), `INSERT INTO issue_environments (project_id, environment, issue_id) VALUES ($1, 'staging', $2)`, int64(shop), id)
	require.NoError(t, err)

	added := make(chan error, 1)
	go func() {
		e := event(shop, "pay", 2, c.at(0))
		e.Environment = "staging"
		_, err := s.AddEvents(context.WithoutCancel(t.Context()), []store.NewEvent{e})
		added <- err
	}()
	untilLocked(t, s)
	for _, table := range []string{"project_hours", "project_seen"} {
		_, err := other.Exec(t.Context(), `SELECT FROM `+table+` WHERE project_id = $1 FOR UPDATE NOWAIT`, int64(shop))
		require.NoError(t, err, table)
	}
	_, err = other.Exec(t.Context(), `ROLLBACK`)
	require.NoError(t, err)
	require.NoError(t, <-added)
}
