package embedded

import (
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

const (
	// reserveSize is two files of Postgres's log of changes: to recover it needs one.
	reserveSize = 32 << 20
	// roomForReserve is how much must be free for the reserve to be made: it is no use on a disk that is nearly full.
	roomForReserve = 10 * reserveSize
	// fullBelow is how little is free on a full disk: less than a file of the log of changes.
	fullBelow = 16 << 20
)

// reserve is a file in the data folder that keeps room on the disk. Postgres ends when it cannot write its log of changes, and cannot
// recover either; the file is let go then, so that people can read, and delete what fills the disk.
type reserve struct {
	path string
	log  *slog.Logger
}

func newReserve(dir string, log *slog.Logger) reserve {
	return reserve{filepath.Join(dir, "reserve"), log}
}

// keep makes the file if there is none, or a part of it, and the disk has room.
func (r reserve) keep() {
	if info, err := os.Stat(r.path); err == nil && info.Size() == reserveSize || freeBytes(filepath.Dir(r.path)) < roomForReserve {
		return
	}
	if err := writeRandom(r.path, reserveSize); err != nil {
		r.log.Warn("making the reserve for a full disk", "error", err)
		_ = os.Remove(r.path) // a part of it takes room, and does not help
	}
}

// writeRandom makes a file of random bytes: zeros would take no room where the disk is compressed.
func writeRandom(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(f, rand.NewChaCha8([32]byte{}), size)
	return errors.Join(err, f.Close())
}

// isFull reports whether the disk of the data folder is full.
func (r reserve) isFull() bool { return freeBytes(filepath.Dir(r.path)) < fullBelow }

// release removes the file.
func (r reserve) release() {
	if err := os.Remove(r.path); err == nil {
		r.log.Warn("the disk is full: its reserve was let go, so that Postgres can start; make room, by deleting projects or lowering "+
			"RETENTION_DAYS", "path", filepath.Dir(r.path), "bytes", reserveSize)
	}
}

// freeBytes is what users may still write on the disk of a folder; very much when nobody knows.
func freeBytes(folder string) uint64 {
	var disk syscall.Statfs_t
	if syscall.Statfs(folder, &disk) != nil {
		return 1 << 62
	}
	return disk.Bavail * uint64(disk.Bsize) //nolint:gosec,unconvert // its type differs between systems, and it is never negative
}
