package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// How long Postgres gets to end after each signal. After SIGQUIT it allows its own children 5 s.
const (
	smartShutdownWait     = time.Second      // SIGTERM
	fastShutdownWait      = 30 * time.Second // SIGINT
	immediateShutdownWait = 10 * time.Second // SIGQUIT
	killWait              = 5 * time.Second  // SIGKILL
)

// endLeftovers shuts down the processes that an earlier run left on the data folder. The caller holds
// the lock of DATA_DIR, so no other Errand wants these processes.
func (c *cluster) endLeftovers(ctx context.Context) error {
	pids, err := c.findProcesses()
	if err != nil {
		return fmt.Errorf("looking for a postgres left on %s: %w", c.dir, err)
	}
	if len(pids) == 0 {
		return nil
	}
	if err := c.endLeftover(ctx, pids); err != nil {
		return fmt.Errorf("ending a postgres left on %s: %w", c.dir, err)
	}
	return nil
}

func (c *cluster) endLeftover(ctx context.Context, pids []int) error {
	if postmaster := c.postmasterPID(); slices.Contains(pids, postmaster) {
		c.log.Info("shutting down the postgres of an earlier run", "pid", postmaster)
		gone, err := c.signalLeftover(ctx, []int{postmaster}, syscall.SIGINT, fastShutdownWait)
		if gone || err != nil {
			return err
		}
	}
	// Sessions without a postmaster keep working until their statement ends: SIGQUIT makes them quit.
	if gone, err := c.signalLeftover(ctx, pids, syscall.SIGQUIT, immediateShutdownWait); gone || err != nil {
		return err
	}
	if gone, err := c.signalLeftover(ctx, pids, syscall.SIGKILL, killWait); gone || err != nil {
		return err
	}
	return fmt.Errorf("it does not end (pids %v): end it by hand", pids)
}

// signalLeftover sends sig and reports whether all processes of the cluster ended within the wait.
func (c *cluster) signalLeftover(ctx context.Context, pids []int, sig syscall.Signal, wait time.Duration) (bool, error) {
	for _, pid := range pids {
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return false, fmt.Errorf("pid %d: %w", pid, err)
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wait, errWaitOver)
	defer cancel()
	for delay := pollMin; ; delay = min(2*delay, pollMax) {
		left, err := c.findProcesses()
		if err != nil || len(left) == 0 {
			return err == nil, err
		}
		select {
		case <-ctx.Done():
			if cause := context.Cause(ctx); !errors.Is(cause, errWaitOver) {
				return false, cause
			}
			return false, nil
		case <-time.After(delay):
		}
	}
}

var errWaitOver = errors.New("wait is over")

// postmasterPID returns the pid in postmaster.pid, or 0. It is negative for a single-user Postgres,
// which has no fast shutdown.
func (c *cluster) postmasterPID() int {
	text, err := os.ReadFile(filepath.Join(c.dir, "postmaster.pid"))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0
	}
	return pid
}

// removeLockFiles removes the lock files of postgres processes that have ended. Postgres removes some
// itself, but it refuses to start while any process has the pid in them, even a zombie or an unrelated
// program. Call it only after endLeftovers.
func removeLockFiles(dataDir, socketDir string) error {
	for _, path := range []string{
		filepath.Join(dataDir, "postmaster.pid"),
		filepath.Join(socketDir, socketFile+".lock"),
	} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("removing a stale lock file: %w", err)
		}
	}
	return nil
}
