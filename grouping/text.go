package grouping

import (
	"strings"
	"unicode/utf8"
)

// wordShape describes the characters of a word of letters and digits.
type wordShape struct {
	digits, letters, uppers int
	changes                 int // from letters to digits or back
	isHex                   bool
}

func shapeOf(word string) wordShape {
	shape := wordShape{isHex: true}
	for i := range len(word) {
		char := word[i]
		if isDigit(rune(char)) {
			shape.digits++
		} else {
			shape.letters++
			if 'A' <= char && char <= 'Z' {
				shape.uppers++
			}
			shape.isHex = shape.isHex && isHexDigit(char)
		}
		if i > 0 && isDigit(rune(char)) != isDigit(rune(word[i-1])) {
			shape.changes++
		}
	}
	return shape
}

// uuidLength returns the length of a UUID at the start of the text, or 0.
func uuidLength(text string) int {
	const length = 36
	if len(text) < length || len(text) > length && isWord(text[length]) {
		return 0
	}
	for i := range length {
		switch i {
		case 8, 13, 18, 23:
			if text[i] != '-' {
				return 0
			}
		default:
			if !isHexDigit(text[i]) {
				return 0
			}
		}
	}
	return length
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isHexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func isHex(s string) bool {
	for i := range len(s) {
		if !isHexDigit(s[i]) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isWord reports whether a byte belongs to a word; all bytes beyond ASCII do.
func isWord(c byte) bool { return isLetter(c) || isDigit(rune(c)) || c == '_' || c >= 0x80 }

// maxTextRead is how much of one text grouping reads, in bytes. Errors differ at the start of their messages, and no sender's
// text may cost seconds.
const maxTextRead = 8 << 10

// maxNameRead is how much of a name is read, in bytes. The longest in use, names of C++ templates, have several hundred.
const maxNameRead = 2 << 10

// clipText returns the start of a text, at most maxTextRead bytes.
func clipText(s string) string { return clipTo(s, maxTextRead) }

// clipTo returns the start of a text, at most the given number of bytes, and only whole characters.
func clipTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// firstLine returns the first line with text in it, without the space around it, at most maxTextRead bytes.
func firstLine(text string) string {
	if text != "" && text[0] <= ' ' {
		text = strings.TrimLeft(text, " \t\r\n\v\f")
	}
	text = clipText(text)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
