package scrub

import (
	"strings"
	"unicode/utf8"
)

// pair is a name before a separator. Its value follows.
type pair struct {
	name    string
	verdict verdict
	colon   bool // name: value, as prose has it too
	quoted  bool // "name": value
	opener  byte // the quote right before the name: of "Cookie: a=b"
	literal bool // in source code: the pair stands in a text, such as a URL
	encoded bool // the separator is %3D or %3A

	compares bool // the separator is == or !=
}

const maxName = 128 // bytes of a name, counted from its end

var nameSet = bytesOf(alnumBytes + "_-.$@")

// separator handles = and : .
func (m *masker) separator(i int) int {
	start, end := i, i+1
	if m.s[i] == ':' {
		switch {
		case hasPrefixAt(m.s, end, "//"):
			return m.url(i)
		case hasPrefixAt(m.s, end, ":"):
			for end < len(m.s) && m.s[end] == ':' {
				end++
			}
			if end == len(m.s) || m.s[end] != '=' || end-i > maxOperator { // a path of C++, Ruby or Rust, and not ::=
				return end
			}
		case i > 0 && isDigit(m.s[i-1]):
			if end, ok := m.telegram(i); ok {
				return end
			}
		}
	}
	for end < len(m.s) && (m.s[end] == '=' || m.s[end] == '>') { // == => :=
		end++
	}
	for m.s[i] == '=' && start > m.done && i-start < maxOperator && operatorSet[m.s[start-1]] { // ||= .= !=
		start--
	}
	compares := m.s[start] == '!' || end-i > 1 && m.s[end-1] == '=' && m.s[i] == '='
	return m.pair(start, end, pair{colon: m.s[i] == ':' && end == i+1, compares: compares})
}

const maxOperator = 3 // bytes before the = of an assignment

var operatorSet = bytesOf("?.|&+!~")

// percent handles %3D and %3A, also when they were encoded again: %253D.
func (m *masker) percent(i int) int {
	end := i + 1
	for end-i < maxEscape && hasPrefixAt(m.s, end, "25") {
		end += 2
	}
	if end > i+1 {
		if c, ok := unescaped("%"+m.s[end:min(end+2, len(m.s))], 0); !ok || c != '=' && c != ':' {
			return i + 1
		}
		return m.pair(i, end+2, pair{encoded: true})
	}
	if c, ok := unescaped(m.s, i); ok && (c == '=' || c == ':') {
		return m.pair(i, i+3, pair{encoded: true})
	}
	return i + 1
}

const maxEscape = 6 // bytes of a % that was encoded again

// pair hides the value after the separator s[i:end] when the name before it is a secret's.
func (m *masker) pair(i, end int, p pair) int {
	if end == len(m.s) {
		return end
	}
	start := m.nameBefore(i, &p)
	if p.name == "" {
		return end
	}
	if p.name != m.judged {
		m.judged, m.found = p.name, m.rules.verdict(p.name)
	}
	p.verdict = m.found
	if p.verdict == public && start > m.done && m.s[start-1] == ' ' && isSecondWord(p.name, p.colon) {
		if before := m.nameStart(start - 1); before < start-1 {
			p.name = m.s[before : start+len(p.name)]
			p.verdict = nameOf(p.name)
		}
	}
	if p.verdict == public && !telling[p.name[0]] || p.verdict != public && p.colon && m.isPlace(&p, end) {
		return end
	}
	value := skipBlanks(m.s, end)
	if p.verdict == public && !m.isHint(&p, value) {
		switch {
		case namesName(p.name):
			return m.formField(value)
		case holdsData(p.name):
			return max(m.manifestData(value), end)
		}
		return end
	}
	if value < len(m.s) && m.s[value] == '\n' {
		return m.nextLine(&p, value)
	}
	return m.value(p, value)
}

// isSecondWord is true for the end of a name of two words, as prose writes it ("API key: ..."), and for the type behind
// a name of Go (var password string = ...). Other words are names of their own: in "bad token for user: bob", the name
// is user.
func isSecondWord(name string, colon bool) bool {
	var lower [6]byte
	if len(name) > len(lower) {
		return false
	}
	for i := range len(name) {
		lower[i] = name[i] | 0x20
	}
	switch string(lower[:len(name)]) {
	case "key", "keys", "number", "no", "code", "card", "id", "phrase", "word":
		return true
	case "string":
		return !colon
	}
	return false
}

