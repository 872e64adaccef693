package scrub

import "strings"

// pair is a name before a separator. Its value follows.
type pair struct {
	name    string
	verdict verdict
	colon   bool // name: value, as prose has it too
	quoted  bool // "name": value
	opener  byte // the quote right before the name: of "Cookie: a=b"
	literal bool // in source code: the pair stands in a text, such as a URL
	encoded bool // the separator is %3D or %3A
}

const maxName = 128 // bytes of a name, counted from its end

var nameSet = bytesOf(alnumBytes + "_-.$@")

// separator handles = and : .
func (m *masker) separator(i int) int {
	end := i + 1
	if m.s[i] == ':' {
		switch {
		case hasPrefixAt(m.s, end, "//"):
			return m.url(i)
		case hasPrefixAt(m.s, end, ":"): // a path of C++, Ruby or Rust
			return end + 1
		case i > 0 && isDigit(m.s[i-1]):
			if end, ok := m.telegram(i); ok {
				return end
			}
		}
	}
	for end < len(m.s) && (m.s[end] == '=' || m.s[end] == '>') { // == => :=
		end++
	}
	return m.pair(i, end, pair{colon: m.s[i] == ':' && end == i+1})
}

// percent handles %3D and %3A.
func (m *masker) percent(i int) int {
	if c, ok := unescaped(m.s, i); ok && (c == '=' || c == ':') {
		return m.pair(i, i+3, pair{encoded: true})
	}
	return i + 1
}

// pair hides the value after the separator s[i:end] when the name before it is a secret's.
func (m *masker) pair(i, end int, p pair) int {
	if end == len(m.s) {
		return end
	}
	start := m.nameBefore(i, &p)
	if p.name == "" {
		return end
	}
	p.verdict = m.rules.verdict(p.name)
	if p.verdict == public && start > m.done && m.s[start-1] == ' ' && isSecondWord(p.name) {
		before := m.nameStart(start - 1)
		p.name = m.s[before : start+len(p.name)]
		p.verdict = nameOf(p.name)
	}
	switch {
	case p.verdict == public:
		if p.name == "name" {
			return m.formField(end)
		}
		return end
	case p.colon && m.isPlace(&p, end):
		return end
	}
	return m.value(p, skipBlanks(m.s, end))
}

// isSecondWord is true for the end of a name of two words, as prose writes it ("API key: ..."). Other words are names
// of their own: in "bad token for user: bob", the name is user.
func isSecondWord(name string) bool {
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
	start := i
	for start > m.done && i-start < maxName && nameSet[m.s[start-1]] {
		start--
	}
	if start > m.done && m.s[start-1] == '%' {
		start, i = m.escapedName(end, p)
	}
	p.name = m.s[start:i]
	if strings.IndexByte(p.name, '%') >= 0 {
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
	number := runWithin(m.s, end, maxPort+1, digitSet)
	if number == end || number-end > maxPort || letterAt(m.s, number) {
		return false
	}
	extension := p.name[strings.LastIndexByte(p.name, '.')+1:]
	isFile := len(extension) < len(p.name) && len(extension) <= maxExtension && m.rules.verdict(extension) == public
	return isFile || p.verdict == weakly && !p.quoted
}

const (
	maxPort      = 5 // digits
	maxExtension = 5 // letters
)

// value hides the value that begins at v and gives where it ends.
func (m *masker) value(p pair, v int) int {
	if v >= len(m.s) {
		return v
	}
	if hasPrefixAt(m.s, v, Mask) {
		return m.bare(p, v)
	}
	if body, mark := m.openQuote(v); mark != "" {
		return m.hide(body, m.closeQuote(body, mark))
	}
	switch m.s[v] {
	case '{', '[', '(':
		return m.bracketed(v)
	}
	return m.bare(p, v)
}

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
	if strings.Trim(m.s[v:end], "{}[]() ") == "" {
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

// formField hides the content of a multipart form's field whose quoted name begins at i.
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
	return end
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func skipBlanks(s string, i int) int {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	return i
}

// unescaped gives the byte that the escape %XX at i stands for.
func unescaped(s string, i int) (byte, bool) {
	if i+2 >= len(s) || s[i] != '%' || !hexSet[s[i+1]] || !hexSet[s[i+2]] {
		return 0, false
	}
	return nibble(s[i+1])<<4 | nibble(s[i+2]), true
}

func nibble(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// unescapedAll decodes every escape.
func unescapedAll(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c, ok := unescaped(s, i)
		if ok {
			i += 2
		} else {
			c = s[i]
		}
		b.WriteByte(c)
	}
	return b.String()
}
