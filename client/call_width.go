package client

import (
	"strings"
	"unicode"

	"errand/wire"

	"golang.org/x/text/width"
)

const (
	// mostMarks is how many combining marks a character keeps in a table. Real scripts need no more, and a stack of
	// them would be drawn over the lines above.
	mostMarks = 3
	// unknownRune replaces a character that this version does not know: its width differs between terminals.
	unknownRune = '\ufffd'
)

// runeWidth returns how many columns of a terminal a character takes: 0, 1 or 2.
func runeWidth(r rune) int {
	switch {
	case isMark(r):
		return 0
	case r < 0x80:
		return 1
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// isMark reports whether a character is drawn over the one before it, as are vowels and final consonants of decomposed Hangul.
func isMark(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me) || 0x1160 <= r && r <= 0x11ff || 0xd7b0 <= r && r <= 0xd7ff
}

// changesEmoji reports whether a character only selects the look of the one before it: terminals disagree on the width of the pair.
func changesEmoji(r rune) bool {
	return 0x1f3fb <= r && r <= 0x1f3ff || unicode.Is(unicode.Variation_Selector, r)
}

// textWidth returns how many columns a text from cleanCell takes.
func textWidth(text string) (columns int) {
	for _, r := range text {
		columns += runeWidth(r)
	}
	return columns
}

// cleanCell writes a value in one line of characters with known widths, without any that could control a terminal.
func cleanCell(value any) string {
	marks, isFirst := 0, true
	return strings.Map(func(r rune) rune {
		switch {
		case wire.IsHidden(r) || changesEmoji(r):
			return -1
		case !unicode.IsGraphic(r):
			r = unknownRune
		}
		marks++
		if !isMark(r) {
			marks, isFirst = 0, false
		}
		if isFirst || marks > mostMarks { // at the start of a cell, a mark would be drawn over the cell before
			return -1
		}
		return r
	}, strings.Join(strings.Fields(encodeOrdered(value)), " "))
}

// cutText returns the beginning of a text that is wider than a number of columns, with a sign of the cut.
func cutText(text string, columns int) string {
	if textWidth(text) <= columns {
		return text
	}
	room := columns - 1
	for at, r := range text {
		if room -= runeWidth(r); room < 0 {
			return text[:at] + "…"
		}
	}
	return text
}

// padText fills a text with spaces up to a number of columns.
func padText(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-textWidth(text)))
}
