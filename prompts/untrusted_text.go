package prompts

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cleanText returns at most limit bytes of a text, without anything that readers cannot see: controls, escape sequences, and characters
// that are invisible or change the direction of writing leave only a visible mark. Lines end in \n.
func cleanText(text string, limit int) string {
	if len(text) <= limit && isPlain(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if b.Len() >= limit {
			return cutText(b.String(), limit, len(text)-i)
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\x1b':
			i += lengthOfEscape(text[i:])
			continue
		case r == '\r' && strings.HasPrefix(text[i:], "\r\n"):
		case r == '\r', r == '\u0085', r == '\u2028', r == '\u2029':
			b.WriteByte('\n')
		case r == utf8.RuneError && size == 1:
			b.WriteRune(utf8.RuneError)
		case isHidden(r):
			hidden := countHidden(text[i:])
			b.WriteString(markHidden(r, hidden))
			for range hidden {
				_, size := utf8.DecodeRuneInString(text[i:])
				i += size
			}
			continue
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return cutText(b.String(), limit, 0)
}

// isPlain reports whether a text consists of visible ASCII, tabs and line ends, as nearly all texts do.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf-1 || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// isHidden reports whether readers cannot see the character, or see others in another order because of it.
func isHidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r >= ' ' && r <= '~': // nearly all characters; the tables below are slow
		return false
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point):
		return true
	default:
		return r == '\u2800' // a blank with the name of a Braille pattern
	}
}

func countHidden(text string) (count int) {
	for _, r := range text {
		if !isHidden(r) || r == '\x1b' || r == '\r' || r == '\u0085' {
			break
		}
		count++
	}
	return max(count, 1)
}

// markHidden marks characters that are not shown, by the first of them: text that consists only of them does not become readable.
func markHidden(first rune, count int) string {
	if count == 1 {
		return fmt.Sprintf("<U+%04X>", first)
	}
	return fmt.Sprintf("<U+%04X and %d more hidden characters>", first, count-1)
}

// lengthOfEscape returns the length in bytes of the terminal escape sequence at the start of a text.
func lengthOfEscape(text string) int {
	const longest = 64
	if len(text) < 2 {
		return 1
	}
	switch text[1] {
	case '[':
		for i := 2; i < min(len(text), longest); i++ {
			if text[i] >= '@' && text[i] <= '~' {
				return i + 1
			}
		}
	case ']', 'P', '_', '^':
		for i := 2; i < min(len(text), longest); i++ {
			if text[i] == '\a' {
				return i + 1
			}
		}
	}
	return 1
}

// cutText cuts a text to a length, at a character, and says how many bytes are missing, including left that are gone already.
func cutText(text string, limit, left int) string {
	if len(text) <= limit && left == 0 {
		return text
	}
	const room = len("… [1234567 bytes more]")
	at := max(0, min(len(text), limit-room))
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return fmt.Sprintf("%s… [%d bytes more]", text[:at], len(text)-at+left)
}

// cleanLine is cleanText for a text of one line: line ends and tabs become spaces.
func cleanLine(text string, limit int) string {
	text = cleanText(text, limit)
	if !strings.ContainsAny(text, "\n\t`") {
		return text
	}
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
}

// fenceLines returns cleaned text for a fence. Neither a reader nor a renderer of Markdown can take a line of it for
// the end of the fence.
func fenceLines(text string) string {
	if !strings.Contains(text, "```") && !containsFold(text, "untrusted") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		start := strings.TrimLeft(line, " \t>*-+.#|0123456789\\")
		if strings.HasPrefix(start, "```") || len(start) >= len(fenceWord) && strings.EqualFold(start[:len(fenceWord)], fenceWord) {
			b.WriteByte('\\')
		}
		b.WriteString(line)
	}
	return b.String()
}

func containsFold(text, lower string) bool { return strings.Contains(strings.ToLower(text), lower) }