// nameBefore finds the name before a separator, past blanks, quotes and brackets, and gives where it starts.
func (m *masker) nameBefore(i int, p *pair) int {
	for i > m.done && isBlank(m.s[i-1]) {
		i--
	}
	end := i
	for range maxClosers {
		if i == m.done || !p.closes(m.s[i-1]) {
			break
		}
		i--
	}
	start := runBack(m.s, i, max(m.done, i-maxName), nameSet)
	escaped := start > m.done && m.s[start-1] == '%'
	if escaped {
		start, i = m.escapedName(end, p)
	}
	if start > m.done && m.s[start-1] >= utf8.RuneSelf {
		for start > m.done && i-start < maxName && (nameSet[m.s[start-1]] || m.s[start-1] >= utf8.RuneSelf) {
			start--
		}
		p.name = latin(m.s[start:i])
		m.context(start, p)
		return start
	}
	p.name = m.s[start:i]
	if escaped {
		p.name = unescapedAll(p.name)
	}
	m.context(start, p)
	return start
}

// maxClosers bounds the quotes, backslashes and brackets between a name and its separator.
const maxClosers = 8

// closes is true for what may stand between a name and its separator.
func (p *pair) closes(c byte) bool {
	if isQuote(c) {
		p.quoted = true
		return true
	}
	return c == '\\' || c == ']'
}

// escapedName is the part of nameBefore for a name of which some is percent-encoded. It ends at or before end.
func (m *masker) escapedName(end int, p *pair) (start, stop int) {
	p.quoted = false
	for range maxClosers {
		c, at := m.byteBefore(end)
		if !p.closes(c) {
			break
		}
		end = at
	}
	return m.nameStart(end), end
}

// context looks at what stands before the name.
func (m *masker) context(start int, p *pair) {
	if start == 0 {
		return
	}
	c := m.s[start-1]
	if isQuote(c) {
		p.opener = c
	}
	p.literal = p.encoded || p.opener != 0 && !p.quoted || (c == '?' || c == '&') && !p.colon
}

// nameStart walks back over the name that ends at i.
func (m *masker) nameStart(i int) int {
	for range maxName {
		c, start := m.byteBefore(i)
		if !nameSet[c] {
			break
		}
		i = start
	}
	return i
}

// byteBefore gives the byte that ends at i, decoded when it is percent-encoded, and where it starts; 0 when there is none.
func (m *masker) byteBefore(i int) (c byte, start int) {
	if i <= m.done {
		return 0, i
	}
	if i-3 >= m.done && m.s[i-3] == '%' {
		if c, ok := unescaped(m.s, i-3); ok {
			return c, i - 3
		}
	}
	return m.s[i-1], i - 1
}

// isPlace is true for session.go:12 and auth-service:8080, a line of a file and a port, which are no pairs.
func (m *masker) isPlace(p *pair, end int) bool {
	extension := p.name[strings.LastIndexByte(p.name, '.')+1:]
	if len(extension) < len(p.name) && !p.quoted && end < len(m.s) && isBlank(m.s[end]) && len(extension) <= maxExtension && extensions[extension] {
		return true // credentials.json: no such file
	}
	number := runWithin(m.s, end, maxPort+1, digitSet)
	if number == end || number-end > maxPort || letterAt(m.s, number) {
		return false
	}
	isFile := len(extension) < len(p.name) && len(extension) <= maxExtension && m.rules.verdict(extension) == public
	return isFile || p.verdict == weakly && !p.quoted
}

const (
	maxPort      = 5 // digits
	maxExtension = 5 // letters
)

// extensions of files that hold secrets or code about them.
var extensions = set("json yaml yml toml ini conf cfg env xml txt csv db lock log pem crt go py js ts tsx jsx mjs cjs rb php java kt cs rs c cc cpp h hpp swift " +
	"scala ex exs sh sql html vue")

// value hides the value that begins at v and gives where it ends.
func (m *masker) value(p pair, v int) int {
	if v >= len(m.s) {
		return v
	}
	if hasPrefixAt(m.s, v, Mask) {
		return m.bare(p, v)
	}
	if p.colon && !p.quoted && !isHeader(p.name) {
		if to := runWithin(m.s, v, maxType, typeSet); to > v && to < len(m.s) && m.s[to] == '=' { // password: str = "x"
			if to = skipBlanks(m.s, to+1); to < len(m.s) && isQuote(m.s[to]) {
				v = to
			}
		}
	}
	if body, mark := m.openQuote(v); mark != "" {
		return m.quotedValue(&p, body, mark)
	}
	switch m.s[v] {
	case '{', '[', '(':
		return m.bracketed(v)
	}
	return m.bare(p, v)
}

const maxType = 32 // bytes of a type and the blanks around it

var typeSet = bytesOf(alnumBytes + "_ .,<>[]|?&*")

// quotedValue hides the text inside of quotes unless it is plainly no secret.
func (m *masker) quotedValue(p *pair, body int, mark string) int {
	end := m.closeQuote(body, mark)
	text := m.s[body:end]
	if isVoid(text) || isTokenCount(p.name, text) || p.verdict == described && !p.quoted && !looksSecret(text) {
		return end
	}
	return m.hide(body, end)
}
