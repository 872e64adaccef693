package scrub

import "strings"

// namesField reports whether the value of this name is the name of a field: name="password".
func namesField(name string) bool {
	switch name {
	case "name", "key", "field", "header", "Name", "Key", "ParameterKey":
		return true
	}
	return false
}

// hideFormField hides the value of a field whose name begins at i: the content of a multipart form's field, or the value beside the
// name in a tag (<input name="password" value="x">), in an object ("key": "password", "value": "x") or in lines and lists.
func (m *masker) hideFormField(i int) int {
	body, mark := m.openQuote(i)
	if mark == "" {
		return m.hideBareField(i)
	}
	end := skipRunWithin(m.text, body, maxName, fieldSet)
	if !hasPrefixAt(m.text, end, mark) {
		return i
	}
	found := m.rules.judgeName(m.text[body:end])
	if found == public {
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
	if to := m.hideValueBeside(end, found); to > end {
		return to
	}
	m.hideValueBefore(i, found)
	return m.hideFieldContent(end, found)
}

var fieldSet = newByteSet(alnumBytes + "_-.$@[]")

const maxBeside = 32 // bytes between a field's name and the name of its value

// hideValueBeside hides the value of value="x" near i. Behind a name that only describes a secret, it must look like one.
func (m *masker) hideValueBeside(i int, found verdict) int {
	for at := i; at < len(m.text) && at < i+maxBeside && m.text[at] != '>' && m.text[at] != '}'; at++ {
		word := m.skipValueWord(at)
		if word == at {
			continue
		}
		v := m.skipSeparator(word)
		switch {
		case v == word:
			return i
		case m.text[at]|0x20 == 'c':
			return m.hideAttribute(v, len(m.text), found)
		case found == described && m.text[v-1] == '=':
			return m.hideValue(pair{verdict: described}, v)
		}
		return m.hideValue(pair{verdict: secret, isQuoted: true}, skipBlanks(m.text, v))
	}
	return i
}

// skipValueWord returns the end of the word at i when it names a value: value, val, ParameterValue, or the content of <meta
// content="x">; otherwise i.
func (m *masker) skipValueWord(i int) int {
	switch m.text[i] | 0x20 {
	case 'v':
		isName := m.startsWord(i) || m.text[i] == 'V' && strings.HasSuffix(m.text[:i], "Parameter")
		if isName && hasFoldedAt(m.text, i, "val") && !hasFoldedAt(m.text, i, "valid") {
			return skipRun(m.text, i, alnumSet)
		}
	case 'c':
		if m.startsWord(i) && hasPrefixAt(m.text, i, "content=") {
			return i + len("content")
		}
	}
	return i
}

// skipSeparator returns the end of the = or : behind the name that ends at i, past quotes and blanks; i when there is none.
func (m *masker) skipSeparator(i int) int {
	end := i
	for range maxClosers {
		if end == len(m.text) || !isQuote(m.text[end]) && m.text[end] != '\\' && !isBlank(m.text[end]) {
			break
		}
		end++
	}
	if end < len(m.text) && (m.text[end] == '=' || m.text[end] == ':') {
		return end + 1
	}
	return i
}

// hideValueBefore hides the value in front of a field whose quoted name begins at i, in the same tag or object: <add value="x"
// key="password"/>. It looks at no byte twice.
func (m *masker) hideValueBefore(i int, found verdict) {
	from := min(max(m.copied, m.besideAt, i-maxProbe), i)
	m.besideAt = i
	start := skipRunBack(m.text, i, from, insideSet)
	if start == from || m.text[start-1] != '<' && m.text[start-1] != '{' {
		return
	}
	for at := start; at < i; at++ {
		word := m.skipValueWord(at)
		if word == at {
			continue
		}
		if v := m.skipSeparator(word); v > word && v < i {
			m.hideAttribute(skipBlanks(m.text, v), i, found)
		}
		return
	}
}

// insideSet is what may be in a tag or an object: all but brackets.
var insideSet = func() *[256]bool {
	set := &[256]bool{}
	for c := range set {
		set[c] = strings.IndexByte("<>{}", byte(c)) < 0
	}
	return set
}()

// hideAttribute hides the text that is in quotes at v and ends before limit, unless it is a word for people or another name.
func (m *masker) hideAttribute(v, limit int, found verdict) int {
	body, mark := m.openQuote(v)
	if mark == "" || body >= limit {
		return v
	}
	end := findClosingQuote(m.text[:limit], body, mark)
	if end == limit || isCount("", m.text[body:end]) || !isBeside(found, m.text[body:end]) {
		return v
	}
	return m.hide(body, end)
}

// hideBareField hides the value beside a field whose name begins at i without quotes, as in YAML and in the options of commands:
// "- name: DB_PASSWORD\n  value: x", Name=DB_PASSWORD,Value=x.
func (m *masker) hideBareField(i int) int {
	end := skipRunWithin(m.text, i, maxName, nameSet)
	if end == i || end == len(m.text) || !besideSet[m.text[end]] && !hasPrefixAt(m.text, end, `\n`) {
		return i
	}
	at := skipRunWithin(m.text, end, maxBeside, besideSet)
	if hasPrefixAt(m.text, at, `\n`) { // a line end in JSON
		at = skipRunWithin(m.text, at+len(`\n`), maxBeside, besideSet)
	}
	if hasPrefixAt(m.text, at, "Parameter") {
		at += len("Parameter")
	}
	if !hasPrefixAt(m.text, at, "value") && !hasPrefixAt(m.text, at, "Value") {
		return i
	}
	at += len("value")
	v := m.skipSeparator(at)
	if v == at {
		return i
	}
	name := m.text[i:end]
	found := m.rules.judgeName(name)
	if found <= described {
		return i
	}
	return m.hideValue(pair{name: name, verdict: found, hasColon: m.text[v-1] == ':' || !isHeader(name)}, skipBlanks(m.text, v))
}

var besideSet = newByteSet(" \n\t,&")
