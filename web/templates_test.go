package web

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Pages are parsed when they are first shown; a mistake in one must not wait for that.
func TestEveryPageIsATemplate(t *testing.T) {
	t.Parallel()
	entries, err := templateFiles.ReadDir(".")
	require.NoError(t, err)
	parsed := 0
	for _, entry := range entries {
		if name, isPage := strings.CutSuffix(entry.Name(), ".html"); isPage && entry.Name() != layoutFile {
			require.NotNil(t, pages.findPage(name).Lookup("content"), name)
			parsed++
		}
	}
	require.Greater(t, parsed, 10)
}
