package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrRunning says that another Errand holds the data folder.
var ErrRunning = errors.New("another errand is running")

// socketLine is where postmaster.pid names the folder of the socket.
const socketLine = 4

// RunningURL returns the connection string of the private Postgres that another Errand runs on the data folder, for
// commands that work beside a running server.
func RunningURL(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, clusterDir, "postmaster.pid"))
	if err != nil {
		return "", fmt.Errorf("the private postgres of %s: %w", dir, err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) <= socketLine || lines[socketLine] == "" {
		return "", fmt.Errorf("the private postgres of %s is not ready", dir)
	}
	return connectionURL(lines[socketLine], databaseName), nil
}

// HasData reports whether the data folder has a private Postgres, running or not. It makes nothing.
func HasData(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, clusterDir, "PG_VERSION"))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil && !errors.Is(err, os.ErrPermission):
		return false, err
	}
	return true, nil // a folder that cannot be read counts as data
}
