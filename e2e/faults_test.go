//go:build e2e

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/embedded"
)

// senders is how many senders the tests of faults run in parallel.
const senders = 32

// underLoad are the settings of servers under load.
var underLoad = []string{"STORED_EVENTS_PER_ISSUE=" + strconv.Itoa(storedPerIssue), "NEW_ISSUES_PER_HOUR=0"}

// postmasterPID returns the pid of the private Postgres of a server.
func postmasterPID(t *testing.T, dir string) int {
	t.Helper()
	return postmasterOf(t, filepath.Join(dir, "postgres"))
}

// postmasterOf returns the pid of the Postgres whose data is in a folder.
func postmasterOf(t *testing.T, data string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	require.NoError(t, err)
	return pid
}

// TestFaultPrivatePostgresIsKilled kills the private Postgres under load; the server starts it again.
func TestFaultPrivatePostgresIsKilled(t *testing.T) {
	t.Parallel()
	s := startServerOn(t, newDir(t), underLoad...)
	l := startLoad(t, senders, s)
	for range 2 {
		l.measureOutage(func() { require.NoError(t, syscall.Kill(postmasterPID(t, s.dataDir), syscall.SIGKILL)) })
	}
	l.checkLedger(s, s.databaseURL())
}

// databaseURL returns the connection string of the private Postgres, or of the database on Citus.
func (s *server) databaseURL() string {
	s.t.Helper()
	if isOnCitus() {
		return databaseOnCitus(s.t, s.dataDir)
	}
	url, err := embedded.RunningURL(s.dataDir)
	require.NoError(s.t, err)
	return url
}

// TestFaultPostgresIsStopped stops a separate Postgres in each of the three ways, and starts it again.
func TestFaultPostgresIsStopped(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	postgres := startPostgres(t, dir)
	s := startServerOn(t, newDir(t), append(underLoad, "DATABASE_URL="+postgres.URL())...)
	l := startLoad(t, senders, s)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		l.measureOutage(func() { require.NoError(t, syscall.Kill(postmasterPID(t, dir), signal)) })
	}
	l.measureOutage(func() { // as for an upgrade
		require.NoError(t, postgres.Stop(t.Context()))
		<-time.After(time.Second)
		postgres = startPostgres(t, dir)
	})
	l.checkLedger(s, postgres.URL())
}

// startPostgres runs a separate Postgres for the test, and restarts it when it ends.
func startPostgres(t *testing.T, dir string) *embedded.Server {
	t.Helper()
	postgres, err := embedded.Start(t.Context(), embedded.Options{Dir: dir, Memory: 64, Connections: 64})
	require.NoError(t, err)
	t.Cleanup(func() { _ = postgres.Stop(context.Background()) })
	return postgres
}

// TestFaultServerIsKilled kills the server under load and starts it again on the same folder.
func TestFaultServerIsKilled(t *testing.T) {
	t.Parallel()
	s := startServerOn(t, newDir(t), underLoad...)
	l := startLoad(t, senders, s)
	for range 2 {
		l.measureOutage(func() {
			require.NoError(t, s.cmd.Process.Kill())
			_ = s.cmd.Wait()
			s = startServerOn(t, s.dataDir, underLoad...)
			l.moveServer(0, s)
		})
	}
	l.checkLedger(s, s.databaseURL())
}
