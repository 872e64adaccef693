// Package storetest makes a real database for each test: a clone of a migrated template on a private Postgres, which the
// test process starts when the first test asks, and stops at its end. Its data is a copy of what an earlier test process made.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/embedded"
	"errand/testkit/citus"
	"errand/testkit/ramdisk"
)

// server is the Postgres of this test process.
type server struct {
	dir      string
	postgres *embedded.Server
	citus    []string // the URLs of the nodes, instead of postgres
	newest   uint32   // the highest oid of the template's tables
	mu       sync.Mutex
	admin    *pgx.Conn   // guarded by mu, like the fields below
	free     []*database // databases that no test is using
	made     int
}

var startOnce = sync.OnceValues(startServer)

// gcPercent makes the garbage collector rare: tests start many servers, and it took a sixth of their time.
const gcPercent = 400

// Main runs the tests of a package and stops its Postgres after them. Packages that use New call it in TestMain.
func Main(m *testing.M) {
	if err := ramdisk.Use(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	debug.SetGCPercent(gcPercent)
	state, err := os.MkdirTemp("", "errand-state-") // commands under test do not find the servers of this machine there
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = os.Setenv("XDG_STATE_HOME", state)
	code := m.Run()
	_ = os.RemoveAll(state)
	if running != nil {
		running.stopServer()
	}
	os.Exit(code)
}

// running is the server, once it runs, for Main to stop.
var running *server

func startServer() (*server, error) {
	ctx := context.Background()
	if isOnCitus() {
		running = &server{citus: citus.ListNodes()}
		return running, nil
	}
	dir, err := makeFolder()
	if err != nil {
		return nil, err
	}
	if err := unpackInstallation(ctx, dir); err != nil {
		return nil, err
	}
	pg, err := startPostgres(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, postgres: pg}
	running = s
	if s.admin, err = pgx.Connect(ctx, s.databaseURL("postgres")); err != nil {
		return nil, err
	}
	return s, s.prepareTemplate(ctx)
}

func (s *server) stopServer() {
	ctx := context.Background()
	for _, d := range s.free {
		d.pool.Close()
	}
	if s.admin != nil {
		_ = s.admin.Close(ctx)
	}
	if s.citus != nil {
		s.dropAll(ctx)
		return
	}
	_ = s.postgres.Stop(ctx)
	_ = os.RemoveAll(s.dir)
}

// template is the database of a private Postgres.
const template = "errand"

// prepareTemplate does what the stored installation lacks: migrations of a newer module, say.
func (s *server) prepareTemplate(ctx context.Context) error {
	if err := prepareInstallation(ctx, s.postgres.URL()); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.postgres.URL())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return conn.QueryRow(ctx, "SELECT max(oid) FROM pg_class").Scan(&s.newest)
}

// databaseURL is the address of one database on the server.
func (s *server) databaseURL(database string) string {
	of := ""
	if s.citus != nil {
		of = s.citus[0]
	} else {
		of = s.postgres.URL()
	}
	return citus.InDatabase(of, database)
}

// NewURL returns the address of a fresh migrated database for this test alone.
func NewURL(t testing.TB) string {
	t.Helper()
	s, err := startOnce()
	require.NoError(t, err)
	d, err := s.takeDatabase()
	require.NoError(t, err)
	t.Cleanup(func() { s.returnDatabase(d) })
	return d.url
}

// NewEmptyURL returns the address of a database without a schema for this test alone.
func NewEmptyURL(t testing.TB) string { return NewEncodedURL(t, "UTF8") }

// NewEncodedURL is NewEmptyURL with an encoding.
func NewEncodedURL(t testing.TB, encoding string) string {
	t.Helper()
	s, err := startOnce()
	require.NoError(t, err)
	name, err := s.createDatabase("template0 ENCODING '" + encoding + "' LC_COLLATE 'C' LC_CTYPE 'C'")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.dropDatabase(name)) })
	return s.databaseURL(name)
}

// New returns a store on a fresh migrated database for this test alone.
func New(t testing.TB) *store.Store { return NewAt(t, time.Now) }

// NewAt is New with a clock.
func NewAt(t testing.TB, clock core.Clock) *store.Store {
	t.Helper()
	return Open(t, NewURL(t), clock)
}

// Open returns another store on the database, like a second server's.
func Open(t testing.TB, databaseURL string, clock core.Clock) *store.Store {
	t.Helper()
	return OpenWith(t, store.Options{URL: databaseURL, Clock: clock})
}

// OpenWith is Open with all options.
func OpenWith(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	if isOnCitus() {
		err := db.CheckServer(t.Context())
		require.True(t, err == nil || core.HasCode(err, core.Unavailable), "%v", err)
	}
	pool, isKept := keptPools.Load(o.URL)
	if !isKept {
		own, err := pgxpool.New(t.Context(), o.URL)
		require.NoError(t, err)
		t.Cleanup(own.Close)
		pool = own
	}
	testPools.Store(db, pool)
	t.Cleanup(func() { testPools.Delete(db) })
	return db
}

// SaveSettings sets settings of the installation, by the names of their variables. They hold on the store immediately.
func SaveSettings(t testing.TB, db *store.Store, settings map[string]string) {
	t.Helper()
	values := map[string]*string{}
	for name, value := range settings {
		values[name] = &value
	}
	_, err := db.SaveSettings(t.Context(), values, "a test")
	require.NoError(t, err)
	_, err = db.LoadSettings(t.Context())
	require.NoError(t, err)
}

// testPools has, for each open store, a pool of connections to its database: *store.Store -> *pgxpool.Pool.
var testPools sync.Map

// QuerySQL runs a test's own statement on the database of a store that this package opened.
func QuerySQL(ctx context.Context, db *store.Store, sql string, args ...any) (pgx.Rows, error) {
	pool, ok := testPools.Load(db)
	if !ok {
		return nil, errors.New("storetest: the store is not one of this package's, or its test has ended")
	}
	return pool.(*pgxpool.Pool).Query(ctx, sql, args...)
}
