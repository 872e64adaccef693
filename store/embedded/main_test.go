package embedded

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"errand/testkit/ramdisk"
)

// helperDir makes the test binary a server on the data folder that it names. A test may kill that server.
const helperDir = "EMBEDDED_TEST_SERVE"

const testWait = 20 * time.Second

// noSync makes tests fast. Written data survives a crash of Postgres: only a crash of the machine could lose it.
var noSync = map[string]string{"fsync": "off"}

func TestMain(m *testing.M) {
	if dir, ok := os.LookupEnv(helperDir); ok {
		os.Exit(serveHelper(dir))
	}
	if err := ramdisk.Use(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(templateParent()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}))
}

// serveHelper runs a server until standard input ends, and prints its URL when it is ready.
func serveHelper(dir string) int {
	s, err := Start(context.Background(), Options{Dir: dir, Settings: noSync})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(s.URL())
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return 1
	}
	if err := s.Stop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// helper is a server in its own process.
type helper struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

func startHelper(t *testing.T, dir string) *helper {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperDir+"="+dir)
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	h := &helper{cmd: cmd, out: bufio.NewReader(stdout)}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			require.NoError(t, stdin.Close())
			require.NoError(t, cmd.Wait())
		}
	})
	return h
}

// url waits until the helper is ready.
func (h *helper) url(t *testing.T) string {
	t.Helper()
	line, err := h.out.ReadString('\n')
	require.NoError(t, err)
	return line[:len(line)-1]
}

// kill sends SIGKILL and waits for the end.
func (h *helper) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, h.cmd.Process.Kill())
	require.Error(t, h.cmd.Wait())
}

// newDir returns an empty data folder that the Postgres user can reach.
func newDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o711))
	require.NoError(t, os.Chmod(dir, 0o711))
	return dir
}

// templateParent is the folder of the data that newDirWithData copies.
func templateParent() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("embedded-test-%d", os.Getpid()))
}

var makeTemplate = sync.OnceValue(func() error {
	s, err := Start(context.Background(), Options{Dir: templateParent(), Settings: noSync})
	if err != nil {
		return err
	}
	return s.Stop(context.Background())
})

// newDirWithData returns a data folder with a cluster that was shut down cleanly.
func newDirWithData(t *testing.T) string {
	t.Helper()
	require.NoError(t, makeTemplate())
	dir := newDir(t)
	out, err := exec.Command("cp", "-a", filepath.Join(templateParent(), "postgres"), dir).CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}

func startServer(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Start(t.Context(), Options{Dir: dir, Settings: noSync})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	return s
}

func startFails(t *testing.T, o Options) string {
	t.Helper()
	s, err := Start(t.Context(), o)
	if err == nil {
		require.NoError(t, s.Stop(context.Background()))
	}
	require.Error(t, err)
	return err.Error()
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testWait)
		defer cancel()
		conn.Close(ctx) // fails if the test ended the server
	})
	return conn
}

func execStatement(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// queryValue returns the one value of a query.
func queryValue[T any](t *testing.T, conn *pgx.Conn, sql string) T {
	t.Helper()
	var v T
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&v))
	return v
}

// postmasterPID returns the pid of the running postgres of dir.
func postmasterPID(t *testing.T, dir string) int {
	t.Helper()
	pid := (&cluster{dir: filepath.Join(dir, "postgres")}).postmasterPID()
	require.Positive(t, pid)
	return pid
}

// requireEventually polls until ok is true.
func requireEventually(t *testing.T, ok func() bool, what string) {
	t.Helper()
	tooLate := time.After(testWait)
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for !ok() {
		select {
		case <-poll.C:
		case <-tooLate:
			t.Fatalf("not within %s: %s", testWait, what)
		}
	}
}

func isGone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

func asRoot() bool { return os.Geteuid() == 0 }
