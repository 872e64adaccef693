package grouping

import (
	"strings"
	"unicode/utf8"
)

// wordShape is what a word of letters and digits looks like.
type wordShape struct {
	digits, letters, uppers int
	changes                 int // from letters to digits or back
	isHex                   bool
}

func shapeOf(word string) wordShape {
	s := wordShape{isHex: true}
	for i := range len(word) {
		c := word[i]
		if isDigit(rune(c)) {
			s.digits++
		} else {
			s.letters++
			if 'A' <= c && c <= 'Z' {
				s.uppers++
			}
			s.isHex = s.isHex && isHexDigit(c)
		}
		if i > 0 && isDigit(rune(c)) != isDigit(rune(word[i-1])) {
			s.changes++
		}
	}
	return s
}

// uuidLength returns the length of a UUID at the start of s, or 0.
func uuidLength(s string) int {
	const length = 36
	if len(s) < length || len(s) > length && isWord(s[length]) {
		return 0
	}
	for i := range length {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return 0
			}
		default:
			if !isHexDigit(s[i]) {
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

// maxTextRead is how much of one text grouping reads: what tells errors apart stands at the start of their messages, and no
// sender's text may cost seconds.
const maxTextRead = 8 << 10

// maxNameRead is how much of a name is read. The longest ones in use, of templates in C++, have several hundred characters.
const maxNameRead = 2 << 10

// clipText returns the start of a text, at most maxText bytes of it.
func clipText(s string) string { return clipTo(s, maxTextRead) }

func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// firstLine returns the first line with text in it, without the space around it, at most maxText bytes of it.
func firstLine(s string) string {
	if s != "" && s[0] <= ' ' {
		s = strings.TrimLeft(s, " \t\r\n\v\f")
	}
	s = clipText(s)
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// maxTitle is the length of titles and culprits in characters (decisions 4).
const maxTitle = 200

// shortenLine returns the first line of a text, cut to maxTitle characters, the last of which then say so.
func shortenLine(s string) string {
	s = firstLine(s)
	if len(s) <= maxTitle || utf8.RuneCountInString(s) <= maxTitle {
		return s
	}
	const more = "..."
	end, n := 0, 0
	for i := range s {
		if n == maxTitle-len(more) {
			end = i
			break
		}
		n++
	}
	return strings.TrimRight(s[:end], " ") + more
}
