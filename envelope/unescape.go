package envelope

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape resolves the escapes of a JSON string. NUL is left out, as databases refuse it; half of a surrogate pair
// becomes U+FFFD; an escape that JSON does not know stands for itself.
func (s *scanner) unescape(escaped string) string {
	if s.arena.Cap()-s.arena.Len() < len(escaped) {
		s.arena = strings.Builder{}
		s.arena.Grow(max(len(escaped), min(len(s.text)/4, arenaChunk)))
	}
	start := s.arena.Len()
	for {
		i := strings.IndexByte(escaped, '\\')
		if i < 0 || i+1 >= len(escaped) {
			s.arena.WriteString(escaped)
			return s.arena.String()[start:]
		}
		s.arena.WriteString(escaped[:i])
		escaped = escaped[i+1:]
		if escaped[0] == 'u' {
			escaped = s.unescapeUnicode(escaped)
			continue
		}
		s.writeEscaped(escaped[0])
		escaped = escaped[1:]
	}
}

// arenaChunk is how much room for unescaped text is made at once, at most.
const arenaChunk = 2048

func (s *scanner) writeEscaped(c byte) {
	switch c {
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case '"', '\\', '/':
	default:
		s.arena.WriteByte('\\')
	}
	s.arena.WriteByte(c)
}

// unescapeUnicode resolves uXXXX, with the second half of a surrogate pair, and gives the rest.
func (s *scanner) unescapeUnicode(text string) string {
	r, ok := hex4(text[1:])
	if !ok {
		s.arena.WriteByte('\\')
		s.arena.WriteByte('u')
		return text[1:]
	}
	text = text[5:]
	if utf16.IsSurrogate(r) {
		low, isEscape := rune(0), strings.HasPrefix(text, `\u`)
		if isEscape {
			low, isEscape = hex4(text[2:])
		}
		if r = utf16.DecodeRune(r, low); isEscape && r != utf8.RuneError {
			text = text[6:]
		}
	}
	if r != 0 {
		s.arena.WriteRune(r)
	}
	return text
}

// hex4 reads four hexadecimal digits.
func hex4(text string) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	var r rune
	for i := range 4 {
		digit := hexDigit(text[i])
		if digit < 0 {
			return 0, false
		}
		r = r<<4 | rune(digit)
	}
	return r, true
}

// hexDigit returns the value of a hexadecimal digit, or -1.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
