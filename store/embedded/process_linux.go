package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// setDeathSignal makes the system send sig to the child when the thread that started it ends, also
// because this process was killed.
func setDeathSignal(attr *syscall.SysProcAttr, sig syscall.Signal) { attr.Pdeathsig = sig }

// findProcesses returns the pids of the living postgres processes of this cluster, sessions included:
// each has the data folder as its working folder. A zombie has none, so it does not count.
func (c *cluster) findProcesses() ([]int, error) {
	dir, err := os.Stat(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	proc, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || !isPostgres(pid) {
			continue
		}
		// We cannot look into another user's process, but such a process cannot run on our data either.
		cwd, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
		if err == nil && os.SameFile(cwd, dir) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// isPostgres excludes the shell of someone who looks around in the data folder.
func isPostgres(pid int) bool {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err == nil && strings.Contains(string(name), "postgres")
}
