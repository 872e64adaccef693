package scrub

import "strings"

// openQuote recognises a quote at v: with a letter of Python before it, with backslashes in JSON within JSON, tripled, or
// percent-encoded. It returns where the text inside begins and the mark that ends it.
func (m *masker) openQuote(v int) (body int, mark string) {
	if c, ok := decodeEscape(m.text, v); ok && isQuote(c) {
		return v + 3, m.text[v : v+3]
	}
	if n := matchEscapedQuote(m.text, v); n > 0 {
		return v + n, m.text[v : v+n]
	}
	from := v
	for from < len(m.text) && from < v+2 && strings.IndexByte("bBuUrRfF", m.text[from]) >= 0 {
		from++
	}
	i := from
	for i < len(m.text) && m.text[i] == '\\' {
		i++
	}
	if i >= len(m.text) || !isQuote(m.text[i]) {
		return v, ""
	}
	mark = m.text[from : i+1]
	if len(mark) == 1 && hasPrefixAt(m.text, i+1, mark) && hasPrefixAt(m.text, i+2, mark) {
		return i + 3, m.text[i : i+3]
	}
	return i + 1, mark
}

// closeQuote returns where the mark ends the text that begins at body, or the end of the whole text without a mark.
func (m *masker) closeQuote(body int, mark string) int { return findClosingQuote(m.text, body, mark) }

func findClosingQuote(s string, body int, mark string) int {
	for i := body; ; {
		n := strings.Index(s[i:], mark)
		if n < 0 {
			return len(s)
		}
		i += n
		doubled := len(mark) == 1 && i > body && hasPrefixAt(s, i+1, mark) // 'it''s' in SQL
		if !doubled && !isEscapedAt(s, body, i, mark[0]) {
			return i
		}
		if i += len(mark); doubled {
			i++
		}
	}
}

// isEscapedAt reports whether the mark at i is escaped, so that it does not end a text: after an odd number of backslashes or,
// for a mark that itself has backslashes, after any.
func isEscapedAt(s string, from, i int, mark byte) bool {
	n := 0
	for i-n > from && s[i-n-1] == '\\' {
		n++
	}
	if mark == '\\' {
		return n > 0
	}
	return n%2 == 1 && mark != '%'
}

// hideBracketed hides an object, a list or a tuple. In source code only the texts in it are values.
func (m *masker) hideBracketed(v int) int {
	end := m.findClosingBracket(v)
	if m.isCode {
		for i := v; i < end; i++ {
			if body, mark := m.openQuote(i); mark != "" && isQuote(m.text[i]) {
				i = m.hide(body, m.closeQuote(body, mark))
			}
		}
		return end
	}
	if strings.Trim(m.text[v:end], "{}[]() ") == "" || isVoid(m.text[v:end]) {
		return end
	}
	return m.hide(v, end)
}

// findClosingBracket returns the end of the brackets that open at v.
func (m *masker) findClosingBracket(v int) int {
	depth := 0
	for i := v; i < len(m.text); i++ {
		switch c := m.text[i]; c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			i = m.closeQuote(i+1, m.text[i:i+1])
		}
	}
	return len(m.text)
}

const maxGap = 16 // bytes

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// skipGapBack returns the start of the blanks and line ends that end at i; it looks at maxGap bytes.
func skipGapBack(s string, i int) int {
	for limit := max(i-maxGap, 0); i > limit && (isBlank(s[i-1]) || s[i-1] == '\n'); {
		i--
	}
	return i
}

func skipBlanks(s string, i int) int {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	return i
}
