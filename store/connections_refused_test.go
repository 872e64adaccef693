package store_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

func TestReadOnlyDatabaseIsUnavailableUntilItIsWritable(t *testing.T) {
	t.Parallel()
	c, databaseURL := storetest.NewClock(), storetest.NewURL(t)
	s := storetest.Open(t, databaseURL, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	storetest.MakeIssue(t, s, "pay")
	require.NoError(t, s.CheckWrites(t.Context()))
	setReadOnly := setDatabase(t, databaseURL, "default_transaction_read_only")

	setReadOnly("on") // for new connections
	s.MakeReadOnly(t) // and for existing ones, as after a failover
	batch := []intake.NewEvent{storetest.MakeShopEvent("pay", 2, c.At(0))}
	_, err := s.Intake.AddEvents(t.Context(), batch)
	require.Equal(t, core.Unavailable, core.AsError(err).Code, "%v", err)
	err = s.CheckWrites(t.Context())
	require.Equal(t, core.Unavailable, core.AsError(err).Code, "%v", err)
	_, err = s.Intake.AddEvents(t.Context(), batch)
	require.ErrorContains(t, err, "read only", "a connection that said so is not used again, and no new one is taken")

	setReadOnly("off")
	_, err = s.Intake.AddEvents(t.Context(), batch)
	require.NoError(t, err)
	require.NoError(t, s.CheckWrites(t.Context()))
}

// setDatabase returns a function that sets a setting of the database for new connections. It is reset at the end of the test.
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
	c, databaseURL := storetest.NewClock(), storetest.NewURL(t)
	s, err := store.Open(t.Context(), store.Options{URL: databaseURL, Clock: c.Tell, Connections: store.MinConnections})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	require.NoError(t, s.ConnectWriter(t.Context()))
	storetest.MakeProject(t, s, storetest.Shop, "Shop")

	storetest.RequireNoErrors(t, storetest.RunTogether(20, func(i int) error {
		for n := range 5 {
			if _, err := s.Intake.AddEvents(t.Context(), []intake.NewEvent{storetest.MakeShopEvent("pay", 10*i+n, c.At(0))}); err != nil {
				return err
			}
			if _, err := s.ListIssues(t.Context(), store.IssueFilter{Paging: core.Paging{Limit: 5}}); err != nil {
				return err
			}
		}
		return nil
	}))

	other := storetest.Open(t, databaseURL, c.Tell)
	connections := storetest.ReadCell[int64](t, other, `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'errand' AND pid <> pg_backend_pid()`)
	require.LessOrEqual(t, connections, int64(store.MinConnections))
}
