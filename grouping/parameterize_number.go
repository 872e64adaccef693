package grouping

import "strings"

// numberUnits are what may follow a number without a space and belongs to it: of time, size and share.
var numberUnits = map[string]bool{
	"ns": true, "us": true, "ms": true, "s": true, "m": true, "h": true, "d": true, "sec": true, "secs": true, "min": true,
	"mins": true, "hr": true, "hrs": true, "b": true, "B": true, "k": true, "K": true, "M": true, "G": true, "kb": true,
	"KB": true, "kB": true, "MB": true, "GB": true, "TB": true, "mb": true, "gb": true, "KiB": true, "MiB": true,
	"GiB": true, "TiB": true, "Ki": true, "Mi": true, "Gi": true, "px": true,
}

// numberLength returns the length of the number at the start of s, which begins with a digit: 7, 1,234.5, 1e-9, 50%,
// 1.2.3, 350ms, 1h2m3.5s. It is 0 for what only begins with digits (3rd, 2f7a).
func numberLength(s string) int {
	n := 0
	for {
		n += digitsAt(s, n)
		switch {
		case n+1 < len(s) && s[n] == '.' && isDigit(rune(s[n+1])), isThousands(s, n):
			n++
			continue
		}
		n += exponentAt(s, n)
		unit := n
		for unit < len(s) && isLetter(s[unit]) {
			unit++
		}
		switch {
		case unit == n && n < len(s) && s[n] == '%':
			return n + 1
		case unit == n:
			return n
		case !numberUnits[s[n:unit]]:
			return 0
		case unit == len(s) || !isDigit(rune(s[unit])):
			return unit
		}
		n = unit // the next part of a duration
	}
}

// digitsAt returns the number of digits at s[i:].
func digitsAt(s string, i int) int {
	n := 0
	for i+n < len(s) && isDigit(rune(s[i+n])) {
		n++
	}
	return n
}

// isThousands reports whether a comma and a group of three digits come at s[i:].
func isThousands(s string, i int) bool {
	return i < len(s) && s[i] == ',' && digitsAt(s, i+1) == 3
}

func exponentAt(s string, i int) int {
	if i >= len(s) || s[i]|0x20 != 'e' {
		return 0
	}
	n := 1
	if i+n < len(s) && (s[i+n] == '-' || s[i+n] == '+') {
		n++
	}
	if digits := digitsAt(s, i+n); digits > 0 {
		return n + digits
	}
	return 0
}

// isTokenStart reports whether a URL, path or email can begin with the byte.
func isTokenStart(c byte) bool { return isWord(c) || strings.IndexByte(`/\.~`, c) >= 0 }

// tokenLength returns the length of the token at the start of s: all up to white space or punctuation that ends it.
func tokenLength(s string) int {
	if i := strings.IndexAny(s, " \t\n\v\f\r\"'`<>()[]{},;=|&?"); i >= 0 {
		return i
	}
	return len(s)
}

// isEmail reports whether a token is an email address, whose @ is at the index.
func isEmail(token string, at int) bool {
	for i := range at {
		if c := token[i]; !isWord(c) && strings.IndexByte(".%+-:!#$*/^", c) < 0 {
			return false
		}
	}
	domain := token[at+1:]
	dot := strings.LastIndexByte(domain, '.')
	if dot < 1 || len(domain)-dot < 3 {
		return false
	}
	for i := range len(domain) {
		if c := domain[i]; !isWord(c) && c != '.' && c != '-' || i > dot && isDigit(rune(c)) {
			return false
		}
	}
	return true
}
