package web

import (
	"fmt"
	"html/template"
	"strings"
	"unicode"

	"errand/core"
)

// showText returns text of others for a page: of a monitored app, a person or an agent. Characters that show nothing, or turn the line
// around, stand there as their code points, in a mark that no such text can make.
func showText(text any) template.HTML {
	var shown strings.Builder
	plain := readText(text)
	begin := 0
	for i, r := range plain {
		if isShown(r) && r != '\uFFFD' {
			continue
		}
		shown.WriteString(template.HTMLEscapeString(plain[begin:i]))
		fmt.Fprintf(&shown, `<span class="marked">U+%04X</span>`, r)
		begin = i + lengthOf(plain[i:], r)
	}
	shown.WriteString(template.HTMLEscapeString(plain[begin:]))
	return template.HTML(shown.String()) //nolint:gosec // all of others' text in it is escaped
}

// plainText is showText for an attribute or a title, where there is no markup: the code points stand in brackets.
func plainText(text any) string {
	var shown strings.Builder
	for _, r := range readText(text) {
		if isShown(r) {
			shown.WriteRune(r)
		} else {
			fmt.Fprintf(&shown, "[U+%04X]", r)
		}
	}
	return shown.String()
}

// readText returns the string that a value of a type of text holds.
func readText(text any) string {
	switch t := text.(type) {
	case nil:
		return ""
	case string:
		return t
	case core.Untrusted:
		return string(t)
	case core.Text:
		return string(t)
	}
	return fmt.Sprint(text)
}

// lengthOf returns how many bytes the first character of a text has. One byte that is no UTF-8 reads as U+FFFD.
func lengthOf(text string, r rune) int {
	if r == '\uFFFD' && !strings.HasPrefix(text, "\uFFFD") {
		return 1
	}
	return len(string(r))
}

// isShown reports whether a reader sees a character, or the space that it makes.
func isShown(r rune) bool { return r == ' ' || unicode.IsGraphic(r) && !unicode.In(r, unicode.Zs) }
