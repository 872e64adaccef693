package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

const (
	restartMin = 100 * time.Millisecond // the first wait before a restart; doubled each time
	restartMax = 5 * time.Second
	steadyTime = 30 * time.Second // after a run of this length the waits start at restartMin again

	logCheckEvery = time.Minute
)

// supervise runs postgres until running ends, and restarts it when it ends by itself. Once patience has
// ended too, it stops waiting for a clean shutdown.
//
// It is one goroutine on one thread for the whole life of the server: postgres gets its death
// signal when the thread that started it ends.
func (s *Server) supervise(running, patience context.Context) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(s.done)
	err := s.keepRunning(running, patience)
	s.stopErr = errors.Join(err, s.freeResources())
}

// keepRunning returns when both running and postgres have ended.
func (s *Server) keepRunning(running, patience context.Context) error {
	for delay := restartMin; ; delay = min(2*delay, restartMax) {
		began := time.Now()
		stopped, err := s.runPostgres(running, patience)
		if stopped {
			return err
		}
		if s.reserve.isFull() {
			err = fmt.Errorf("disk full at %s: %w", filepath.Dir(s.cluster.dir), err)
			s.reserve.release()
		}
		if time.Since(began) > steadyTime {
			delay = restartMin
		}
		select {
		case s.exits <- err:
		default:
		}
		s.log.Error("the private postgres ended; it is started again", "error", err, "after", delay)
		select {
		case <-running.Done():
			return nil
		case <-time.After(delay):
		}
		if err := s.clearLeftovers(running); err != nil && running.Err() == nil {
			s.log.Warn("clearing up after the private postgres", "error", err)
		}
	}
}

// runPostgres runs one postgres process to its end. stopped reports whether it ended because running
// did; then the error is about the shutdown.
func (s *Server) runPostgres(running, patience context.Context) (stopped bool, err error) {
	out, err := s.logFile.open()
	if err != nil {
		return false, err
	}
	defer out.Close()
	cmd := s.command()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return false, err
	}
	s.log.Info("private postgres started", "pid", cmd.Process.Pid)
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()

	check := time.NewTicker(logCheckEvery)
	defer check.Stop()
	for {
		select {
		case err := <-exited:
			return false, exitError(cmd, err)
		case <-running.Done():
			return true, shutDown(patience, cmd, exited)
		case <-check.C:
			s.reserve.keep()
			if err := s.logFile.boundSize(); err != nil {
				s.log.Warn("shortening the log of the private postgres", "error", err)
			}
		}
	}
}

// shutDown ends postgres, with SIGKILL if nothing else helps. Sessions that are just ending by
// themselves get a moment: each session that is ended by force leaves an error in the log.
func shutDown(patience context.Context, cmd *exec.Cmd, exited <-chan error) error {
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGTERM, smartShutdownWait}, {syscall.SIGINT, fastShutdownWait}} {
		sendSignal(cmd.Process, step.signal)
		select {
		case err := <-exited:
			if err != nil {
				return exitError(cmd, err)
			}
			return nil
		case <-patience.Done():
		case <-time.After(step.wait):
		}
	}
	sendSignal(cmd.Process, syscall.SIGQUIT)
	select {
	case <-exited: //nolint:errcheck // the result of an immediate end does not matter
		return errors.New("the private postgres had no time for a clean shutdown; its next start will recover")
	case <-time.After(immediateShutdownWait):
	}
	sendSignal(cmd.Process, syscall.SIGKILL)
	//nolint:errcheck // there is nothing to say about it except that it was killed
	<-exited
	return errors.New("the private postgres had to be killed; its next start will recover")
}

// sendSignal ignores that the process may have ended already: the caller waits for its exit.
func sendSignal(p *os.Process, sig syscall.Signal) { _ = p.Signal(sig) }

func exitError(cmd *exec.Cmd, err error) error {
	if err == nil {
		return fmt.Errorf("postgres (pid %d) shut down by itself", cmd.Process.Pid)
	}
	return fmt.Errorf("postgres (pid %d): %w", cmd.Process.Pid, err)
}
