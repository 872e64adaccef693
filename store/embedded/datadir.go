package embedded

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// makeDataDir returns the real path of DATA_DIR, made when it does not exist.
func makeDataDir(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("no data folder given: set DATA_DIR")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("data folder: %w", err)
	}
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711 // the Postgres user may pass through to its own folder, but list nothing
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(dir, mode); err != nil {
			return "", fmt.Errorf("data folder: %w", err)
		}
		if err := os.Chmod(dir, mode); err != nil { // a strict umask would shut the user out
			return "", fmt.Errorf("data folder: %w", err)
		}
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("data folder: %w", err)
	}
	return dir, nil
}

// lockDataDir takes the lock of DATA_DIR, for unlockDataDir to release. Killing this process releases
// it too: Go opens files close-on-exec, so no child keeps it. The file itself stays, because a lock on
// a removed file would keep nobody out.
func lockDataDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "errand.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking the data folder: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = heldError(f, dir)
	} else if err == nil {
		err = writePID(f)
	}
	if err != nil {
		return nil, fmt.Errorf("locking the data folder: %w", errors.Join(err, f.Close()))
	}
	return f, nil
}

// unlockDataDir releases the lock. Closing the file is not enough: a child that is starting at this
// moment holds a copy of it until its exec.
func unlockDataDir(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

func heldError(f *os.File, dir string) error {
	pid, err := io.ReadAll(io.LimitReader(f, 32))
	if holder := strings.TrimSpace(string(pid)); err == nil && holder != "" {
		return fmt.Errorf("%w on %s (pid %s)", ErrRunning, dir, holder)
	}
	return fmt.Errorf("%w on %s", ErrRunning, dir)
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := fmt.Fprintf(f, "%d\n", os.Getpid())
	return err
}
