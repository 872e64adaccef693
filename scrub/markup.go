package scrub

import "strings"

// brackets enclose a tag.
type brackets struct{ open, shut string }

var (
	plainBrackets   = brackets{"<", ">"}
	escapedBrackets = brackets{"&lt;", "&gt;"} // XML within XML or HTML
)

// tryAngle handles > : the end of an opening tag, or of the arrow of Scala's Map(password -> x).
func (m *masker) tryAngle(i int) int {
	if i > 1 && m.text[i-1] == '-' {
		if isBlank(m.text[i-2]) && i+1 < len(m.text) && isBlank(m.text[i+1]) && m.hasMap() {
			return m.tryPair(i-1, i+1, pair{})
		}
		return i + 1
	}
	return m.tryTag(i, plainBrackets)
}

// hasMap reports whether the text has a map of Scala. It searches once.
func (m *masker) hasMap() bool {
	if !m.soughtMap {
		m.soughtMap, m.foundMap = true, strings.Contains(m.text, "Map(")
	}
	return m.foundMap
}

// tryAmpersand handles & : the end of an escaped tag.
func (m *masker) tryAmpersand(i int) int {
	if !hasPrefixAt(m.text, i, escapedBrackets.shut) {
		return i + 1
	}
	return m.tryTag(i, escapedBrackets)
}

// tryTag hides the content of an XML element whose opening tag ends with the bracket at i.
func (m *masker) tryTag(i int, b brackets) int {
	body := i + len(b.shut)
	if body == len(m.text) {
		return body
	}
	from := max(m.copied, m.tagEnd, i-maxName)
	m.tagEnd = body
	open := strings.LastIndex(m.text[min(from, i):i], b.open)
	if open < 0 {
		return body
	}
	name := m.text[from+open+len(b.open) : i]
	if blank := strings.IndexAny(name, " \t\n"); blank >= 0 {
		name = name[:blank]
	}
	switch {
	case name == "" || !isAlnum(name[0]):
		return body
	case m.rules.judgeName(name) != public:
		return m.hideContent(body, b)
	case namesField(name):
		return m.hideElementBeside(body, b)
	}
	return body
}

// hideContent hides the content of an element that begins at i, up to its closing tag.
func (m *masker) hideContent(i int, b brackets) int {
	mark, after := b.open, "/"
	if hasPrefixAt(m.text, i, cdata) {
		mark, after = "]]>", ""
	}
	n := strings.Index(m.text[i:min(i+maxContent, len(m.text))], mark)
	if n < 0 || !hasPrefixAt(m.text, i+n+len(mark), after) || strings.TrimSpace(m.text[i:i+n]) == "" {
		return i
	}
	return m.hide(i, i+n)
}

const (
	cdata      = "<![CDATA["
	maxContent = 4 << 10 // bytes of an element
)

// hideElementBeside hides the content of the element behind one whose content, at i, is a secret's name, as in a property list:
// <key>password</key> <string>x</string>.
func (m *masker) hideElementBeside(i int, b brackets) int {
	end := skipRunWithin(m.text, i, maxName, nameSet)
	if !hasPrefixAt(m.text, end, b.open) || m.rules.judgeName(m.text[i:end]) <= described {
		return i
	}
	_, at := m.readTag(end, b)
	for range maxTags {
		tag, body := m.readTag(skipGap(m.text, at), b)
		if tag != "string" && !isValueKey(tag) {
			return i
		}
		if !hasPrefixAt(m.text, body, b.open) {
			return m.hideContent(body, b)
		}
		at = body
	}
	return i
}

const maxTags = 2 // around a value, as in <value><string>

// readTag returns what is in the tag at i, and where the tag ends; an empty text when there is none.
func (m *masker) readTag(i int, b brackets) (tag string, end int) {
	if !hasPrefixAt(m.text, i, b.open) {
		return "", i
	}
	from := i + len(b.open)
	n := strings.Index(m.text[from:min(from+maxName, len(m.text))], b.shut)
	if n < 0 {
		return "", i
	}
	return m.text[from : from+n], from + n + len(b.shut)
}

// hideFieldContent hides the content of an element whose attribute with a secret's name ends at i, as in Android's resources: <string
// name="auth_token">x</string>.
func (m *masker) hideFieldContent(i int, found verdict) int {
	body := i + strings.IndexByte(m.text[i:min(i+maxName, len(m.text))], '>') + 1
	if body == i || m.text[body-2] == '/' || strings.IndexByte(m.text[i:body], '<') >= 0 {
		return i
	}
	if tag, inner := m.readTag(skipGap(m.text, body), plainBrackets); isValueKey(tag) { // <setting name="ApiKey"><value>x</value>
		body = inner
	}
	end := skipRunWithin(m.text, body, maxProbe, contentSet)
	if !hasPrefixAt(m.text, end, "</") || !isBeside(found, m.text[body:end]) {
		return i
	}
	return m.hide(body, end)
}

var contentSet = func() *[256]bool {
	set := newByteSet("")
	for b := ' ' + 1; b < 0x7F; b++ {
		set[b] = b != '<'
	}
	return set
}()
