package scrub

import (
	"strings"
	"unicode/utf8"
)

// cleanCharacters removes invisible characters that change how a text looks: control characters (except \n and \t), terminal
// colours, direction marks, zero-width and tag characters. Line ends of all kinds become \n. Bytes that are not UTF-8 become
// U+FFFD. Cleaning twice has the same result as cleaning once.
func cleanCharacters(s string) string {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if judgeRune(r, size) != keepRune {
			return cleanCharactersFrom(s, i)
		}
		i += size
	}
	return s
}

// fate is what happens to a character.
type fate uint8

const (
	keepRune fate = iota
	removeRune
	becomeNewline
	replaceRune // by U+FFFD
	joinRune    // kept only between characters that it can join
)

func judgeRune(r rune, size int) fate {
	switch {
	case r == '\n' || r == '\t' || r >= ' ' && r < 0x7F:
		return keepRune
	case r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029:
		return becomeNewline
	case r < 0xA0: // the rest of C0 and C1
		return removeRune
	case r == utf8.RuneError && size == 1:
		return replaceRune
	case r == 0x200C || r == 0x200D || r >= 0xFE00 && r <= 0xFE0F:
		return joinRune
	case isInvisible(r):
		return removeRune
	}
	return keepRune
}

// isInvisible reports whether a character has no width, or changes the direction of the text after it.
func isInvisible(r rune) bool {
	switch {
	case r < 0x34F:
		return r == 0xAD // soft hyphen
	case r == 0x34F || r == 0x61C || r == 0x115F || r == 0x1160 || r == 0x17B4 || r == 0x17B5 || r == 0x3164 || r == 0xFFA0:
		return true
	case r >= 0x180B && r <= 0x180F, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
		return true
	case r == 0xFEFF, r >= 0xFFF0 && r <= 0xFFFB, r >= 0x1D173 && r <= 0x1D17A, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

func cleanCharactersFrom(s string, at int) string {
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:at])
	last, _ := utf8.DecodeLastRuneInString(s[:at])
	for i := at; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		to := judgeRune(r, size)
		if to == joinRune && mayJoin(last, r, s[i+size:]) {
			to = keepRune
		}
		i += size
		switch to {
		case keepRune:
			b.WriteRune(r)
			last = r
		case replaceRune:
			b.WriteRune(utf8.RuneError)
			last = utf8.RuneError
		case becomeNewline:
			if r == '\r' && i < len(s) && s[i] == '\n' {
				continue
			}
			b.WriteByte('\n')
			last = '\n'
		case removeRune:
			if r == 0x1B {
				i += colourLength(s[i:])
			}
		}
	}
	return b.String()
}

// mayJoin reports whether a joiner or a variation selector may stay: a selector after a character beyond ASCII, a joiner between
// two of them. In ASCII they could only hide something: a key or a secret.
func mayJoin(last, r rune, rest string) bool {
	if last < utf8.RuneSelf || last == 0x200C || last == 0x200D {
		return false
	}
	if r >= 0xFE00 {
		return judgeRune(last, 0) != joinRune
	}
	next, size := utf8.DecodeRuneInString(rest)
	return next >= utf8.RuneSelf && (judgeRune(next, size) == keepRune || judgeRune(next, size) == replaceRune)
}

// colourLength returns the length of a terminal's escape sequence after the ESC: [ parameters letter.
func colourLength(s string) int {
	if s == "" || s[0] != '[' {
		return 0
	}
	i := 1
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3F {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7E {
		return i + 1
	}
	return 0
}
