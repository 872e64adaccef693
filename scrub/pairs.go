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
	start := m.nameBefore(i, &p)
	if p.name == "" {
		return end
	}
	p.verdict = m.rules.verdict(p.name)
	if p.verdict == public && start > m.done && m.s[start-1] == ' ' && secondWords[strings.ToLower(p.name)] {
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
	case p.colon && m.isFileLine(p.name, end):
		return end
	}
	return m.value(p, skipBlanks(m.s, end))
}

// secondWords end a name of two words, as prose writes it ("API key: ..."). Other words do not: in "bad token for
// user: bob", the name is user.
var secondWords = set("key keys number no code card id phrase word")

// nameBefore finds the name before a separator, past blanks, quotes and brackets, and gives where it starts.
func (m *masker) nameBefore(i int, p *pair) int {
	for i > m.done && isBlank(m.s[i-1]) {
		i--
	}
	for range 8 {
		c, start := m.byteBefore(i)
		if isQuote(c) {
			p.quoted = true
		} else if c != '\\' && c != ']' {
			break
		}
		i = start
	}
	start := m.nameStart(i)
	p.name = m.s[start:i]
	if strings.IndexByte(p.name, '%') >= 0 {
		p.name = unescapedAll(p.name)
	}
	if start > 0 {
		c := m.s[start-1]
		if isQuote(c) {
			p.opener = c
		}
		p.literal = p.encoded || p.opener != 0 && !p.quoted || (c == '?' || c == '&') && !p.colon
	}
	return start
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

// isFileLine is true for session.go:12, which is no pair of name and value.
func (m *masker) isFileLine(name string, end int) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && end < len(m.s) && isDigit(m.s[end]) && m.rules.verdict(name[dot+1:]) == public
}

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
	if triple := mark + mark + mark; len(mark) == 1 && hasPrefixAt(m.s, i, triple) {
		return i + 3, triple
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
		if i += n; !escapedAt(m.s, body, i, mark[0]) {
			return i
		}
		i += len(mark)
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
