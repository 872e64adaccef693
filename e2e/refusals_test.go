//go:build e2e

package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
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

// refusedFor is how long a database takes no writes in these tests: longer than a request is held.
const refusedFor = 12 * time.Second

// managed is a database as hosting companies have it: the role of the server owns it, and may do nothing else.
type managed struct {
	url       string // for the server
	superuser string // for who looks at it beside the server
	t         *testing.T
	root      *pgx.Conn // as the superuser, to another database
}

// newManaged makes a database and a role with at most so many connections; -1 for any number. The further options are of
// CREATE DATABASE.
func newManaged(t *testing.T, superuser string, connections int, options string) *managed {
	t.Helper()
	root, err := pgx.Connect(t.Context(), superuser)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close(context.Background()) })
	m := &managed{t: t, root: root}
	m.exec(fmt.Sprintf(`CREATE ROLE shop LOGIN CONNECTION LIMIT %d`, connections))
	m.exec(`CREATE DATABASE shop OWNER shop ` + options)
	u, err := url.Parse(superuser)
	require.NoError(t, err)
	u.Path = "/shop"
	m.superuser = u.String()
	u.User = url.User("shop")
	m.url = u.String()
	return m
}

// exec runs a statement of the superuser.
func (m *managed) exec(sql string) {
	m.t.Helper()
	_, err := m.root.Exec(context.Background(), sql)
	require.NoError(m.t, err, sql)
}

// run runs a statement of the server's role on the database.
func (m *managed) run(sql string) {
	m.t.Helper()
	conn, err := pgx.Connect(m.t.Context(), m.url)
	require.NoError(m.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(m.t.Context(), sql)
	require.NoError(m.t, err, sql)
}

// number returns what a statement counts.
func (m *managed) number(sql string) (n int) {
	m.t.Helper()
	conn, err := pgx.Connect(m.t.Context(), m.url)
	require.NoError(m.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	require.NoError(m.t, conn.QueryRow(m.t.Context(), sql).Scan(&n))
	return n
}

// has reports whether a table is there.
func (m *managed) has(table string) bool {
	m.t.Helper()
	return m.number(`SELECT count(*) FROM pg_class WHERE relname = '`+table+`'`) > 0
}

// disconnect ends all connections to the database, as a failover does.
func (m *managed) disconnect() {
	m.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'shop'`)
}

// withMetrics returns the variables of a server with metrics, and where they are.
func withMetrics(t *testing.T) (variable, metrics string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := listener.Addr().String()
	require.NoError(t, listener.Close())
	return "METRICS_ADDR=" + addr, "http://" + addr + "/metrics"
}

// metric reads the value of a metric without labels.
func metric(t *testing.T, metrics, name string) float64 {
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

// refusal has a database take no writes for a while under load. Meanwhile the server says so, and afterwards it does not.
func (l *load) refusal(s *server, metrics string, begin, end func()) {
	l.t.Helper()
	says := func(status int, away float64) func() bool {
		return func() bool {
			return s.call("", "GET", "/readyz", "", nil) == status && metric(l.t, metrics, "errand_ingest_database_away") == away
		}
	}
	refusing := says(http.StatusServiceUnavailable, 1)
	l.outage(func() {
		begin()
		began := time.Now()
		require.Eventually(l.t, refusing, 5*time.Second, 20*time.Millisecond, "nothing says that writes are refused")
		for time.Since(began) < refusedFor {
			require.True(l.t, refusing(), "ready after %v, though writes are refused", time.Since(began))
			<-time.After(100 * time.Millisecond)
		}
		require.Equal(l.t, http.StatusOK, s.call("", "GET", "/healthz", "", nil))
		end()
	})
	require.Eventually(l.t, says(http.StatusOK, 0), 5*time.Second, 20*time.Millisecond, "not ready, though writes are taken again")
}

// requireFewLines stops a server and checks that its log is readable after so many refusals.
func (s *server) requireFewLines(refusals int) {
	s.t.Helper()
	const each = 12
	s.stop()
	var lines []string
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, `"level":"WARN"`) || strings.Contains(line, `"level":"ERROR"`) {
			lines = append(lines, line)
		}
	}
	s.t.Logf("%d lines of warnings and errors in the log", len(lines))
	require.LessOrEqual(s.t, len(lines), each*refusals, "%v", lines)
}

// TestFaultReadOnlyDatabase has a database become read-only under load, as a primary that a failover has made a standby:
// once for the connections that there are, and once for new ones only, when those have ended.
func TestFaultReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	db := newManaged(t, startPostgres(t, newDir(t)).URL(), -1, "")
	variable, metrics := withMetrics(t)
	s := startOn(t, newDir(t), append(underLoad, "DATABASE_URL="+db.url, variable)...)
	l := startLoad(t, senders, s)
	readOnly := func(value string) func() {
		return func() {
			db.exec(`ALTER SYSTEM SET default_transaction_read_only = ` + value)
			db.exec(`SELECT pg_reload_conf()`)
		}
	}
	l.refusal(s, metrics, readOnly("on"), readOnly("off"))
	l.refusal(s, metrics, func() {
		db.exec(`ALTER DATABASE shop SET default_transaction_read_only = on`)
		db.disconnect()
	}, func() { db.exec(`ALTER DATABASE shop RESET default_transaction_read_only`) })
	l.check(s, db.url)
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
	s := startOn(t, newDir(t), append(underLoad, "DATABASE_URL="+db.url, variable)...)
	l := startLoad(t, senders, s)
	ballast := filepath.Join(filepath.Dir(disk), "ballast")
	for range 2 {
		l.refusal(s, metrics, func() { fill(t, ballast) }, func() { require.NoError(t, os.Remove(ballast)) })
	}
	l.check(s, db.url)
	s.requireFewLines(2)
}

// mountSmall mounts a small disk and makes a folder on it that belongs to whom the Postgres in a folder does.
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

// fill writes a file that takes what is left of its disk.
func fill(t *testing.T, name string) {
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
