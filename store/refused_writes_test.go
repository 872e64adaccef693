package store_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// What a database that answers may say instead of taking a write, all of which is over after a while.
func TestRefusedWritesAreUnavailable(t *testing.T) {
	t.Parallel()
	for state, unavailable := range map[string]bool{
		"25006": true, "25P03": true, "53000": true, "53100": true, "53200": true, "53300": true, "53400": true,
		"55P03": true, "57014": true, "57P01": true, "57P02": true, "57P03": true,
		"22P02": false, "23505": false, "40001": false, "42P01": false, "XX000": false,
	} {
		err := store.Wrap(&pgconn.PgError{Code: state, Severity: "ERROR"})
		require.Equal(t, unavailable, core.HasCode(err, core.Unavailable), state)
	}
}

func TestReadOnlyDatabaseIsUnavailableUntilItIsWritable(t *testing.T) {
	t.Parallel()
	c, databaseURL := &clock{noon}, storetest.URL(t)
	s := storetest.Open(t, databaseURL, c.tell)
	makeProject(t, s, shop, "Shop")
	makeIssue(t, s, "pay")
	require.NoError(t, s.CheckWrites(t.Context()))
	setReadOnly := setDatabase(t, databaseURL, "default_transaction_read_only")

	setReadOnly("on") // for new connections
	s.MakeReadOnly(t) // and for those that are there, as after a failover
	batch := []store.NewEvent{event(shop, "pay", 2, c.at(0))}
	_, err := s.AddEvents(t.Context(), batch)
	require.Equal(t, core.Unavailable, core.AsError(err).Code, "%v", err)
	err = s.CheckWrites(t.Context())
	require.Equal(t, core.Unavailable, core.AsError(err).Code, "%v", err)
	_, err = s.AddEvents(t.Context(), batch)
	require.ErrorContains(t, err, "read only", "a connection that said so is not used again, and no new one is taken")

	setReadOnly("off")
	_, err = s.AddEvents(t.Context(), batch)
	require.NoError(t, err)
	require.NoError(t, s.CheckWrites(t.Context()))
}

// setDatabase returns what sets a setting of the database for new connections. It is reset at the test's end.
func setDatabase(t *testing.T, databaseURL, setting string) (set func(value string)) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	conn, err := pgx.Connect(t.Context(), u.String())
	require.NoError(t, err)
	set = func(value string) {
		_, err := conn.Exec(context.Background(), "ALTER DATABASE "+name+" SET "+setting+" = "+value)
		require.NoError(t, err)
	}
	t.Cleanup(func() {
		_, err := conn.Exec(context.Background(), "ALTER DATABASE "+name+" RESET "+setting)
		require.NoError(t, err)
		_ = conn.Close(context.Background())
	})
	return set
}

func TestFewConnectionsAreEnough(t *testing.T) {
	t.Parallel()
	c, databaseURL := &clock{noon}, storetest.URL(t)
	s, err := store.Open(t.Context(), store.Options{URL: databaseURL, Clock: c.tell, Connections: store.MinConnections})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	require.NoError(t, s.ConnectWriter(t.Context()))
	makeProject(t, s, shop, "Shop")

	noErrors(t, together(20, func(i int) error {
		for n := range 5 {
			if _, err := s.AddEvents(t.Context(), []store.NewEvent{event(shop, "pay", 10*i+n, c.at(0))}); err != nil {
				return err
			}
			if _, err := s.Issues(t.Context(), store.IssueFilter{Paging: core.Paging{Limit: 5}}); err != nil {
				return err
			}
		}
		return nil
	}))

	other := storetest.Open(t, databaseURL, c.tell)
	connections := cell[int64](t, other, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'errand' AND pid <> pg_backend_pid()`)
	require.LessOrEqual(t, connections, int64(store.MinConnections))
}
