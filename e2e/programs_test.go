//go:build e2e

package e2e

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// freeAddress returns an address of loopback that nobody listens on.
func freeAddress(t *testing.T) string { return fmt.Sprint("127.0.0.1:", freePort(t)) }

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().(*net.TCPAddr).Port
}

// findProgram returns the program that a variable names, or the one on PATH. Without either the test is skipped.
func findProgram(t *testing.T, variable, name string) string {
	t.Helper()
	if program := os.Getenv(variable); program != "" {
		return program
	}
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s: install one, or name it in %s", name, variable)
	}
	return program
}

// startProgram starts a command, and kills it when the test ends. Its standard error goes to the test's output.
func startProgram(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Stderr = t.Output()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// findOwner returns the user and the group that own a folder.
func findOwner(t *testing.T, folder string) syscall.Credential {
	t.Helper()
	info, err := os.Stat(folder)
	require.NoError(t, err)
	stat := info.Sys().(*syscall.Stat_t)
	return syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}
}

// runAs makes a command run as a user, where root starts it: Postgres and PgBouncer refuse to run as root.
func runAs(owner syscall.Credential, cmd *exec.Cmd) {
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &owner}
	}
}
