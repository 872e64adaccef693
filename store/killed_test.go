package store_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// TestKilledConnections ends all connections of a server from outside, between its calls and during them: a call works
// or says unavailable, and the server recovers by itself.
func TestKilledConnections(t *testing.T) {
	t.Parallel()
	c, url := &clock{noon}, storetest.URL(t)
	s := storetest.Open(t, url, c.tell)
	makeProject(t, s, shop, "Shop")
	id := makeIssue(t, s, "pay")
	killer, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer killer.Close(t.Context())
	kill := func() (killed int) {
		err := killer.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`).Scan(&killed)
		require.NoError(t, err)
		return killed
	}
	n := 100
	calls := map[string]func() error{
		"AddEvents": func() error {
			n++
			_, err := s.AddEvents(t.Context(), []store.NewEvent{event(shop, "pay", n, c.at(0))})
			return err
		},
		"AddEvents of a new issue": func() error {
			n++
			s.Forget()
			_, err := s.AddEvents(t.Context(), []store.NewEvent{event(shop, "pay", n, c.at(0))})
			return err
		},
		"Issue": func() error { _, err := s.Issue(t.Context(), id); return err },
		"Issues": func() error {
			_, err := s.Issues(t.Context(), store.IssueFilter{Paging: core.Paging{Limit: 5}})
			return err
		},
		"Claim":         func() error { _, err := s.Claim(t.Context(), person(1), id, 5); return err },
		"AddNote":       func() error { _, err := s.AddNote(t.Context(), person(1), id, "hi"); return err },
		"Tokens":        func() error { _, err := s.Tokens(t.Context()); return err },
		"SchemaCurrent": func() error { return s.SchemaCurrent(t.Context()) },
		"takes ids":     func() error { _, err := s.TakeEventIDs(t.Context(), 2000); return err },
	}
	for name, call := range calls {
		recovers(t, name, call)
		for kill() > 0 { // until all are gone
		}
		recovers(t, name, call)
	}

	stop := make(chan struct{})
	done := make(chan []error)
	go func() {
		done <- together(4, func(int) error {
			for {
				select {
				case <-stop:
					return nil
				default:
				}
				if _, err := s.Claim(t.Context(), person(1), id, 5); err != nil && !core.HasCode(err, core.Unavailable) {
					return err
				}
			}
		})
	}()
	for range 20 {
		kill()
	}
	close(stop)
	noErrors(t, <-done)
	for name, call := range calls {
		recovers(t, name, call)
	}
}

// recovers makes the call until it works: each dead connection of the pool may cost one unavailable.
func recovers(t *testing.T, name string, call func() error) {
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
