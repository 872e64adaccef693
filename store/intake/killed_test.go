package intake_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// newKiller returns a function that ends all connections to a database except its own, and returns their number.
func newKiller(t *testing.T, url string) func() int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return func() (killed int) {
		err := conn.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`).Scan(&killed)
		require.NoError(t, err)
		return killed
	}
}

// TestKilledConnections ends all connections of a server from outside, between its calls and during them. A call works or
// says unavailable, and the server recovers by itself.
func TestKilledConnections(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	s := storetest.Open(t, url, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	id := storetest.MakeIssue(t, s, "pay")
	kill := newKiller(t, url)
	n := 100
	calls := map[string]func() error{
		"AddEvents": func() error {
			n++
			_, err := s.Intake.AddEvents(t.Context(), []intake.NewEvent{storetest.MakeShopEvent("pay", n, c.At(0))})
			return err
		},
		"AddEvents of a new issue": func() error {
			n++
			s.Intake.Forget()
			_, err := s.Intake.AddEvents(t.Context(), []intake.NewEvent{storetest.MakeShopEvent("pay", n, c.At(0))})
			return err
		},
		"Issue": func() error { _, err := s.ReadIssue(t.Context(), id); return err },
		"Issues": func() error {
			_, err := s.ListIssues(t.Context(), store.IssueFilter{Paging: core.Paging{Limit: 5}})
			return err
		},
		"Claim":       func() error { _, err := s.ClaimIssue(t.Context(), storetest.MakeActor(1), id, 5); return err },
		"AddNote":     func() error { _, err := s.AddNote(t.Context(), storetest.MakeActor(1), id, "hi"); return err },
		"Tokens":      func() error { _, err := s.ListTokens(t.Context()); return err },
		"CheckSchema": func() error { return s.CheckSchema(t.Context()) },
		"takes ids":   func() error { _, err := s.Intake.TakeEventIDs(t.Context(), 2000); return err },
	}
	for name, call := range calls {
		requireRecovery(t, name, call)
		for n := 0; kill() > 0; n++ { // until all are gone
			require.Less(t, n, 10_000)
		}
		requireRecovery(t, name, call)
	}

	killDuringCalls(t, kill, calls)
	for name, call := range calls {
		requireRecovery(t, name, call)
	}
}

// killDuringCalls ends connections while calls are running. A call that fails must say unavailable.
func killDuringCalls(t *testing.T, kill func() int, calls map[string]func() error) {
	t.Helper()
	stop := make(chan struct{})
	done := make(chan []error, 1)
	go func() {
		storm := []string{"Issue", "Claim", "Issues", "CheckSchema"}
		done <- storetest.RunTogether(len(storm), func(i int) error {
			for {
				select {
				case <-stop:
					return nil
				default:
				}
				if err := calls[storm[i]](); err != nil && !core.HasCode(err, core.Unavailable) {
					return fmt.Errorf("%s: %w", storm[i], err)
				}
			}
		})
	}()
	for range 50 {
		kill()
	}
	close(stop)
	storetest.RequireNoErrors(t, <-done)
}

// requireRecovery makes the call until it works: each dead connection of the pool may cost one unavailable.
func requireRecovery(t *testing.T, name string, call func() error) {
	t.Helper()
	var err error
	for range 20 {
		if err = call(); err == nil {
			return
		}
		require.Equal(t, core.Unavailable, core.AsError(err).Code, "%s: %v", name, err)
	}
	require.NoError(t, err, name)
}

// TestEventsCountOnceThroughKilledConnections gives each batch again until it is added, while connections are ended.
func TestEventsCountOnceThroughKilledConnections(t *testing.T) {
	t.Parallel()
	const writers, batches, size, kills = 2, 40, 6, 60
	c, url := storetest.NewClock(), storetest.NewURL(t)
	s := storetest.Open(t, url, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	kill := newKiller(t, url)
	done := make(chan []error, 1)
	go func() {
		done <- storetest.RunTogether(writers, func(w int) error {
			for b := range batches {
				var batch []intake.NewEvent
				for n := range size {
					batch = append(batch, storetest.MakeShopEvent(fmt.Sprint("group ", (b+n)%20), (w*batches+b)*size+n, c.At(0)))
				}
				_, err := s.Intake.AddEvents(t.Context(), batch)
				for try := 0; core.HasCode(err, core.Unavailable) && try < 500; try++ {
					_, err = s.Intake.AddEvents(t.Context(), batch)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}()
	killed := 0
	for range kills {
		killed += kill()
	}
	storetest.RequireNoErrors(t, <-done)
	require.Positive(t, killed)
	requireRecovery(t, "CheckServer", func() error { return s.CheckServer(t.Context()) })
	for _, sql := range []string{`SELECT sum(times_seen) FROM issues`, `SELECT sum(events) FROM issue_hours`, `SELECT count(*) FROM events`} {
		require.EqualValues(t, writers*batches*size, storetest.ReadCell[int64](t, s, `SELECT (`+sql+`)::bigint`), sql)
	}
}
