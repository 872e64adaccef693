package web

import (
	"fmt"
	"strings"
	"unicode"

	"errand/core"
)

// showText returns text of the monitored app for a page. Characters that show nothing, or turn the line around, stand there as their
// code points.
func showText(text core.Untrusted) string {
	var shown strings.Builder
	for _, r := range string(text) {
		if isShown(r) {
			shown.WriteRune(r)
		} else {
			fmt.Fprintf(&shown, "[U+%04X]", r)
		}
	}
	return shown.String()
}

// isShown reports whether a reader sees a character, or the space that it makes.
func isShown(r rune) bool { return r == ' ' || unicode.IsGraphic(r) && !unicode.In(r, unicode.Zs) }
