package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// processesNaming returns the command lines of the processes that were given the path.
func processesNaming(t *testing.T, path string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	var found []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), path) {
			found = append(found, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return found
}

func TestPostgresEndsWithAKilledServer(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	h := startHelper(t, dir)
	h.url(t)
	pid := postmasterPID(t, dir)
	h.kill(t)
	requireEventually(t, func() bool { return isGone(pid) || isZombie(pid) }, "postgres ends by itself")
	require.Contains(t, readFile(t, dir, "postgres.log"), "database system is shut down")
}

func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestStartEndsALivingLeftover(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	data := filepath.Join(dir, "postgres")
	c := cluster{dir: data}
	require.NoError(t, c.inspect())
	bin, err := newFinder(t, "", usualFolders()...).findBinaries(t.Context(), c.major)
	require.NoError(t, err)
	cmd := c.account.makeCommand(0, bin.path("postgres"), append([]string{"-D", data}, Options{Settings: noSync}.settingArgs(data)...)...)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	requireEventually(t, func() bool {
		text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		return err == nil && strings.Contains(string(text), "ready")
	}, "the leftover runs")

	startServer(t, dir)
	require.NoError(t, <-ended, "a clean shutdown")
	require.NotEqual(t, cmd.Process.Pid, postmasterPID(t, dir))
}

func TestZombieInLockFiles(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	zombie := startAsPostgresUser(t, "true")
	requireEventually(t, func() bool { return isZombie(zombie.Process.Pid) }, "a zombie")
	requireStartDespite(t, dir, zombie.Process.Pid)
}

func TestBusySessionDoesNotBlockTheRestart(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	s := startServer(t, dir)
	conn := connect(t, s.URL())
	session := queryValue[int](t, conn, "SELECT pg_backend_pid()")
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "DO $$ BEGIN LOOP END LOOP; END $$")
		ended <- err
	}()
	watch := connect(t, s.URL())
	requireEventually(t, func() bool {
		return queryValue[int](t, watch, fmt.Sprintf("SELECT count(*) FROM pg_stat_activity WHERE pid = %d AND state = 'active'", session)) == 1
	}, "the session works")
	old := postmasterPID(t, dir)
	require.NoError(t, syscall.Kill(old, syscall.SIGKILL))
	requireEventually(t, func() bool { return s.tryDatabase(t.Context()) == nil && postmasterPID(t, dir) != old }, "a new postgres")
	require.Error(t, <-ended)
}

func TestStopWithoutTime(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	s, err := Start(t.Context(), Options{Dir: dir, Settings: noSync})
	require.NoError(t, err)
	pid := postmasterPID(t, dir)
	execStatement(t, connect(t, s.URL()), "CREATE TABLE t AS SELECT 7 AS n")
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP)) // as if the shutdown took long
	over, cancel := context.WithCancel(t.Context())
	cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Stop(over) }()
	requireEventually(t, func() bool { return isPending(t, pid, syscall.SIGQUIT) }, "told to quit")
	require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
	require.ErrorContains(t, <-ended, "no time for a clean shutdown")
	require.True(t, isGone(pid))

	conn := connect(t, startServer(t, dir).URL())
	require.Equal(t, 7, queryValue[int](t, conn, "SELECT n FROM t"))
}

func isPending(t *testing.T, pid int, sig syscall.Signal) bool {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(status), "ShdPnd:\t")
	mask, err := strconv.ParseUint(rest[:16], 16, 64)
	require.NoError(t, err)
	return mask&(1<<(sig-1)) != 0
}

func TestCancelledStartLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	t.Run("during initdb", func(t *testing.T) {
		t.Parallel()
		dir := newDir(t)
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() {
			_, err := Start(ctx, Options{Dir: dir, Settings: noSync})
			result <- err
		}()
		requireEventually(t, func() bool { return len(processesNaming(t, dir)) > 0 }, "initdb runs")
		cancel()
		require.ErrorIs(t, <-result, context.Canceled)
		require.Empty(t, processesNaming(t, dir))
		require.NoDirExists(t, filepath.Join(dir, "postgres.initdb"))
		startServer(t, dir)
	})
	t.Run("at any time of a warm start", func(t *testing.T) {
		t.Parallel()
		dir := newDirWithData(t)
		for wait := time.Millisecond; ; wait = wait * 2 {
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			s, err := Start(ctx, Options{Dir: dir, Settings: noSync})
			cancel()
			if err == nil {
				require.NoError(t, s.Stop(t.Context()))
				return
			}
			require.True(t, errors.Is(err, context.DeadlineExceeded), err)
			require.Empty(t, processesNaming(t, dir))
		}
	})
}

func TestWhatPostgresInherits(t *testing.T) {
	t.Parallel()
	dir := newDirWithData(t)
	startServer(t, dir)
	proc := fmt.Sprintf("/proc/%d", postmasterPID(t, dir))

	files, err := filepath.Glob(proc + "/fd/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		target, err := os.Readlink(file)
		require.NoError(t, err)
		require.NotEqual(t, filepath.Join(dir, "errand.lock"), target)
	}
	environ, err := os.ReadFile(proc + "/environ")
	require.NoError(t, err)
	for _, entry := range strings.Split(strings.Trim(string(environ), "\x00"), "\x00") {
		name, _, _ := strings.Cut(entry, "=")
		require.Contains(t, []string{"PATH", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "PG_GRANDPARENT_PID", "PGLOCALEDIR", "PGSYSCONFDIR"}, name)
	}
}
