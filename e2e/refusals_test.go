//go:build e2e

package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// refusedFor is how long a database accepts no writes in these tests: longer than a request is held.
const refusedFor = 12 * time.Second

// managed is a database as hosting companies provide it: the server's role owns it, and may do nothing else.
type managed struct {
	url       string // for the server
	superuser string // for inspection beside the server
	t         *testing.T
	root      *pgx.Conn // as the superuser, to another database
}

// newManaged makes a database, and a role with at most that many connections; -1 for any number. The options are for CREATE DATABASE.
func newManaged(t *testing.T, superuser string, connections int, options string) *managed {
	t.Helper()
	root, err := pgx.Connect(t.Context(), superuser)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close(context.Background()) })
	m := &managed{t: t, root: root}
	m.execSQL(fmt.Sprintf(`CREATE ROLE shop LOGIN CONNECTION LIMIT %d`, connections))
	m.execSQL(`CREATE DATABASE shop OWNER shop ` + options)
	u, err := url.Parse(superuser)
	require.NoError(t, err)
	u.Path = "/shop"
	m.superuser = u.String()
	u.User = url.User("shop")
	m.url = u.String()
	return m
}

// execSQL runs a statement as the superuser.
func (m *managed) execSQL(sql string) {
	m.t.Helper()
	_, err := m.root.Exec(context.Background(), sql)
	require.NoError(m.t, err, sql)
}

