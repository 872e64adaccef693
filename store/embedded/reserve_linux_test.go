package embedded

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// mountDisk mounts a disk of 512 MB, in memory.
func mountDisk(t *testing.T) string {
	t.Helper()
	if !asRoot() {
		t.Skip("mounting a disk needs root")
	}
	dir := newDir(t)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512m,mode=0755"); err != nil {
		t.Skip("a disk cannot be mounted here: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fillDisk writes a file until nothing is free.
func fillDisk(t *testing.T, name string) {
	t.Helper()
	file, err := os.Create(name)
	require.NoError(t, err)
	defer file.Close()
	for size := 1 << 20; size >= 512; {
		if _, err := file.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			require.ErrorIs(t, err, io.ErrShortWrite)
		}
	}
}

// TestReadingGoesOnOnAFullDisk fills the disk until Postgres ends: it comes back by the reserve, and the log says why.
func TestReadingGoesOnOnAFullDisk(t *testing.T) {
	t.Parallel()
	disk := mountDisk(t)
	s, log := startWithLog(t, filepath.Join(disk, "data"))
	s.reserve.keep()
	require.FileExists(t, s.reserve.path)
	conn := connect(t, s.URL())
	execStatement(t, conn, "CREATE TABLE t (n int); INSERT INTO t VALUES (7), (8); CHECKPOINT")
	fillDisk(t, filepath.Join(disk, "ballast"))

	for range 1000 { // writes to the log of changes alone
		if _, err := conn.Exec(t.Context(), "SELECT pg_logical_emit_message(false, 'x', repeat('x', 1000000))"); err != nil {
			break
		}
	}

	var n int
	requireEventually(t, func() bool {
		back, err := pgx.Connect(t.Context(), s.URL())
		if err != nil {
			return false
		}
		defer back.Close(context.Background())
		return back.QueryRow(t.Context(), "SELECT count(*) FROM t").Scan(&n) == nil && n > 0
	}, "reading again")
	require.Equal(t, 2, n)
	require.NoFileExists(t, s.reserve.path)
	require.Contains(t, log.String(), "disk full at "+filepath.Join(disk, "data"))
	require.Contains(t, log.String(), "its reserve was let go")
	conn = connect(t, s.URL())
	execStatement(t, conn, "DELETE FROM t")
	require.NoError(t, os.Remove(filepath.Join(disk, "ballast")))
	s.reserve.keep()
	require.FileExists(t, s.reserve.path)
}
