package scrub

import "strings"

// bare hides a value without quotes or brackets.
func (m *masker) bare(p pair, v int) int {
	if m.code && !p.literal {
		return m.codeValue(p, v)
	}
	end := m.bareEnd(v, len(m.s), p.encoded)
	text := m.s[v:end]
	switch {
	case isVoid(text):
		return end
	case p.colon && isHeader(p.name):
		return m.hide(v, m.headerEnd(v, p.opener))
	case p.verdict == weakly && p.colon && !p.quoted && isProse(text):
		return end
	}
	if schemes[strings.ToLower(text)] && end < len(m.s) && m.s[end] == ' ' { // Bearer and the like: the secret comes next
		end = m.bareEnd(skipBlanks(m.s, end), len(m.s), p.encoded)
	}
	return m.hide(v, end)
}

// bareEnd gives where a value without quotes ends, at limit at the latest. Brackets, commas and the like end it only
// where something follows that no value has, for a password may contain them.
func (m *masker) bareEnd(v, limit int, encoded bool) int {
	i := v
	if hasPrefixAt(m.s, v, Mask) {
		i += len(Mask)
	}
	for ; i < limit; i++ {
		switch c := m.s[i]; c {
		case ' ', '\n', '\t':
			return i
		case '\\':
			if i+1 < len(m.s) && strings.IndexByte(`nrt"'\`, m.s[i+1]) >= 0 {
				return i
			}
		case '<':
			if i+1 < len(m.s) && (letters[m.s[i+1]] != 0 || m.s[i+1] == '/') {
				return i
			}
		case '%':
			if d, ok := unescaped(m.s, i); encoded && ok && strings.IndexByte(`&"',}`, d) >= 0 {
				return i
			}
		case ',', ';', '&', '|', ')', ']', '}', '>', '"', '\'', '`':
			if m.ends(c, i+1) {
				return i
			}
		}
	}
	return i
}

const softEnds = ",;&|)]}>\"'`"

// ends tells whether the value ends with c, by what comes next.
func (m *masker) ends(c byte, next int) bool {
	if next >= len(m.s) {
		return true
	}
	n := m.s[next]
	if n <= ' ' || n == '\\' || strings.IndexByte(softEnds, n) >= 0 {
		return true
	}
	switch c {
	case ',', ';', '&', '|':
		end := runWithin(m.s, next, maxName, nameSet)
		return end > next && end < len(m.s) && strings.IndexByte("=:[%", m.s[end]) >= 0 || hasPrefixAt(m.s, next, "amp;")
	}
	return !isAlnum(n)
}

// isVoid is true for what holds no secret: nothing, a null, the parameter of a query.
func isVoid(text string) bool {
	switch strings.ToLower(text) {
	case "", "null", "none", "nil", "undefined", "?", "%s", "%v", "{}":
		return true
	}
	return len(text) > 1 && text[0] == '$' && len(strings.Trim(text[1:], digitBytes)) == 0
}

// isProse is true for a word of a sentence, as in "auth: failed to connect", and for signs: a secret has digits or
// mixed case.
func isProse(text string) bool {
	if len(text) > 15 {
		return false
	}
	for i := range len(text) {
		if c := text[i]; isDigit(c) || i > 0 && isUpper(c) {
			return false
		}
	}
	return true
}

// schemes of the Authorization header.
var schemes = set("bearer basic token digest negotiate apikey api-key hawk")

// isHeader is true for the headers whose values have blanks.
func isHeader(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "authorization") || strings.HasSuffix(name, "cookie")
}

// headerEnd gives the end of a header in a text: the end of the line, or of the quotes around the whole header.
func (m *masker) headerEnd(v int, opener byte) int {
	inside := false // the quotes of a parameter: username="bob"
	for i := v; i < len(m.s); i++ {
		switch c := m.s[i]; {
		case c == '\n':
			return i
		case c == '\\' && i+1 < len(m.s) && (m.s[i+1] == 'n' || m.s[i+1] == 'r'):
			return i
		case c == '"' && inside:
			inside = false
		case c == '"' && i > v && m.s[i-1] == '=':
			inside = true
		case (c == '"' || isQuote(c) && c == opener) && m.s[i-1] != '\\':
			return i
		}
	}
	return len(m.s)
}

var (
	typeSet    = bytesOf(alnumBytes + "_ .,<>[]|?&*")
	literalSet = bytesOf(alnumBytes + "_-!@#%^&+/~")
)

const minLiteral = 4

// codeValue handles a value without quotes in source code, where most are expressions that a reader needs. It hides a
// text behind a type (password: str = "x") and a word with a digit (password=hunter2).
func (m *masker) codeValue(p pair, v int) int {
	if p.colon {
		if to := runWithin(m.s, v, maxName, typeSet); to < len(m.s) && m.s[to] == '=' {
			if body, mark := m.openQuote(skipBlanks(m.s, to+1)); mark != "" {
				return m.hide(body, m.closeQuote(body, mark))
			}
		}
	}
	text := strings.TrimRight(m.s[v:m.bareEnd(v, min(v+maxProbe, len(m.s)), p.encoded)], ",;)")
	if len(text) >= minLiteral && hasDigit(text) && run(text, 0, literalSet) == len(text) {
		return m.hide(v, v+len(text))
	}
	return v
}
