package scrub

import "strings"

// namesField reports whether the value of this name is the name of a field: name="password".
func namesField(name string) bool {
	switch name {
	case "name", "key", "field", "header", "Name", "Key":
		return true
	}
	return false
}

// hideFormField hides the value of a field whose quoted name begins at i: the content of a multipart form's field, or the value
// beside it in a tag (<input name="password" value="x">) or in an object ("key": "password", "value": "x").
func (m *masker) hideFormField(i int) int {
	body, mark := m.openQuote(i)
	if mark == "" {
		return i
	}
	end := skipRunWithin(m.text, body, maxName, nameSet)
	found := m.rules.judgeName(m.text[body:end])
	if !hasPrefixAt(m.text, end, mark) || found == public {
		return i
	}
	end += len(mark)
	for _, gap := range []string{"\n\n", `\r\n\r\n`, `\n\n`} {
		if hasPrefixAt(m.text, end, gap) {
			content := end + len(gap)
			n := strings.Index(m.text[content:], gap[:len(gap)/2]+"--")
			if n < 0 {
				n = len(m.text) - content
			}
			return m.hide(content, content+n)
		}
	}
	if to := m.hideValueBeside(end); to > end {
		return to
	}
	return m.hideFieldContent(end, found)
}

const maxBeside = 32 // bytes between a field's name and the name of its value

// hideValueBeside hides the value of value="x" near i.
func (m *masker) hideValueBeside(i int) int {
	for at := i; at < len(m.text) && at < i+maxBeside && m.text[at] != '>' && m.text[at] != '}'; at++ {
		if m.text[at]|0x20 != 'v' || !m.startsWord(at) || !hasFoldedAt(m.text, at, "val") {
			continue
		}
		end := skipRun(m.text, at, alnumSet)
		for range maxClosers {
			if end == len(m.text) || !isQuote(m.text[end]) && m.text[end] != '\\' && !isBlank(m.text[end]) {
				break
			}
			end++
		}
		if end < len(m.text) && (m.text[end] == '=' || m.text[end] == ':') {
			return m.hideValue(pair{verdict: secret, isQuoted: true}, skipBlanks(m.text, end+1))
		}
		return i
	}
	return i
}
