//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// pooler is a PgBouncer in transaction mode, in front of a Postgres.
type pooler struct {
	t      *testing.T
	config string
	owner  uint32 // of the folder with Postgres's socket
	cmd    *exec.Cmd
	url    string
}

// findPooler returns the program PGBOUNCER, or the one on PATH, and whether it can keep the prepared statements of clients apart.
func findPooler(t *testing.T) (program string, isFit bool) {
	t.Helper()
	if program = os.Getenv("PGBOUNCER"); program == "" {
		var err error
		if program, err = exec.LookPath("pgbouncer"); err != nil {
			t.Skip("there is no PgBouncer")
		}
	}
	out, err := exec.Command(program, "--version").Output()
	require.NoError(t, err)
	var major, minor int
	_, err = fmt.Sscanf(string(out), "PgBouncer %d.%d", &major, &minor)
	require.NoError(t, err, string(out))
	return program, major > 1 || minor >= 21
}

// startPooler starts a PgBouncer with further lines of its configuration.
func startPooler(t *testing.T, program, database, lines string) *pooler {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := listener.Addr().(*net.TCPAddr).Port
	require.NoError(t, listener.Close())
	target, err := pgx.ParseConfig(database)
	require.NoError(t, err)
	socket, err := os.Stat(target.Host)
	require.NoError(t, err)
	dir := newDir(t)
	p := &pooler{t: t, config: filepath.Join(dir, "pgbouncer.ini"), owner: socket.Sys().(*syscall.Stat_t).Uid}
	users := filepath.Join(dir, "users")
	require.NoError(t, os.WriteFile(users, []byte(`"errand" ""`), 0o644))
	require.NoError(t, os.WriteFile(p.config, fmt.Appendf(nil, `[databases]
errand = host=%s port=%d dbname=errand user=errand
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
auth_file = %s
pool_mode = transaction
max_client_conn = 200
default_pool_size = 8
ignore_startup_parameters = extra_float_digits
%s
`, target.Host, target.Port, port, users, lines), 0o644))
	p.url = (&url.URL{
		Scheme: "postgres", User: url.User("errand"), Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Path: "/errand",
		RawQuery: "sslmode=disable",
	}).String()
	p.start(program)
	return p
}

func (p *pooler) start(program string) {
	p.t.Helper()
	p.cmd = exec.Command(program, p.config)
	if os.Geteuid() == 0 {
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: p.owner, Gid: p.owner}}
	}
	p.cmd.Stderr = p.t.Output()
	require.NoError(p.t, p.cmd.Start())
	started := p.cmd
	p.t.Cleanup(func() {
		_ = started.Process.Kill()
		_ = started.Wait()
	})
	require.Eventually(p.t, func() bool {
		conn, err := pgx.Connect(p.t.Context(), p.url)
		if err == nil {
			_ = conn.Close(context.WithoutCancel(p.t.Context()))
		}
		return err == nil
	}, 20*time.Second, 50*time.Millisecond, "PgBouncer answers")
}

// restart kills the pooler and starts it again.
func (p *pooler) restart() {
	p.t.Helper()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.start(p.cmd.Path)
}

// TestFaultPooler lets two servers work through PgBouncer in transaction mode, with fewer connections to Postgres than either
// has to it, and kills it under load.
func TestFaultPooler(t *testing.T) {
	t.Parallel()
	program, isFit := findPooler(t)
	if !isFit {
		t.Skip("this PgBouncer is too old")
	}
	database := startPostgres(t, newDir(t)).URL()
	p := startPooler(t, program, database, "max_prepared_statements = 200")
	var pair [2]*server
	for n := range pair {
		pair[n] = startServerOn(t, newDir(t), append(underLoad, "DATABASE_URL="+p.url)...)
	}
	l := startLoad(t, senders, pair[0], pair[1])
	l.goOn(600)
	for range 2 {
		l.measureOutage(p.restart)
	}
	l.checkLedger(pair[1], database)
	quotaOfPair(t, pair, database)
	claimOfPair(t, pair)
}

// TestPoolerThatMixesUpStatements starts a server behind a PgBouncer that does not keep the statements of clients apart.
func TestPoolerThatMixesUpStatements(t *testing.T) {
	t.Parallel()
	program, isFit := findPooler(t)
	lines := "" // an old one does not know the setting
	if isFit {
		lines = "max_prepared_statements = 0"
	}
	p := startPooler(t, program, startPostgres(t, newDir(t)).URL(), lines)
	out, err := errandCommand(t, newDir(t), []string{"DATABASE_URL=" + p.url}, "serve", "--addr", "127.0.0.1:0").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "PgBouncer 1.21 or later")

	s := startServerOn(t, newDir(t), "DATABASE_URL="+p.url+"&default_query_exec_mode=cache_describe")
	s.makeProject("Shop")
}
