package embedded

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	socketFile = ".s.PGSQL." + port
	// maxSocketPath is the length of the shortest sun_path field (104 bytes, macOS) without its NUL.
	maxSocketPath = 103
)

// socketDir is the folder of the unix socket. Its mode 0700 keeps others out.
type socketDir struct {
	path      string
	temporary bool // made for the socket, and removed with it
}

// makeSocketDir returns the data folder itself, which is closed to others already. If its path is too
// long, it makes a short folder for the socket.
func makeSocketDir(dataDir string, owner account) (socketDir, error) {
	if fitsSocket(dataDir) {
		return socketDir{path: dataDir}, nil
	}
	name := fmt.Sprintf("errand-%x", sha256.Sum256([]byte(dataDir)))[:len("errand-")+16]
	bases := []string{os.TempDir(), "/tmp"}
	if os.Geteuid() == 0 {
		bases = []string{"/run", "/tmp"} // root's own TMPDIR may be closed to the Postgres user
	}
	var failed []error
	for _, base := range bases {
		path := filepath.Join(base, name)
		if !fitsSocket(path) {
			continue
		}
		err := remakePrivateDir(path, owner)
		if err == nil {
			return socketDir{path: path, temporary: true}, nil
		}
		failed = append(failed, err)
	}
	return socketDir{}, fmt.Errorf("no folder for the socket of the private Postgres: the path of %s is too long, and: %w",
		dataDir, errors.Join(failed...))
}

// fitsSocket reports whether a socket can be in dir: its path is short enough and has none of the
// characters that separate paths in Postgres's setting and in connection strings.
func fitsSocket(dir string) bool {
	return len(filepath.Join(dir, socketFile)) <= maxSocketPath && !strings.ContainsAny(dir, `,"`)
}

// remakePrivateDir makes a new folder at path: in a folder that is open to all, an existing one could
// be someone else's. The caller holds the lock of the data folder that the name belongs to.
func remakePrivateDir(path string, owner account) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return owner.giveToAccount(path)
}

func (d socketDir) remove() error {
	if !d.temporary {
		return nil
	}
	return os.RemoveAll(d.path)
}
