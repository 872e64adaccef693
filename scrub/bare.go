package scrub

import "strings"

// hideBareValue hides a value without quotes or brackets.
func (m *masker) hideBareValue(p pair, v int) int {
	if m.isCode && !p.isInText {
		return m.hideCodeValue(p, v)
	}
	if c := m.text[v]; c == '|' || c == '>' {
		if end := skipRunWithin(m.text, v, maxBlock, blockSet); end < len(m.text) && m.text[end] == '\n' {
			return m.hideBlock(end)
		}
	}
	end := m.findBareEnd(v, len(m.text), p.isEncoded)
	call := v
	if p.verdict != described {
		call = m.findCallEnd(v)
	}
	text := m.text[v:end]
	switch {
	case call <= end && m.isOrdinary(&p, v, end):
		return end
	case p.hasColon && isHeader(p.name):
		return m.hide(v, max(m.findHeaderEnd(v, p.opener), call))
	case call > end:
		return m.hide(v, call)
	}
	if end < len(m.text) && m.text[end] == ' ' && authSchemes.words[strings.ToLower(text)] { // after Bearer and similar words comes the secret
		end = m.findBareEnd(skipBlanks(m.text, end), len(m.text), p.isEncoded)
	}
	return m.hide(v, end)
}

// findCallEnd returns the end of a call at v that has texts in quotes: BinData(0, "x"), new UUID("x"); v when there is none.
func (m *masker) findCallEnd(v int) int {
	open := v
	if hasPrefixAt(m.text, v, "new ") {
		open += len("new ")
	}
	name := open
	if open = skipRunWithin(m.text, open, maxName, nameSet); open == name || open == len(m.text) || m.text[open] != '(' {
		return v
	}
	end := v
	for i := open; ; i = end {
		body, mark := m.openQuote(skipRunWithin(m.text, i, maxArguments, argumentSet))
		if mark == "" {
			break
		}
		end = min(m.closeQuote(body, mark)+len(mark), len(m.text))
	}
	for end > v && end < len(m.text) && m.text[end] == ')' {
		end++
	}
	return end
}

const maxArguments = 64 // bytes of arguments before one in quotes

var argumentSet = newByteSet(alnumBytes + "_-.,:=( ")

const maxBlock = 3 // bytes of a block indicator, such as |2-

var blockSet = newByteSet("|>-+" + digitBytes)

// hideBlock hides the indented lines of a YAML block whose indicator ends at i.
func (m *masker) hideBlock(i int) int {
	if i == len(m.text) || m.text[i] != '\n' {
		return i
	}
	from, end := i+1, i+1
	for end < len(m.text) && isBlank(m.text[end]) {
		line := strings.IndexByte(m.text[end:], '\n')
		if line < 0 {
			end = len(m.text)
			break
		}
		end += line + 1
	}
	from = min(skipBlanks(m.text, from), end)
	for end > from && m.text[end-1] == '\n' {
		end--
	}
	return m.hide(from, end)
}

// findBareEnd returns where a value without quotes ends, at limit at the latest. Brackets, commas and similar signs end it only
// when the byte after them cannot be in a value, because a password may contain them.
func (m *masker) findBareEnd(v, limit int, encoded bool) int {
	i := v
	if hasPrefixAt(m.text, v, Mask) {
		i += len(Mask)
	}
	for ; i < limit; i++ {
		switch c := m.text[i]; c {
		case ' ', '\n', '\t':
			return i
		case '\\':
			if i+1 < len(m.text) && strings.IndexByte(`nrt"'\`, m.text[i+1]) >= 0 {
				return i
			}
		case '<':
			if i+1 < len(m.text) && (letters[m.text[i+1]] != 0 || m.text[i+1] == '/') {
				return i
			}
		case '%':
			if d, ok := decodeEscape(m.text, i); encoded && ok && strings.IndexByte(`&"',}`, d) >= 0 {
				return i
			}
		case ',', ';', '&', '|', ')', ']', '}', '>', '"', '\'', '`':
			if m.endsBareValue(c, i+1) {
				return i
			}
		}
	}
	return i
}

const softEnds = ",;&|)]}>\"'`"

// endsBareValue reports whether the value ends before the byte c, judging by the next byte.
func (m *masker) endsBareValue(c byte, next int) bool {
	if next >= len(m.text) {
		return true
	}
	n := m.text[next]
	if n <= ' ' || n == '\\' || strings.IndexByte(softEnds, n) >= 0 {
		return true
	}
	switch c {
	case ',', ';', '&', '|':
		end := skipRunWithin(m.text, next, maxName, nameSet)
		return end > next && end < len(m.text) && strings.IndexByte("=:[%", m.text[end]) >= 0 || hasPrefixAt(m.text, next, "amp;")
	}
	return !isAlnum(n)
}

// authSchemes are the schemes of the Authorization header.
var authSchemes = newQuickSet("bearer basic token digest negotiate apikey api-key hawk")

// isHeader reports whether a name is a header whose value has blanks.
func isHeader(name string) bool {
	return hasFoldedSuffix(name, "authorization") || hasFoldedSuffix(name, "cookie")
}

// findHeaderEnd returns the end of a header in a text: the end of the line, or of the quotes around the whole header.
func (m *masker) findHeaderEnd(v int, opener byte) int {
	inside := false // within the quotes of a parameter: username="bob"
	for i := v; i < len(m.text); i++ {
		switch c := m.text[i]; {
		case c == '\n':
			return i
		case c == '\\' && i+1 < len(m.text) && (m.text[i+1] == 'n' || m.text[i+1] == 'r'):
			return i
		case c == '"' && inside:
			inside = false
		case c == '"' && i > v && m.text[i-1] == '=':
			inside = true
		case (c == '"' || isQuote(c) && c == opener) && m.text[i-1] != '\\':
			return i
		}
	}
	return len(m.text)
}
