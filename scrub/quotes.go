package scrub

import "strings"

// openQuote recognises a quote at v: with a letter of Python before it, with backslashes in JSON within JSON,
// tripled, or percent-encoded. It gives where the text inside begins and the mark that ends it.
func (m *masker) openQuote(v int) (body int, mark string) {
	if c, ok := unescaped(m.s, v); ok && isQuote(c) {
		return v + 3, m.s[v : v+3]
	}
	from := v
	for from < len(m.s) && from < v+2 && strings.IndexByte("bBuUrRfF", m.s[from]) >= 0 {
		from++
	}
	i := from
	for i < len(m.s) && m.s[i] == '\\' {
		i++
	}
	if i >= len(m.s) || !isQuote(m.s[i]) {
		return v, ""
	}
	mark = m.s[from : i+1]
	if len(mark) == 1 && hasPrefixAt(m.s, i+1, mark) && hasPrefixAt(m.s, i+2, mark) {
		return i + 3, m.s[i : i+3]
	}
	return i + 1, mark
}

// closeQuote gives where the mark ends the text that begins at body; the end of s when it does not.
func (m *masker) closeQuote(body int, mark string) int {
	for i := body; ; {
		n := strings.Index(m.s[i:], mark)
		if n < 0 {
			return len(m.s)
		}
		i += n
		doubled := len(mark) == 1 && i > body && hasPrefixAt(m.s, i+1, mark) // 'it''s' in SQL
		if !doubled && !escapedAt(m.s, body, i, mark[0]) {
			return i
		}
		if i += len(mark); doubled {
			i++
		}
	}
}

// escapedAt is true when the mark at i does not end a text: after an odd number of backslashes or, for a mark that has
// backslashes itself, after any.
func escapedAt(s string, from, i int, mark byte) bool {
	n := 0
	for i-n > from && s[i-n-1] == '\\' {
		n++
	}
	if mark == '\\' {
		return n > 0
	}
	return n%2 == 1 && mark != '%'
}

// bracketed hides an object, a list or a tuple. In source code only the texts in it are values.
func (m *masker) bracketed(v int) int {
	end := m.balanced(v)
	if m.code {
		for i := v; i < end; i++ {
			if body, mark := m.openQuote(i); mark != "" && isQuote(m.s[i]) {
				i = m.hide(body, m.closeQuote(body, mark))
			}
		}
		return end
	}
	if strings.Trim(m.s[v:end], "{}[]() ") == "" || isVoid(m.s[v:end]) {
		return end
	}
	return m.hide(v, end)
}

// balanced gives the end of the brackets that open at v.
func (m *masker) balanced(v int) int {
	depth := 0
	for i := v; i < len(m.s); i++ {
		switch c := m.s[i]; c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			i = m.closeQuote(i+1, m.s[i:i+1])
		}
	}
	return len(m.s)
}

const maxGap = 16 // bytes

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// skipGapBack returns where the blanks and line ends begin that end at i; it looks at maxGap of them.
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
