package pg_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/store/pg"
	"errand/store/storetest"
)

func open(t *testing.T, url string) *pg.DB {
	t.Helper()
	db, err := pg.Open(t.Context(), pg.Options{URL: url, Clock: time.Now, Connections: pg.MinConnections})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

func show(t *testing.T, db *pg.DB, setting string) (value string) {
	t.Helper()
	require.NoError(t, db.Main.QueryRow(t.Context(), "SHOW "+setting).Scan(&value))
	return value
}

// TestPrepareRole checks that a role gets the settings that it lacks, that chosen values stay, and that refused settings are named.
func TestPrepareRole(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	db := open(t, url)
	wanted := map[string]string{"enable_tidscan": "off"}
	t.Cleanup(func() {
		const reset = `DO $$ BEGIN EXECUTE format('ALTER ROLE %I IN DATABASE %I RESET ALL', session_user, current_database()); END $$`
		conn, err := pgx.Connect(context.Background(), url)
		require.NoError(t, err)
		_, err = conn.Exec(context.Background(), reset)
		require.NoError(t, errors.Join(err, conn.Close(context.Background())))
	})

	err := db.PrepareRoleWith(t.Context(), map[string]string{"enable_tidscan": "perhaps"})
	require.ErrorContains(t, err, "Boolean")
	require.ErrorContains(t, err, `ALTER ROLE errand IN DATABASE `)
	require.ErrorContains(t, err, ` SET enable_tidscan = 'perhaps'`)

	require.Equal(t, "on", show(t, db, "enable_tidscan"))
	require.NoError(t, db.PrepareRoleWith(t.Context(), wanted))
	require.Equal(t, "off", show(t, db, "enable_tidscan"), "the connections are made again")
	require.NoError(t, db.PrepareRoleWith(t.Context(), map[string]string{"enable_tidscan": "on"}))
	require.Equal(t, "off", show(t, db, "enable_tidscan"), "settings of the role stay")
}

// TestNothingIsSetForASession looks at the connections after each kind of use.
func TestNothingIsSetForASession(t *testing.T) {
	t.Parallel()
	db := open(t, storetest.NewURL(t))
	require.NoError(t, db.InTx(t.Context(), func(tx *pg.Tx) error { return tx.FindByKey(t.Context()) }))
	require.NoError(t, db.InWriterTx(t.Context(), func(tx *pg.Tx) error { return tx.WaitShortly(t.Context()) }))
	pinned := &pgx.Batch{}
	pinned.Queue("SELECT 1")
	require.NoError(t, db.Writer.SendBatch(t.Context(), pinned).Close())

	const setForSession = `SELECT name FROM pg_settings WHERE source = 'session'`
	type setting struct{ Name string }
	for _, pool := range append(db.WriterPools(), db.Main) {
		for range pool.Config().MaxConns {
			found, err := pg.QueryMany[setting](t.Context(), pool, setForSession, pg.Args{})
			require.NoError(t, err)
			require.Empty(t, found)
		}
	}
	type mode struct{ Mode string }
	pinnedMode, err := pg.QueryOne[mode](t.Context(), db.Writer, `SELECT current_setting('plan_cache_mode') AS mode`, pg.Args{})
	require.NoError(t, err)
	require.Equal(t, "force_generic_plan", pinnedMode.Mode)
}

// TestFailedQueriesKeepNoConnection lets more statements of the writer fail than it has connections.
func TestFailedQueriesKeepNoConnection(t *testing.T) {
	t.Parallel()
	for _, isOurs := range []bool{false, true} {
		db, err := pg.Open(t.Context(), pg.Options{URL: storetest.NewURL(t), Clock: time.Now, OwnsPostgres: isOurs})
		require.NoError(t, err)
		for range 3 {
			_, err := db.Writer.Query(t.Context(), "SELECT nothing FROM nowhere")
			require.ErrorContains(t, err, "nowhere")
			require.Zero(t, db.Pools()["events"].AcquiredConns())
		}
		db.Close() // not as a clean-up: it waits for connections in use
	}
}
