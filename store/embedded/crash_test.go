package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/testkit/logtext"
)

// writer commits the rows 1, 2, 3, ... until its connection breaks.
type writer struct {
	warm chan struct{} // closed when some rows are committed
	last chan int      // the last row that was acknowledged
}

func startWriter(t *testing.T, url string) *writer {
	t.Helper()
	conn := connect(t, url)
	execStatement(t, conn, "CREATE TABLE t (n int PRIMARY KEY)")
	w := &writer{warm: make(chan struct{}), last: make(chan int, 1)}
	go func() {
		for n := 1; ; n++ {
			if _, err := conn.Exec(context.Background(), "INSERT INTO t VALUES ($1)", n); err != nil {
				w.last <- n - 1
				return
			}
			if n == 50 {
				close(w.warm)
			}
		}
	}()
	return w
}

// requireAllRows checks that no acknowledged row is lost.
func (w *writer) requireAllRows(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	last := <-w.last
	require.Equal(t, last, queryValue[int](t, conn, fmt.Sprintf("SELECT count(*) FROM t WHERE n <= %d", last)))
}

func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, server *helper, postgres int){
		"server": func(t *testing.T, server *helper, _ int) {
			server.kill(t)
		},
		"both, server first": func(t *testing.T, server *helper, postgres int) {
			server.kill(t)
			if err := syscall.Kill(postgres, syscall.SIGKILL); err != nil {
				require.ErrorIs(t, err, syscall.ESRCH) // its shutdown was faster
			}
		},
		"both, postgres first": func(t *testing.T, server *helper, postgres int) {
			require.NoError(t, syscall.Kill(postgres, syscall.SIGKILL))
			server.kill(t)
		},
	}
	for name, kill := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newDirWithData(t)
			server := startHelper(t, dir)
			w := startWriter(t, server.url(t))
			<-w.warm
			kill(t, server, postmasterPID(t, dir))
			w.requireAllRows(t, connect(t, startServer(t, dir).URL()))
		})
	}
}

func startWithLog(t *testing.T, dir string) (*Server, *logtext.Text) {
	t.Helper()
	log := &logtext.Text{}
	s, err := Start(t.Context(), Options{Dir: dir, Settings: noSync, Log: slog.New(slog.NewTextHandler(log, nil))})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	return s, log
}

func TestPostgresIsRestarted(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	s, log := startWithLog(t, dir)
	w := startWriter(t, s.URL())
	<-w.warm
	for range 2 {
		old := postmasterPID(t, dir)
		require.NoError(t, syscall.Kill(old, syscall.SIGKILL))
		requireEventually(t, func() bool {
			conn, err := pgx.Connect(t.Context(), s.URL())
			if err != nil {
				return false
			}
			return conn.Close(t.Context()) == nil && postmasterPID(t, dir) != old
		}, "a new postgres")
	}
	w.requireAllRows(t, connect(t, s.URL()))
	require.Equal(t, 2, strings.Count(log.String(), "signal: killed"))
}

func TestStopBetweenRestarts(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	s, log := startWithLog(t, dir)
	pid := postmasterPID(t, dir)
	require.NoError(t, os.Rename(filepath.Join(dir, "postgres"), filepath.Join(dir, "away")))
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	requireEventually(t, func() bool { return strings.Count(log.String(), "level=ERROR") == 3 }, "three ends")
	require.NoError(t, s.Stop(t.Context()))

	require.NoError(t, os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, "postgres")))
	startServer(t, dir)
}

// startAsPostgresUser runs a program as the user that runs Postgres, until the test ends.
func startAsPostgresUser(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	a, err := accountFor(nil)
	require.NoError(t, err)
	cmd := exec.Command(name)
	cmd.SysProcAttr = a.makeCommand(syscall.SIGKILL, name).SysProcAttr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, stdin.Close())
		require.NoError(t, cmd.Wait())
	})
	return cmd
}

func TestStaleLockFiles(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T) int{
		"dead": func(t *testing.T) int {
			cmd := exec.Command("true")
			require.NoError(t, cmd.Run())
			return cmd.Process.Pid
		},
		"another program": func(t *testing.T) int {
			return startAsPostgresUser(t, "cat").Process.Pid
		},
		"a postgres of other data": func(t *testing.T) int {
			dir := newDirWithData(t)
			startServer(t, dir)
			return postmasterPID(t, dir)
		},
		"nonsense": func(*testing.T) int { return 0 },
	}
	for name, makePID := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newDirWithData(t)
			pid := makePID(t)
			requireStartDespite(t, dir, pid)
			if name != "dead" && pid != 0 {
				require.False(t, isGone(pid), "the other process is left alone")
			}
		})
	}
}

// requireStartDespite starts a server on data whose lock files name pid.
func requireStartDespite(t *testing.T, dir string, pid int) {
	t.Helper()
	data := filepath.Join(dir, "postgres")
	text := fmt.Sprintf("%d\n%s\n1767225600\n5432\n%s\n\n  1234567         1\nready   \n", pid, data, data)
	for _, name := range []string{"postmaster.pid", socketFile + ".lock"} {
		require.NoError(t, os.WriteFile(filepath.Join(data, name), []byte(text), 0o644))
	}
	conn := connect(t, startServer(t, dir).URL())
	require.Equal(t, 1, queryValue[int](t, conn, "SELECT 1"))
}

func TestInterruptedInitdb(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	unfinished := filepath.Join(dir, "postgres.initdb")
	h := startHelper(t, dir)
	requireEventually(t, func() bool {
		_, err := os.Stat(filepath.Join(unfinished, "global"))
		return err == nil
	}, "initdb at work")
	h.kill(t)
	require.NoDirExists(t, filepath.Join(dir, "postgres"))

	conn := connect(t, startServer(t, dir).URL())
	require.Equal(t, 1, queryValue[int](t, conn, "SELECT 1"))
	require.NoDirExists(t, unfinished)
}

// TestAsOrdinaryUser runs the other tests a second time, as a user that is not root.
func TestAsOrdinaryUser(t *testing.T) {
	t.Parallel()
	if !asRoot() {
		t.Skip("the tests already run as an ordinary user")
	}
	a, err := lookUpAccount(user.Lookup("nobody"))
	require.NoError(t, err)
	binary := filepath.Join(newDir(t), "embedded.test")
	out, err := exec.Command("cp", os.Args[0], binary).CombinedOutput()
	require.NoError(t, err, string(out))

	cmd := exec.CommandContext(t.Context(), binary, "-test.v", "-test.timeout="+(6*testWait).String())
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: a.uid, Gid: a.gid}}
	out, err = cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: TestColdThenWarmStart")
}
