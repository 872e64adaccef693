package embedded

import (
	"bytes"
	"context"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// outputWait bounds the wait for the output of a program that has ended.
const outputWait = 5 * time.Second

// runProgram runs cmd to its end and returns what it printed. When ctx ends, the program and all
// it started are killed.
func runProgram(ctx context.Context, cmd *exec.Cmd) (string, error) {
	// The death signal is tied to the thread that starts the program.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = outputWait
	if err := cmd.Start(); err != nil {
		return "", err
	}
	killed := context.AfterFunc(ctx, func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // fails only for a group that has ended
	})
	err := cmd.Wait()
	if !killed() {
		return out.String(), context.Cause(ctx)
	}
	return out.String(), err
}

// lastLines shortens the output of a program for an error message.
func lastLines(out string) string {
	const enough = 1000
	out = strings.TrimSpace(out)
	if len(out) > enough {
		out = out[len(out)-enough:]
		if _, whole, ok := strings.Cut(out, "\n"); ok {
			out = whole
		}
	}
	return strings.ToValidUTF8(out, "")
}
