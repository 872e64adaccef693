//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// stopTogether makes a stop reach the command and all its child processes.
func stopTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
