package storetest_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// readValues returns the first column of a query on a database.
func readValues(t *testing.T, url, sql string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), sql)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return list
}

const tables = `SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') ORDER BY 1`

// rows counts the rows of all tables except the migration tools' own.
const rows = `SELECT c.relname || '=' || (xpath('/row/n/text()',
		query_to_xml('SELECT count(*) AS n FROM ' || c.oid::regclass, false, true, '')))[1]
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname NOT LIKE 'goose%'
		AND c.relname <> 'river_migration' ORDER BY 1`

// The tests of this package share the list of free databases and look at it, so they are not parallel.

func TestDatabaseGivenBackIsCleanForTheNextTest(t *testing.T) {
	var first string
	var clean, partitions []string
	t.Run("makes a mess", func(t *testing.T) {
		first = storetest.NewURL(t)
		clean, partitions = readValues(t, first, rows), readValues(t, first, tables)
		for _, table := range clean {
			require.Regexp(t, `=0$`, table)
		}
		lastYear := func() time.Time { return time.Now().AddDate(-1, 0, 0) }
		s := storetest.Open(t, first, lastYear)
		p, err := s.CreateProject(t.Context(), core.NewBootstrapActor(), store.NewProject{ID: 1_000_000_001, Name: "Shop", PublicKey: "key"})
		require.NoError(t, err)
		_, err = s.CreateToken(t.Context(), core.NewBootstrapActor(),
			store.NewToken{Name: "bound", Hash: []byte("x"), ProjectID: p.ID, Scopes: []core.Scope{core.Admin}})
		require.NoError(t, err)
		for _, at := range []core.Time{s.Now(), core.At(time.Now())} { // a partition that the test adds, and one of the template
			_, err = s.Intake.AddEvents(t.Context(), []intake.NewEvent{{ProjectID: p.ID, EventID: [16]byte{1, byte(at.Day())}, OccurredAt: at,
				ReceivedAt: at, Payload: intake.Payload{Bytes: []byte{}}}})
			require.NoError(t, err)
		}
		_, err = s.EnsureSecret(t.Context(), "users", []byte("x"))
		require.NoError(t, err)
		readValues(t, first, `CREATE TABLE scratch (id bigint)`)
		require.NotEqual(t, clean, readValues(t, first, rows))
		require.Len(t, readValues(t, first, tables), len(partitions)+3, "the partitions of a day and scratch")
	})
	next := storetest.NewURL(t)
	require.Equal(t, first, next, "it is used again")
	require.Equal(t, clean, readValues(t, next, rows))
	require.Equal(t, partitions, readValues(t, next, tables))
}

func TestDatabasesAreTheTestsAlone(t *testing.T) {
	a, b := storetest.NewURL(t), storetest.NewURL(t)
	require.NotEqual(t, a, b)
	readValues(t, a, `INSERT INTO id_blocks VALUES ('mine', 1)`)
	require.Empty(t, readValues(t, b, `SELECT name FROM id_blocks`))
}

func TestSessionsAreNotInUTC(t *testing.T) {
	require.Equal(t, []string{"Asia/Kathmandu"}, readValues(t, storetest.NewURL(t), `SELECT current_setting('timezone')`))
	require.Equal(t, []string{"Asia/Kathmandu"}, readValues(t, storetest.NewEmptyURL(t), `SELECT current_setting('timezone')`))
}

func TestEmptyURL(t *testing.T) {
	var url string
	t.Run("empty", func(t *testing.T) {
		url = storetest.NewEmptyURL(t)
		require.Empty(t, readValues(t, url, tables))
	})
	_, err := pgx.Connect(t.Context(), url)
	require.ErrorContains(t, err, "does not exist", "it is dropped after its test")
}

func TestNewAtTellsTheTimeOfItsClock(t *testing.T) {
	at := time.Date(2026, 3, 14, 12, 30, 0, 123_456_789, time.FixedZone("", 3600))
	s := storetest.NewAt(t, func() time.Time { return at })
	require.Equal(t, core.At(at), s.Now())
	require.NoError(t, s.CheckServer(t.Context()))
	require.NoError(t, s.CheckSchema(t.Context()))
}
