//go:build !linux

package embedded

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// setDeathSignal does nothing: only Linux can end a child with its parent. Elsewhere the next
// start shuts down what is left.
func setDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}

// psWait bounds the ps program.
const psWait = 10 * time.Second

// findProcesses returns the pid of the living postmaster of this cluster. It does not find sessions
// that outlive the postmaster: Postgres refuses to start until they have ended, and is then started again.
func (c *cluster) findProcesses() ([]int, error) {
	pid := c.postmasterPID()
	if pid <= 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), psWait)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ps", "-ww", "-o", "stat=,command=", "-p", strconv.Itoa(pid)).Output()
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return nil, nil // it has ended since
	}
	if err != nil {
		return nil, fmt.Errorf("ps: %w", err)
	}
	stat, command, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if strings.HasPrefix(stat, "Z") || !strings.Contains(command, "postgres") || !strings.Contains(command, "-D "+c.dir) {
		return nil, nil
	}
	return []int{pid}, nil
}
