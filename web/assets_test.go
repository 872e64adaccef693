package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAssetsAreSmall holds what the style sheet and the script may weigh, compressed.
func TestAssetsAreSmall(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{styleAsset: 8 << 10, scriptAsset: 6 << 10, iconAsset: 1 << 10} {
		request := httptest.NewRequest(http.MethodGet, AssetPath(name), nil)
		request.Header.Set("Accept-Encoding", "br, gzip")
		answer := httptest.NewRecorder()

		AssetRoutes()[AssetPath(name)].ServeHTTP(answer, request)

		require.Equal(t, http.StatusOK, answer.Code)
		require.LessOrEqual(t, answer.Body.Len(), most, name)
		require.Equal(t, "public, max-age=31536000, immutable", answer.Header().Get("Cache-Control"))
		if answer.Header().Get("Content-Encoding") == "gzip" {
			_, err := gzip.NewReader(bytes.NewReader(answer.Body.Bytes()))
			require.NoError(t, err)
		}
	}
}

// TestStyleKeepsItsRules holds what the sheet does without.
func TestStyleKeepsItsRules(t *testing.T) {
	t.Parallel()
	entries, err := assetFiles.ReadDir("style")
	require.NoError(t, err)
	var joined []byte
	for _, entry := range entries {
		text, err := assetFiles.ReadFile("style/" + entry.Name())
		require.NoError(t, err)
		require.Regexp(t, `(?s)@layer \w+ \{.*\}\n$`, string(text), entry.Name())
		require.Contains(t, stylesJoined(), string(text), "%s is not served", entry.Name())
		joined = append(joined, text...)
	}
	require.NotContains(t, string(joined), "!important")
	require.NotContains(t, string(joined), "url(")
	require.NotRegexp(t, regexp.MustCompile(`(?m)^\s*#[a-z]`), string(joined), "a selector by id")
}

// stylesJoined returns the sheet as it is served.
func stylesJoined() string {
	answer := httptest.NewRecorder()
	AssetRoutes()[AssetPath(styleAsset)].ServeHTTP(answer, httptest.NewRequest(http.MethodGet, AssetPath(styleAsset), nil))
	return answer.Body.String()
}
