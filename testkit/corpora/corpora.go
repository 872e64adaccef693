// Package corpora finds the folder with data of real SDKs and other trackers, for tests that measure Errand against it. The data
// is not part of the repository: without it such tests are skipped.
package corpora

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// FindCorpus returns the path of one corpus (such as "grouping"): below the folder in the environment variable CORPORA, or else
// below ../shared/corpora beside the repository. It skips the test when the corpus is missing.
func FindCorpus(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("CORPORA")
	if root == "" {
		root = filepath.Join(findRepository(), "..", "shared", "corpora")
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpus at %s: set CORPORA to the folder that has %s", dir, name)
	}
	return dir
}

// ReadEvents calls read with each file's JSON in corpora with one event per file.
func ReadEvents(t testing.TB, read func(path string, text []byte), names ...string) {
	t.Helper()
	for _, name := range names {
		err := filepath.WalkDir(FindCorpus(t, name), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
				return err
			}
			text, err := os.ReadFile(path)
			if err == nil {
				read(path, text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// findRepository returns the relative path from the test's folder to the one with go.mod.
func findRepository() string {
	const deepest = 5
	way := "."
	for range deepest {
		if _, err := os.Stat(filepath.Join(way, "go.mod")); err == nil {
			break
		}
		way = filepath.Join("..", way)
	}
	return way
}
