package envelope

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescapeString resolves the escapes of a JSON string. NUL is left out, because databases refuse it; half of a surrogate pair
// becomes U+FFFD; an escape that JSON does not know stands for itself.
func (s *scanner) unescapeString(escaped string) string {
	if s.unescaped.Cap()-s.unescaped.Len() < len(escaped) {
		s.unescaped = strings.Builder{}
		s.unescaped.Grow(max(len(escaped), min(len(s.text)/4, maxUnescapedChunk)))
	}
	start := s.unescaped.Len()
	for {
		i := strings.IndexByte(escaped, '\\')
		if i < 0 || i+1 >= len(escaped) {
			s.unescaped.WriteString(escaped)
			return s.unescaped.String()[start:]
		}
		s.unescaped.WriteString(escaped[:i])
		escaped = escaped[i+1:]
		if escaped[0] == 'u' {
			escaped = s.unescapeUnicode(escaped)
			continue
		}
		s.writeEscaped(escaped[0])
		escaped = escaped[1:]
	}
}

// maxUnescapedChunk is the most memory for unescaped text that is allocated in one piece.
const maxUnescapedChunk = 2048

func (s *scanner) writeEscaped(char byte) {
	switch char {
	case 'n':
		char = '\n'
	case 't':
		char = '\t'
	case 'r':
		char = '\r'
	case 'b':
		char = '\b'
	case 'f':
		char = '\f'
	case '"', '\\', '/':
	default:
		s.unescaped.WriteByte('\\')
	}
	s.unescaped.WriteByte(char)
}

// unescapeUnicode resolves uXXXX, with the second half of a surrogate pair, and returns the rest.
func (s *scanner) unescapeUnicode(text string) string {
	char, ok := parseHex4(text[1:])
	if !ok {
		s.unescaped.WriteByte('\\')
		s.unescaped.WriteByte('u')
		return text[1:]
	}
	text = text[5:]
	if utf16.IsSurrogate(char) {
		low, isEscape := rune(0), strings.HasPrefix(text, `\u`)
		if isEscape {
			low, isEscape = parseHex4(text[2:])
		}
		if char = utf16.DecodeRune(char, low); isEscape && char != utf8.RuneError {
			text = text[6:]
		}
	}
	if char != 0 {
		s.unescaped.WriteRune(char)
	}
	return text
}

// parseHex4 reads four hexadecimal digits.
func parseHex4(text string) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	var char rune
	for i := range 4 {
		digit := hexDigit(text[i])
		if digit < 0 {
			return 0, false
		}
		char = char<<4 | rune(digit)
	}
	return char, true
}

// hexDigit returns the value of a hexadecimal digit, or -1.
func hexDigit(char byte) int {
	switch {
	case '0' <= char && char <= '9':
		return int(char - '0')
	case 'a' <= char && char <= 'f':
		return int(char-'a') + 10
	case 'A' <= char && char <= 'F':
		return int(char-'A') + 10
	}
	return -1
}
