package sourcemap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/sourcemap"
	"errand/testkit/corpora"
)

// specTest is a test of the suite of TC39. Lines and columns are 0-based there.
type specTest struct {
	Name             string
	SourceMapFile    string
	SourceMapIsValid bool
	TestActions      []specAction
}

type specAction struct {
	ActionType                     string
	GeneratedLine, GeneratedColumn int
	OriginalSource                 *string
	OriginalLine, OriginalColumn   int
	MappedName                     *string
	IntermediateMaps, Present      []string
}

// All maps of TC39's suite are judged as the suite says. Maps with sections are refused by contract, unless they are flattened.
func TestCorporaTC39(t *testing.T) {
	t.Parallel()
	dir := corpora.FindCorpus(t, "tc39-source-map-tests")
	var suite struct{ Tests []specTest }
	text, err := os.ReadFile(filepath.Join(dir, "source-map-spec-tests.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &suite))
	require.Len(t, suite.Tests, 99)

	var agreed, sections, mappings int
	for _, test := range suite.Tests {
		t.Run(test.Name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, "resources", test.SourceMapFile))
			require.NoError(t, err)

			if bytes.Contains(data, []byte(`"sections"`)) {
				_, err := sourcemap.BuildIndex(bytes.NewReader(data))
				require.Error(t, err)
				if invalid, ok := errors.AsType[*sourcemap.Invalid](err); ok && invalid.Reason == sourcemap.HasSections {
					sections++
				}
			}
			built, err := sourcemap.BuildFlatIndex(bytes.NewReader(data))

			if !test.SourceMapIsValid {
				require.Error(t, err)
			} else {
				require.NoError(t, err)
				for _, action := range test.TestActions {
					checkAction(t, filepath.Join(dir, "resources"), openBuilt(t, built), action)
					mappings++
				}
			}
			agreed++
		})
	}
	t.Logf("%d of %d as the suite says, %d refused for their sections unless flattened; %d look-ups",
		agreed, len(suite.Tests), sections, mappings)
	require.Equal(t, len(suite.Tests), agreed)
	require.Greater(t, sections, 10)
	require.Greater(t, mappings, len(suite.Tests)/2)
}

func checkAction(t *testing.T, dir string, x *sourcemap.Index, action specAction) {
	if action.ActionType == "checkIgnoreList" {
		require.Equal(t, action.Present, ignoredSources(t, x))
		return
	}
	p, found, err := x.LookUp(action.GeneratedLine+1, action.GeneratedColumn+1)
	require.NoError(t, err)
	for _, name := range action.IntermediateMaps {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.True(t, found)
		p, found, err = openMap(t, string(data)).LookUp(p.Line, p.Column)
		require.NoError(t, err)
	}
	if action.OriginalSource == nil {
		require.Empty(t, p.Source)
		if !found {
			return
		}
	} else {
		require.Equal(t, *action.OriginalSource, p.Source)
	}
	require.Equal(t, []int{action.OriginalLine + 1, action.OriginalColumn + 1}, []int{p.Line, p.Column})
	if action.MappedName == nil {
		require.Empty(t, p.Name)
	} else {
		require.Equal(t, *action.MappedName, p.Name)
	}
}
