package grouping

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hasWords reports whether the template of a log message has a letter or digit outside its placeholders. A logger that is called
// with "%s" or "{}" alone has one template for all its errors.
func hasWords(template string) bool {
	for template != "" {
		char, length := utf8.DecodeRuneInString(template)
		switch {
		case char == '%' || char == '{':
			length = placeholderLength(template)
		case unicode.IsLetter(char) || unicode.IsDigit(char):
			return true
		}
		template = template[length:]
	}
	return false
}

// placeholderLength returns the length of the placeholder at the start of the text, or 1 for a percent sign or a brace that
// begins none: %s, %-5.2f, %1$s, %lld, %(name)s, %<name>s, {}, {0}, {name:x}, {@User}.
func placeholderLength(text string) int {
	if text[0] == '{' {
		return bracesLength(text)
	}
	end := 1
	for _, brackets := range [...]string{"()", "<>"} {
		if strings.HasPrefix(text[end:], brackets[:1]) {
			end += strings.IndexByte(text[end:], brackets[1]) + 1 // the same place without an end
		}
	}
	for end < len(text) && strings.IndexByte("0123456789+-#.*$'hlLqzjt", text[end]) >= 0 {
		end++
	}
	if end < len(text) && (isLetter(text[end]) || text[end] == '@' || text[end] == '%') {
		return end + 1
	}
	return 1
}

// bracesLength returns the length of the placeholder in braces at the start of the text, or 1. It holds a name, and a format after
// a colon, comma or exclamation mark.
func bracesLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch char := text[i]; {
		case char == '}':
			return i + 1
		case char == ':' || char == ',' || char == '!':
			end := strings.IndexAny(text[i:], `{}"`)
			if end < 0 || text[i+end] != '}' {
				return 1
			}
			return i + end + 1
		case !isWord(char) && strings.IndexByte("@$.[]-", char) < 0:
			return 1
		}
	}
	return 1
}