// runSQL runs a statement on the database as the server's role.
func (m *managed) runSQL(sql string) {
	m.t.Helper()
	conn, err := pgx.Connect(m.t.Context(), m.url)
	require.NoError(m.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(m.t.Context(), sql)
	require.NoError(m.t, err, sql)
}

// queryNumber returns the number that a query returns.
func (m *managed) queryNumber(sql string) (n int) {
	m.t.Helper()
	conn, err := pgx.Connect(m.t.Context(), m.url)
	require.NoError(m.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	require.NoError(m.t, conn.QueryRow(m.t.Context(), sql).Scan(&n))
	return n
}

// hasTable reports whether a table exists.
func (m *managed) hasTable(table string) bool {
	m.t.Helper()
	return m.queryNumber(`SELECT count(*) FROM pg_class WHERE relname = '`+table+`'`) > 0
}

// endConnections ends all connections to the database, as a failover does.
func (m *managed) endConnections() {
	m.execSQL(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'shop'`)
}

// withMetrics returns the variable for a server with metrics, and the URL of the metrics.
func withMetrics(t *testing.T) (variable, metrics string) {
	t.Helper()
	addr := freeAddress(t)
	return "METRICS_ADDR=" + addr, "http://" + addr + "/metrics"
}

// metricValue reads the value of a metric without labels.
func metricValue(t *testing.T, metrics, name string) float64 {
	t.Helper()
	answer, err := http.Get(metrics)
	require.NoError(t, err)
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			number, err := strconv.ParseFloat(value, 64)
			require.NoError(t, err)
			return number
		}
	}
	require.FailNow(t, "no such metric", name)
	return 0
}

// measureRefusal makes a database accept no writes for a while under load. During that time the server says so, and
// afterwards it does not.
func (l *load) measureRefusal(s *server, metrics string, begin, end func()) {
	l.t.Helper()
	says := func(status int, away float64) func() bool {
		return func() bool {
			return s.callAPI("", "GET", "/readyz", "", nil) == status && metricValue(l.t, metrics, "errand_ingest_database_away") == away
		}
	}
	refusing := says(http.StatusServiceUnavailable, 1)
	l.measureOutage(func() {
		begin()
		began := time.Now()
		require.Eventually(l.t, refusing, 5*time.Second, 20*time.Millisecond, "nothing says that writes are refused")
		for time.Since(began) < refusedFor {
			require.True(l.t, refusing(), "ready after %v, though writes are refused", time.Since(began))
			<-time.After(100 * time.Millisecond)
		}
		require.Equal(l.t, http.StatusOK, s.callAPI("", "GET", "/healthz", "", nil))
		end()
	})
	require.Eventually(l.t, says(http.StatusOK, 0), 5*time.Second, 20*time.Millisecond, "not ready, though writes are taken again")
}

// requireFewLines stops a server and checks that its log is readable after the refusals.
func (s *server) requireFewLines(refusals int) {
	s.t.Helper()
	const each = 15 // a line of each part of the queue, and of jobs that were under way
	s.stopServer()
	var lines []string
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, `"level":"WARN"`) || strings.Contains(line, `"level":"ERROR"`) {
			lines = append(lines, line)
		}
	}
	s.t.Logf("%d lines of warnings and errors in the log", len(lines))
	require.LessOrEqual(s.t, len(lines), each*refusals, "%v", lines)
}

// TestFaultReadOnlyDatabase makes a database read-only under load, like a primary that a failover turned into a standby:
// once for existing connections, and once only for new ones, after the old ones have ended.
func TestFaultReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	db := newManaged(t, startPostgres(t, newDir(t)).URL(), -1, "")
	variable, metrics := withMetrics(t)
	s := startServerOn(t, newDir(t), append(underLoad, "DATABASE_URL="+db.url, variable)...)
	l := startLoad(t, senders, s)
	readOnly := func(value string) func() {
		return func() {
			db.execSQL(`ALTER SYSTEM SET default_transaction_read_only = ` + value)
			db.execSQL(`SELECT pg_reload_conf()`)
		}
	}
	l.measureRefusal(s, metrics, readOnly("on"), readOnly("off"))
	l.measureRefusal(s, metrics, func() {
		db.execSQL(`ALTER DATABASE shop SET default_transaction_read_only = on`)
		db.endConnections()
	}, func() { db.execSQL(`ALTER DATABASE shop RESET default_transaction_read_only`) })
	l.checkLedger(s, db.url)
	s.requireFewLines(2)
}

// TestFaultFullDatabase fills the disk of a database under load, and makes room again.
func TestFaultFullDatabase(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	superuser := startPostgres(t, dir).URL()
	disk := mountSmall(t, dir)
	_, err := os.Stat(disk)
	require.NoError(t, err)
	root, err := pgx.Connect(t.Context(), superuser)
	require.NoError(t, err)
	defer func() { _ = root.Close(context.Background()) }()
	_, err = root.Exec(t.Context(), fmt.Sprintf(`CREATE TABLESPACE small LOCATION '%s'`, disk))
	require.NoError(t, err)
	db := newManaged(t, superuser, -1, "TABLESPACE small")
	variable, metrics := withMetrics(t)
	s := startServerOn(t, newDir(t), append(underLoad, "DATABASE_URL="+db.url, variable)...)
	l := startLoad(t, senders, s)
	ballast := filepath.Join(filepath.Dir(disk), "ballast")
	for range 2 {
		l.measureRefusal(s, metrics, func() { fillDisk(t, ballast) }, func() { require.NoError(t, os.Remove(ballast)) })
	}
	l.checkLedger(s, db.url)
	s.requireFewLines(2)
}

// mountSmall mounts a small disk and makes a folder on it with the same owner as the folder of a Postgres.
func mountSmall(t *testing.T, postgres string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting a small disk needs root")
	}
	mounted := newDir(t)
	if err := syscall.Mount("tmpfs", mounted, "tmpfs", 0, "size=64m,mode=0755"); err != nil {
		t.Skip("a small disk cannot be mounted here: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(mounted, syscall.MNT_DETACH) })
	owner, err := os.Stat(filepath.Join(postgres, "postgres"))
	require.NoError(t, err)
	disk := filepath.Join(mounted, "small")
	require.NoError(t, os.Mkdir(disk, 0o700))
	stat := owner.Sys().(*syscall.Stat_t)
	require.NoError(t, os.Chown(disk, int(stat.Uid), int(stat.Gid)))
	return disk
}

// fillDisk writes a file that fills the rest of its disk.
func fillDisk(t *testing.T, name string) {
	t.Helper()
	file, err := os.Create(name)
	require.NoError(t, err)
	defer file.Close()
	for size := 1 << 20; size >= 512; {
		_, err := file.Write(make([]byte, size))
		switch {
		case errors.Is(err, syscall.ENOSPC):
			size /= 2
		case err != nil:
			require.ErrorIs(t, err, io.ErrShortWrite)
		}
	}
}
