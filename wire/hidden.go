package wire

import (
	"slices"
	"strings"
	"unicode"
)

// IsHidden reports whether a character could control a terminal or reorder what people read: a control or format
// character, such as ESC or a bidi override, or a separator of lines.
func IsHidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

// RemoveHidden returns a text from an app or a server for a terminal, without the characters that IsHidden finds, except those in kept.
func RemoveHidden(text string, kept ...rune) string {
	return strings.Map(func(r rune) rune {
		if IsHidden(r) && !slices.Contains(kept, r) {
			return -1
		}
		return r
	}, text)
}
