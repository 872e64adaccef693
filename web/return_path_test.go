package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzLocalPath holds that no text leads to another site, as browsers read addresses: a backslash is a slash, and tabs and ends of
// lines are left out.
func FuzzLocalPath(f *testing.F) {
	for _, text := range []string{
		"/docs?x=1#y", "//evil.example", `/\evil.example`, "/\t/evil.example", "https://evil.example", "/%5cevil.example", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := localPath(text)

		read := strings.NewReplacer(`\`, "/", "\t", "", "\n", "", "\r", "").Replace(path)
		base, err := url.Parse("https://errors.example/sign-in")
		require.NoError(t, err)
		target, err := base.Parse(read)
		require.NoError(t, err)
		require.Equal(t, "errors.example", target.Host)
		require.Equal(t, "https", target.Scheme)
		require.False(t, strings.HasPrefix(read, "//"))
	})
}
