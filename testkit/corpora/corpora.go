// Package corpora finds the folder with data of real SDKs and other trackers, for tests that measure Errand against
// it. The data is not part of the repository: such tests skip where it is absent.
package corpora

import (
	"os"
	"path/filepath"
	"testing"
)

// FindCorpus returns the path of one corpus (such as "grouping"): below the folder that the environment's CORPORA names, else
// below ../shared/corpora beside the repository. The test is skipped when the corpus is not there.
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

// findRepository returns the way from the folder of the test to that with go.mod.
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
