package sourcemap_test

import (
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"errand/sourcemap"
)

func TestDecodeInlineMap(t *testing.T) {
	t.Parallel()
	for link, wanted := range map[string]string{
		"data:application/json;base64,eyJ2ZXJzaW9uIjozfQ==":               `{"version":3}`,
		"data:application/json;base64,eyJ2ZXJzaW9uIjozfQ":                 `{"version":3}`,
		"data:application/json;charset=utf-8;base64,eyJ2ZXJzaW9uIjozfQ==": `{"version":3}`,
		"data:application/json,%7B%22version%22%3A3%7D":                   `{"version":3}`,
		"data:application/json,%7B%22version%22%3A3%7D\n//# debugId=1":    `{"version":3}`,
		"data:text/html,x": "", "app.js.map": "", "data:application/json;base64,???": "", "data:application/json,%7": "",
		"data:application/json,%GG": "", "data:application/json" + strings.Repeat(";", 5000) + ",x": "", "data:application/json": "",
	} {
		data, err := sourcemap.DecodeInlineMap(link)
		require.Equal(t, wanted != "", err == nil, link)
		if wanted != "" {
			require.Equal(t, wanted, string(data))
		}
	}
}

// TestFindInlineMap searches files that arrive in pieces of any length.
func TestFindInlineMap(t *testing.T) {
	t.Parallel()
	const found = "//# sourceMappingURL=data:application/json,{}"
	decoy := `const s = "//# sourceMappingURL=data:application/json;base64,";` + "\n"
	for _, padding := range []int{0, 1, 65_490, 65_500, 65_510, 65_536, 200_000} {
		code := decoy + strings.Repeat("x", padding) + "\n"
		for name, reader := range map[string]io.Reader{
			"whole": strings.NewReader(code + found + "\n"), "halves": iotest.HalfReader(strings.NewReader(code + found)),
			"with its end": iotest.DataErrReader(strings.NewReader(code + found + "\n//# debugId=x\n")),
		} {
			at, err := sourcemap.FindInlineMap(reader)

			require.NoError(t, err)
			require.EqualValues(t, len(code)+len("//# sourceMappingURL="), at, "%s %d", name, padding)
		}
	}
	at, err := sourcemap.FindInlineMap(strings.NewReader("f()\n//# sourceMappingURL=a.map"))
	require.NoError(t, err)
	require.EqualValues(t, -1, at)
	failure := errors.New("gone")
	_, err = sourcemap.FindInlineMap(iotest.ErrReader(failure))
	require.ErrorIs(t, err, failure)
}

// TestInlineMapInPieces decodes a URL that is longer than one read.
func TestInlineMapInPieces(t *testing.T) {
	t.Parallel()
	text := `{"sources":["` + strings.Repeat("a b%", 100_000) + `"]}`
	reader, err := sourcemap.NewInlineReader(iotest.OneByteReader(strings.NewReader("data:application/json," + url.PathEscape(text))))
	require.NoError(t, err)
	got, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, text, string(got))
}
