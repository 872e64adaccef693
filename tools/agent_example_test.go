package tools_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// notTools are fields in the example whose names look like tools.
var notTools = []string{"agent_fixable", "pr_url"}

// TestTheExampleOfAgentsNamesTools checks every word with an underscore in the texts that a repository adopts: it must be a tool.
func TestTheExampleOfAgentsNamesTools(t *testing.T) {
	t.Parallel()
	tools := map[string]bool{}
	for _, o := range core.V1.Operations() {
		tools[o.Name] = o.NotATool == ""
	}
	folder, named := os.DirFS("../examples"), 0

	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		text, err := fs.ReadFile(folder, path)
		for _, found := range regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`").FindAllSubmatch(text, -1) {
			word := string(found[1])
			if slices.Contains(notTools, word) {
				continue
			}
			require.True(t, tools[word], "%s names %s, which is not a tool", path, word)
			named++
		}
		return err
	})

	require.NoError(t, err)
	require.Greater(t, named, 8)
}
