package scrub

import "strings"

// decodeEscape returns the byte of the escape %XX at i.
func decodeEscape(s string, i int) (byte, bool) {
	if i+2 >= len(s) || s[i] != '%' || !hexSet[s[i+1]] || !hexSet[s[i+2]] {
		return 0, false
	}
	return decodeHexDigit(s[i+1])<<4 | decodeHexDigit(s[i+2]), true
}

func decodeHexDigit(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// decodeEscapes decodes every escape.
func decodeEscapes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c, ok := decodeEscape(s, i)
		if ok {
			i += 2
		} else {
			c = s[i]
		}
		b.WriteByte(c)
	}
	return b.String()
}
