package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"errand/core"
)

// runningServer is an entry in the user's list of running servers: a folder with a file per
// server. Through it commands find the installation of a server that was started with another DATA_DIR.
type runningServer struct {
	DataDir  string `json:"data_dir"` // of its private Postgres; empty with DATABASE_URL
	Database string `json:"database"` // DATABASE_URL without the password; empty with a private Postgres
	URL      string `json:"url"`
}

// String names the server in an error.
func (s runningServer) String() string {
	if s.DataDir == "" {
		return fmt.Sprintf("%s with DATABASE_URL %s", s.URL, s.Database)
	}
	return fmt.Sprintf("%s with DATA_DIR %s", s.URL, s.DataDir)
}

// How often a server tries to lock its entry, which a command may hold for a moment, and the pause between two tries.
const (
	entryLockTries = 10
	entryLockPause = 20 * time.Millisecond
)

// findServersDir returns the folder of the list.
func findServersDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "errand", "servers"), nil
	}
	if os.Geteuid() == 0 {
		return "/run/errand/servers", nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state", "errand", "servers"), nil
}

// AnnounceServer adds the server to the list of running servers of its user, until it is closed. A server that cannot
// do so, for lack of a home folder, works without it.
func (a *App) AnnounceServer() {
	entry := runningServer{URL: a.URL()}
	if a.config.isPrivate() {
		entry.DataDir = findRealPath(a.config.DataDir)
	} else {
		entry.Database = redactURL(a.config.DatabaseURL.Reveal())
	}
	file, err := writeEntry(entry)
	if err != nil {
		a.log.Debug("commands on this machine need DATA_DIR or DATABASE_URL to find this server", "error", err)
		return
	}
	a.stops.add("the entry in the list of running servers", func(context.Context) error {
		return errors.Join(os.Remove(file.Name()), file.Close())
	})
}

// writeEntry writes an entry and returns its file, which stays locked while the process lives.
func writeEntry(entry runningServer) (*os.File, error) {
	dir, err := findServersDir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte(entry.String())))[:16]+".json")
	if err := writeSecret(path, core.Secret(text)); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if n == entryLockTries {
			return nil, errors.Join(err, file.Close())
		}
		time.Sleep(entryLockPause)
	}
}

// listRunning returns the running servers of this user. Entries of killed servers are left out: their locks are gone.
func listRunning() (running []runningServer) {
	dir, err := findServersDir()
	if err != nil {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.json")) // fails only for a bad pattern
	for _, path := range files {
		var entry runningServer
		text, err := readSecret(path)
		if err == nil && isLocked(path) && json.Unmarshal([]byte(text), &entry) == nil {
			running = append(running, entry)
		}
	}
	return running
}

// isLocked reports whether a process holds a lock on the file.
func isLocked(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK)
}

// findRealPath returns the absolute path without links, as far as it can be found.
func findRealPath(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return path
}

// nameRunning returns a sentence that names the running servers; empty without any.
func nameRunning(running []runningServer) string {
	if len(running) == 0 {
		return ""
	}
	names := make([]string, len(running))
	for i, server := range running {
		names[i] = server.String()
	}
	return ". Running: " + strings.Join(names, ", ")
}
