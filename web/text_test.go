package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestWhatShowsNothingIsSpelledOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[core.Untrusted]string{
		"Zahlung für 3 €":       "Zahlung für 3 €",
		"pay\u202egnp.exe":      "pay[U+202E]gnp.exe",
		"a\u200bb\u2066c\ufeff": "a[U+200B]b[U+2066]c[U+FEFF]",
		"two\nlines\x00":        "two[U+000A]lines[U+0000]",
		"wide\u3000space\u00a0": "wide[U+3000]space[U+00A0]",
	} {
		require.Equal(t, want, showText(text))
	}
}
