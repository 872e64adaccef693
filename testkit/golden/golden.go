// Package golden compares the output of a test with a committed file. `make golden` rewrites the files.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// CheckFile fails the test unless the file at the path holds exactly got; a missing file fails too. With -update it writes the
// file.
func CheckFile(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run make golden, and read what it wrote")
	require.Equal(t, string(want), got, "%s is not what the code makes: run make golden, and read the diff", path)
}

// CheckNames fails the test unless the folder holds exactly these files. With -update it removes the others.
func CheckNames(t testing.TB, dir string, names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	for _, entry := range entries {
		if known[entry.Name()] {
			continue
		}
		if *update {
			require.NoError(t, os.Remove(filepath.Join(dir, entry.Name())))
			continue
		}
		t.Errorf("%s is the golden file of nothing: run make golden", filepath.Join(dir, entry.Name()))
	}
}
