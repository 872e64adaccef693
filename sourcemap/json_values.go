package sourcemap

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape writes the character of the escape at the start of from to the start of into, which may overlap from below. It returns
// how many bytes it wrote and read, and reads none of a broken escape.
func unescape(into, from []byte) (written, read int) {
	if len(from) < 2 {
		return 0, 0
	}
	switch c := from[1]; c {
	case '"', '\\', '/':
		into[0] = c
	case 'b':
		into[0] = '\b'
	case 'f':
		into[0] = '\f'
	case 'n':
		into[0] = '\n'
	case 'r':
		into[0] = '\r'
	case 't':
		into[0] = '\t'
	case 'u':
		return unescapeUnicode(into, from)
	default:
		return 0, 0
	}
	return 1, 2
}

// unescapeUnicode is unescape for \u. Half of a pair becomes the replacement character, as everywhere in Go.
func unescapeUnicode(into, from []byte) (written, read int) {
	const length = len(`\uffff`)
	char, ok := parseHexEscape(from)
	if !ok {
		return 0, 0
	}
	read = length
	if utf16.IsSurrogate(char) {
		second, ok := parseHexEscape(from[length:])
		if char = utf16.DecodeRune(char, second); ok && char != utf8.RuneError {
			read += length
		}
	}
	return utf8.EncodeRune(into[:utf8.UTFMax], char), read
}

func parseHexEscape(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	var char rune
	for _, c := range text[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		char = char<<4 | rune(c)
	}
	return char, true
}

// readText reads a string and returns at most its first maxLength bytes; cut reports whether it was longer.
func (s *scanner) readText(maxLength int) (text string, cut bool, err error) {
	if err := s.expectByte('"'); err != nil {
		return "", false, err
	}
	var kept []byte
	for more := true; more; {
		var chunk []byte
		if chunk, more, err = s.readChunk(); err != nil {
			return "", false, err
		}
		room := maxLength - len(kept)
		cut = cut || len(chunk) > room
		kept = append(kept, chunk[:min(room, len(chunk))]...)
	}
	return string(kept), cut, nil
}

// skipText reads a string and drops it.
func (s *scanner) skipText() error {
	_, _, err := s.readText(0)
	return err
}

// readNumber reads a number.
func (s *scanner) readNumber() (float64, error) {
	const longest = 64 << 10 // JSON has no limit for a number, but numbers in maps are far shorter
	var digits []byte
	for s.peekByte(); ; s.pos++ {
		if s.fillBuffer(1); s.pos == s.end || !isNumberByte(s.buffer[s.pos]) {
			break
		}
		if len(digits) == longest {
			return 0, refuseMappings("a number of more than %d digits", longest)
		}
		digits = append(digits, s.buffer[s.pos])
	}
	if !isNumber(digits) {
		return 0, s.refuse("a broken number")
	}
	value, _ := strconv.ParseFloat(string(digits), 64) // an out-of-range value is infinite, and not an index
	return value, nil
}

func isNumberByte(c byte) bool {
	return '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || c|0x20 == 'e'
}

// isNumber reports whether text is a number in JSON: -1.5e3, but not 01, .5 or 1.
func isNumber(text []byte) bool {
	text = trimByte(text, '-')
	whole := countDigits(text)
	if whole == 0 || whole > 1 && text[0] == '0' {
		return false
	}
	text = text[whole:]
	if len(text) > 0 && text[0] == '.' {
		fraction := countDigits(text[1:])
		if fraction == 0 {
			return false
		}
		text = text[1+fraction:]
	}
	if len(text) == 0 {
		return true
	}
	if text[0]|0x20 != 'e' {
		return false
	}
	if text = text[1:]; len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	return len(text) > 0 && countDigits(text) == len(text)
}

func trimByte(text []byte, c byte) []byte {
	if len(text) > 0 && text[0] == c {
		return text[1:]
	}
	return text
}

func countDigits(text []byte) int {
	for i, c := range text {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(text)
}

// readLiteral reads true, false or null.
func (s *scanner) readLiteral() error {
	for _, literal := range []string{"true", "false", "null"} {
		if s.peekByte() != literal[0] {
			continue
		}
		if s.fillBuffer(len(literal)); s.end-s.pos >= len(literal) && string(s.buffer[s.pos:s.pos+len(literal)]) == literal {
			s.pos += len(literal)
			return nil
		}
	}
	return s.refuse("not a value")
}
