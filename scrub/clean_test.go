package scrub

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "plain text", "plain text"},
		{"lines and tabs", "a\n\tb", "a\n\tb"},
		{"line ends", "a\r\nb\rc\u2028d\u2029e\u0085f", "a\nb\nc\nd\ne\nf"},
		{"C0, C1 and DEL", "a\x00b\x07c\x7fd\u0080e\u009ff", "abcdef"},
		{"directions", "a\u202eb\u202ac\u2066d\u2069e\u200ef\u200fg\u061ch", "abcdefgh"},
		{"zero width", "pass\u200bword\ufeff\u2060\u00ad\u034f", "password"},
		{"tags", "a\U000e0041\U000e0042\U000e007fb\U000e0101", "ab"},
		{"blank letters", "a\u3164\u115f\u1160\uffa0b", "ab"},
		{"colours", "\x1b[31mred\x1b[0m \x1b[1;32mgreen\x1b[K", "red green"},
		{"half a colour", "\x1b[31", "[31"},
		{"not UTF-8", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"other scripts stay", "héllo 世界 Привет ¿qué? naïve…", "héllo 世界 Привет ¿qué? naïve…"},
		{"emoji stay", "👩\u200d💻 ❤\ufe0f ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈", "👩\u200d💻 ❤\ufe0f ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈"},
		{"Persian joiners stay", "می\u200cخواهم", "می\u200cخواهم"},
		{"joiners in ASCII", "pass\u200dword\u200c\ufe0f", "password"},
		{"hidden runs of selectors", "😀\ufe00\ufe01\ufe02\ufe0f!", "😀\ufe00!"},
		{"hidden runs of joiners", "世\u200d\u200d\u200c界", "世\u200c界"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, cleanCharacters(tt.in))
			require.Equal(t, tt.want, DefaultRules().ScrubText(tt.in))
		})
	}
}

// hostileText draws texts with removed characters beside others.
func hostileText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{"\x1b[", "\x1b", "[31m", "\u200d", "\ufe0f", "👍", "\u200b", "\r", "\n", "\r\n", "\xff", "\xe2\x80",
				"\u202e", "a", "世", "\u2028", "\U000e0041"}),
			rapid.String(),
		), 0, 8).Draw(t, "parts")
		s := ""
		for _, p := range parts {
			s += p
		}
		return s
	})
}

func TestCleanProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := hostileText().Draw(t, "text")
		got := cleanCharacters(s)
		require.Equal(t, got, cleanCharacters(got), "cleaning twice is cleaning once: %q", s)
		requireVisible(t, got)
	})
}

func requireVisible(t require.TestingT, s string) {
	require.True(t, utf8.ValidString(s))
	for _, r := range s {
		if r == '\n' || r == '\t' {
			continue
		}
		require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x200B || r == 0xFEFF || r == 0x2028 ||
			r == 0x2029, "%U in %q", r, s)
	}
}
