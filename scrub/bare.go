package scrub

import "strings"

// bare hides a value without quotes or brackets.
func (m *masker) bare(p pair, v int) int {
	if m.code && !p.literal {
		return m.codeValue(p, v)
	}
	if c := m.s[v]; c == '|' || c == '>' {
		if end := runWithin(m.s, v, maxBlock, blockSet); end < len(m.s) && m.s[end] == '\n' {
			return m.block(end)
		}
	}
	end := m.bareEnd(v, len(m.s), p.encoded)
	text := m.s[v:end]
	switch {
	case m.isOrdinary(&p, v, end):
		return end
	case p.colon && isHeader(p.name):
		return m.hide(v, m.headerEnd(v, p.opener))
	}
	if schemes[strings.ToLower(text)] && end < len(m.s) && m.s[end] == ' ' { // Bearer and the like: the secret comes next
		end = m.bareEnd(skipBlanks(m.s, end), len(m.s), p.encoded)
	}
	return m.hide(v, end)
}

const maxBlock = 3 // bytes of the sign of a block, such as |2-

var blockSet = bytesOf("|>-+" + digitBytes)

// block hides the indented lines of a YAML block whose sign ends at i.
func (m *masker) block(i int) int {
	if i == len(m.s) || m.s[i] != '\n' {
		return i
	}
	from, end := i+1, i+1
	for end < len(m.s) && isBlank(m.s[end]) {
		line := strings.IndexByte(m.s[end:], '\n')
		if line < 0 {
			end = len(m.s)
			break
		}
		end += line + 1
	}
	from = min(skipBlanks(m.s, from), end)
	for end > from && m.s[end-1] == '\n' {
		end--
	}
	return m.hide(from, end)
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
