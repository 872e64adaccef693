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
	owner  syscall.Credential // of the folder with Postgres's socket
	cmd    *exec.Cmd
	url    string
}

// findPooler returns the program PGBOUNCER, or the one on PATH, and whether it can keep the prepared statements of clients apart.
func findPooler(t *testing.T) (program string, isFit bool) {
	t.Helper()
	program = findProgram(t, "PGBOUNCER", "pgbouncer")
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
	address := freeAddress(t)
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	target, err := pgx.ParseConfig(database)
	require.NoError(t, err)
	dir := newDir(t)
	p := &pooler{t: t, config: filepath.Join(dir, "pgbouncer.ini"), owner: findOwner(t, target.Host)}
	users := filepath.Join(dir, "users")
	require.NoError(t, os.WriteFile(users, []byte(`"errand" ""`), 0o644))
	require.NoError(t, os.WriteFile(p.config, fmt.Appendf(nil, `[databases]
errand = host=%s port=%d dbname=errand user=errand
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
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
		Scheme: "postgres", User: url.User("errand"), Host: address, Path: "/errand",
		RawQuery: "sslmode=disable",
	}).String()
	p.startProgram(program)
	return p
}

func (p *pooler) startProgram(program string) {
	p.t.Helper()
	p.cmd = exec.Command(program, p.config)
	runAs(p.owner, p.cmd)
	startProgram(p.t, p.cmd)
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
	p.startProgram(p.cmd.Path)
}

// TestFaultPooler lets two servers work through PgBouncer in transaction mode, with fewer connections to Postgres than either
// has to it, and kills it under load.
func TestFaultPooler(t *testing.T) {
	t.Parallel()
	program, isFit := findPooler(t)
	if !isFit {
		t.Skip("this PgBouncer is older than 1.21")
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
