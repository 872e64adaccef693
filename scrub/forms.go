package scrub

import "strings"

// namesName is true for the names whose values are the names of fields.
func namesName(name string) bool {
	switch name {
	case "name", "key", "field", "header", "Name", "Key":
		return true
	}
	return false
}

// formField hides the value of a field whose quoted name begins at i: the content of a multipart form's field, the
// value beside it in a tag (<input name="password" value="x">) or in an object ("key": "password", "value": "x").
func (m *masker) formField(i int) int {
	body, mark := m.openQuote(i)
	if mark == "" {
		return i
	}
	end := runWithin(m.s, body, maxName, nameSet)
	if !hasPrefixAt(m.s, end, mark) || m.rules.verdict(m.s[body:end]) == public {
		return i
	}
	end += len(mark)
	for _, gap := range []string{"\n\n", `\r\n\r\n`, `\n\n`} {
		if hasPrefixAt(m.s, end, gap) {
			content := end + len(gap)
			n := strings.Index(m.s[content:], gap[:len(gap)/2]+"--")
			if n < 0 {
				n = len(m.s) - content
			}
			return m.hide(content, content+n)
		}
	}
	return m.valueBeside(end)
}

const maxBeside = 32 // bytes between a field's name and the name of its value

// valueBeside hides the value of value="x" near i.
func (m *masker) valueBeside(i int) int {
	for at := i; at < len(m.s) && at < i+maxBeside && m.s[at] != '>' && m.s[at] != '}'; at++ {
		if m.s[at]|0x20 != 'v' || !m.boundary(at) || !foldedAt(m.s, at, "val") {
			continue
		}
		end := run(m.s, at, alnumSet)
		for range maxClosers {
			if end == len(m.s) || !isQuote(m.s[end]) && m.s[end] != '\\' && !isBlank(m.s[end]) {
				break
			}
			end++
		}
		if end < len(m.s) && (m.s[end] == '=' || m.s[end] == ':') {
			return m.value(pair{verdict: secret, quoted: true}, skipBlanks(m.s, end+1))
		}
		return i
	}
	return i
}
