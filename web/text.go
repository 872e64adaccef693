package web

import (
	"fmt"
	"html/template"
	"strings"
	"unicode"

	"errand/core"
)

// showText returns text that an app, a person or an agent wrote, escaped for a page. Characters that show nothing, or turn the line
// around, become marks with their code points; the text itself cannot make such a mark.
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

// showLines is showText for text of several lines: it keeps their ends, and writes tabs as spaces.
func showLines(text any) template.HTML {
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(readText(text), "\r\n", "\n"), "\t", "    "), "\n")
	var shown strings.Builder
	for i, line := range lines {
		if i > 0 {
			shown.WriteByte('\n')
		}
		shown.WriteString(string(showText(line)))
	}
	return template.HTML(shown.String()) //nolint:gosec // showText has escaped each line
}

// plainText is showText without markup, for an attribute or a title: the code points stand in brackets.
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

// lengthOf returns how many bytes the first character of a text has. An invalid byte reads as U+FFFD.
func lengthOf(text string, r rune) int {
	if r == '\uFFFD' && !strings.HasPrefix(text, "\uFFFD") {
		return 1
	}
	return len(string(r))
}

// isShown reports whether a reader sees a character, or the space that it makes.
func isShown(r rune) bool { return r == ' ' || unicode.IsGraphic(r) && !unicode.In(r, unicode.Zs) }
