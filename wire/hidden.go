package wire

import (
	"slices"
	"strings"
	"unicode"
)

// IsHidden reports whether a character could steer a terminal or reorder what is read: a control or format character, such as
// ESC or a bidi override, or a separator of lines.
func IsHidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

// RemoveHidden returns a text of the app or of a server without the characters that IsHidden finds, except those in kept. Terminals
// show it.
func RemoveHidden(text string, kept ...rune) string {
	return strings.Map(func(r rune) rune {
		if IsHidden(r) && !slices.Contains(kept, r) {
			return -1
		}
		return r
	}, text)
}
