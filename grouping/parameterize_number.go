package grouping

import "strings"

// numberUnits are units that may follow a number without a space and belong to it: of time, size and share.
var numberUnits = map[string]bool{
	"ns": true, "us": true, "ms": true, "s": true, "m": true, "h": true, "d": true, "sec": true, "secs": true, "min": true,
	"mins": true, "hr": true, "hrs": true, "b": true, "B": true, "k": true, "K": true, "M": true, "G": true, "kb": true,
	"KB": true, "kB": true, "MB": true, "GB": true, "TB": true, "mb": true, "gb": true, "KiB": true, "MiB": true,
	"GiB": true, "TiB": true, "Ki": true, "Mi": true, "Gi": true, "px": true,
}

// numberLength returns the length of the number at the start of text, which begins with a digit: 7, 1,234.5, 1e-9, 50%, 1.2.3,
// 350ms, 1h2m3.5s. It is 0 for texts that only begin with digits (3rd, 2f7a).
func numberLength(text string) int {
	length := 0
	for {
		length += digitsAt(text, length)
		switch {
		case length+1 < len(text) && text[length] == '.' && isDigit(rune(text[length+1])), isThousands(text, length):
			length++
			continue
		}
		length += exponentAt(text, length)
		unit := length
		for unit < len(text) && isLetter(text[unit]) {
			unit++
		}
		switch {
		case unit == length && length < len(text) && text[length] == '%':
			return length + 1
		case unit == length:
			return length
		case !numberUnits[text[length:unit]]:
			return 0
		case unit == len(text) || !isDigit(rune(text[unit])):
			return unit
		}
		length = unit // the next part of a duration
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

// isThousands reports whether s[i:] begins with a comma and a group of three digits.
func isThousands(s string, i int) bool {
	return i < len(s) && s[i] == ',' && digitsAt(s, i+1) == 3
}

func exponentAt(text string, i int) int {
	if i >= len(text) || text[i]|0x20 != 'e' {
		return 0
	}
	length := 1
	if i+length < len(text) && (text[i+length] == '-' || text[i+length] == '+') {
		length++
	}
	if digits := digitsAt(text, i+length); digits > 0 {
		return length + digits
	}
	return 0
}

// isTokenStart reports whether a URL, path or email can begin with the byte.
func isTokenStart(c byte) bool { return isWord(c) || strings.IndexByte(`/\.~`, c) >= 0 }

// tokenLength returns the length of the token at the start of text: everything before white space or a punctuation mark that ends
// it.
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
