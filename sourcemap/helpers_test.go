package sourcemap_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/sourcemap"
)

const testCache = 1 << 20

func buildMap(t testing.TB, text string) *sourcemap.Built {
	built, err := sourcemap.BuildIndex(strings.NewReader(text))
	require.NoError(t, err)
	return built
}

func encodeBuilt(t testing.TB, built *sourcemap.Built) []byte {
	var out bytes.Buffer
	written, err := built.WriteTo(&out)
	require.NoError(t, err)
	require.Equal(t, built.Summary().Size, written)
	return out.Bytes()
}

// openBuilt opens an index, after the check of uploads.
func openBuilt(t testing.TB, built *sourcemap.Built) *sourcemap.Index {
	data := encodeBuilt(t, built)
	summary, err := sourcemap.CheckIndex(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	require.Equal(t, built.Summary(), summary)
	x := openIndex(t, data, sourcemap.NewCache(testCache))
	require.Equal(t, summary, x.Summary())
	return x
}

func openIndex(t testing.TB, data []byte, cache *sourcemap.Cache) *sourcemap.Index {
	x, err := sourcemap.Open(bytes.NewReader(data), int64(len(data)), cache)
	require.NoError(t, err)
	return x
}

func openMap(t testing.TB, text string) *sourcemap.Index { return openBuilt(t, buildMap(t, text)) }

// ignoredSources returns the ignored sources of the suite's map; there are no mappings to find them
// by.
func ignoredSources(t testing.TB, x *sourcemap.Index) []string {
	sources, err := x.ListSources()
	require.NoError(t, err)
	var ignored []string
	for _, source := range sources {
		if source.Ignored {
			ignored = append(ignored, source.URL)
		}
	}
	return ignored
}
