package scrub

import "unicode/utf8"

// pair is a name before a separator. Its value follows.
type pair struct {
	name      string
	verdict   verdict
	hasColon  bool // name: value, as in prose too
	isQuoted  bool // "name": value
	opener    byte // the quote right before the name: of "Cookie: a=b"
	isInText  bool // in source code: the pair is in a text, such as a URL
	isEncoded bool // the separator is %3D or %3A
	isArrow   bool // the separator is =>
	before    byte // the byte before the name; 0 when there is none

	compares bool // the separator is == or !=
	isSecond bool // a word is before the name, as in "duplicate key"
}

const maxName = 128 // bytes of a name, counted from its end

var nameSet = newByteSet(alnumBytes + "_-.$@")

// trySeparator handles = and : .
func (m *masker) trySeparator(i int) int {
	start, end := i, i+1
	if m.text[i] == ':' {
		switch {
		case hasPrefixAt(m.text, end, "//"):
			return m.tryURL(i)
		case hasPrefixAt(m.text, end, ":"):
			for end < len(m.text) && m.text[end] == ':' {
				end++
			}
			if isBase64Colon(m.text, i, end) {
				return m.tryPair(i, end, pair{hasColon: true})
			}
			if end == len(m.text) || m.text[end] != '=' || end-i > maxOperator { // a path of C++, Ruby or Rust, and not ::=
				return end
			}
		case i > 0 && isDigit(m.text[i-1]):
			if end, ok := m.hideTelegram(i); ok {
				return end
			}
			if end, ok := m.hideSerialized(i); ok {
				return end
			}
		}
	}
	for end < len(m.text) && (m.text[end] == '=' || m.text[end] == '>') { // == => :=
		end++
	}
	for m.text[i] == '=' && start > m.copied && i-start < maxOperator && operatorSet[m.text[start-1]] { // ||= .= !=
		start--
	}
	compares := m.text[start] == '!' || end-i > 1 && m.text[end-1] == '=' && m.text[i] == '='
	isArrow := m.text[i] == '=' && m.text[end-1] == '>'
	return m.tryPair(start, end, pair{hasColon: m.text[i] == ':' && end == i+1, compares: compares, isArrow: isArrow})
}

// isBase64Colon reports whether the colons s[i:end] are before a value in base64, as in LDIF: userPassword:: x. In Haskell a blank
// is before them.
func isBase64Colon(s string, i, end int) bool {
	return end-i == 2 && end < len(s) && isBlank(s[end]) && i > 0 && isAlnum(s[i-1])
}

const maxOperator = 3 // bytes before the = of an assignment

var operatorSet = newByteSet("?.|&+!~")

// tryPercent handles %3D and %3A, also when they were encoded twice: %253D.
func (m *masker) tryPercent(i int) int {
	end := i + 1
	for end-i < maxEscape && hasPrefixAt(m.text, end, "25") {
		end += 2
	}
	if end > i+1 {
		if c, ok := decodeEscape("%"+m.text[end:min(end+2, len(m.text))], 0); !ok || c != '=' && c != ':' {
			return i + 1
		}
		return m.tryPair(i, end+2, pair{isEncoded: true})
	}
	if c, ok := decodeEscape(m.text, i); ok && (c == '=' || c == ':') {
		return m.tryPair(i, i+3, pair{isEncoded: true})
	}
	return i + 1
}

const maxEscape = 6 // bytes of a % that was encoded again

// tryPair hides the value after the separator text[i:end] when the name before it is a secret's.
func (m *masker) tryPair(i, end int, p pair) int {
	if end == len(m.text) {
		return end
	}
	start := m.findName(i, &p)
	if p.name == "" {
		return end
	}
	if p.name != m.judgedName {
		m.judgedName, m.judgedVerdict = p.name, m.rules.judgeName(p.name)
	}
	p.verdict = m.judgedVerdict
	if p.verdict == public && start > m.copied && m.text[start-1] == ' ' && isSecondWord(p.name, p.hasColon) {
		if before := m.findNameStart(start - 1); before < start-1 {
			joined := m.text[before : start+len(p.name)]
			p.isSecond = isAlnum(m.text[start-2])
			if found := judgeDefaultName(joined); found != public { // otherwise key may stand alone, as in <add key="...">
				p.name, p.verdict = joined, found
			}
		}
	}
	if p.verdict == public {
		return m.tryPublicName(&p, i, end)
	}
	return m.hideValueOf(&p, start, end)
}

// tryPublicName handles a pair whose name does not name a secret, but may stand before one.
func (m *masker) tryPublicName(p *pair, i, end int) int {
	switch p.name {
	case "input_value":
		return m.hideInputValue(i, end)
	case "parameters":
		return m.hideParameters(i, end)
	}
	if !hintFirstBytes[p.name[0]] || p.isSecond && p.hasColon { // prose, as "duplicate key: x"
		return end
	}
	value := skipBlanks(m.text, end)
	switch {
	case m.isHint(p, value):
		return m.hideValueAt(p, value)
	case p.name == "SQL":
		return max(m.hideBoundRows(value), end)
	case namesField(p.name):
		return m.hideFormField(value)
	case holdsData(p.name):
		return max(m.hideManifestData(value), end)
	}
	return end
}

// hideValueOf hides the value of a secret's name, which begins at start. The separator ends at end.
func (m *masker) hideValueOf(p *pair, start, end int) int {
	if p.hasColon {
		isClass := p.isQuoted || p.before == ':' || p.before == '\\'
		if m.isFileOrPort(p, end) || isClass && isVisibility(m.text, end) && !isProperty(m.text[:start]) {
			return end
		}
		if arrow := skipVisibility(m.text, start, end); arrow > end {
			end, p.hasColon, p.isArrow = arrow, false, true
		}
	}
	if p.isArrow && !m.isCode {
		if to, ok := m.hideDump(skipGap(m.text, end)); ok {
			return to
		}
	}
	return m.hideValueAt(p, skipBlanks(m.text, end))
}

// hideValueAt hides the value at v, or alone in the line after.
func (m *masker) hideValueAt(p *pair, v int) int {
	if v < len(m.text) && m.text[v] == '\n' {
		return m.hideNextLine(p, v)
	}
	return m.hideValue(*p, v)
}

// findName finds the name before a separator, past blanks, quotes and brackets, and returns its start.
func (m *masker) findName(i int, p *pair) int {
	separator := i
	for i > m.copied && isBlank(m.text[i-1]) {
		i--
	}
	end := i
	for range maxClosers {
		if i == m.copied || !p.isCloser(m.text[i-1]) {
			break
		}
		i--
	}
	if i > m.copied && m.text[i-1] == '[' && i < end && (end == separator || p.isQuoted) {
		i = m.skipListBack(i)
	}
	if i > m.copied+1 && endsEscapedQuote[m.text[i-1]] && isAlnum(m.text[i-2]) {
		if quote := skipEscapedQuoteBack(m.text, i); quote > m.copied {
			start := skipUnicodeQuote(m.text, skipRunBack(m.text, quote, max(m.copied, quote-maxName), nameSet))
			p.name, p.isQuoted = m.text[min(start, quote):quote], true
			return start
		}
	}
	start := skipRunBack(m.text, i, max(m.copied, i-maxName), nameSet)
	escaped := start > m.copied && m.text[start-1] == '%'
	if escaped {
		start, i = m.findEscapedName(end, p)
	}
	if start > m.copied && m.text[start-1] >= utf8.RuneSelf {
		for start > m.copied && i-start < maxName && (nameSet[m.text[start-1]] || m.text[start-1] >= utf8.RuneSelf) {
			start--
		}
		p.name = spellLatin(m.text[start:i])
		m.readContext(start, p)
		return start
	}
	p.name = m.text[start:i]
	if escaped {
		p.name = decodeEscapes(p.name)
	}
	m.readContext(start, p)
	return start
}

// maxClosers bounds the quotes, backslashes and brackets between a name and its separator.
const maxClosers = 8

// isCloser reports whether a byte may stand between a name and its separator.
func (p *pair) isCloser(c byte) bool {
	if isQuote(c) {
		p.isQuoted = true
		return true
	}
	return c == '\\' || c == ']'
}

// skipListBack returns the end of the name before the brackets [ ] of a list, which close at i, and any ] before: user[tokens][]=x.
func (m *masker) skipListBack(i int) int {
	if m.text[i] != ']' {
		return i
	}
	i--
	return skipRunBack(m.text, i, max(m.copied, i-maxClosers), closingSet)
}

var closingSet = newByteSet("]")

// findEscapedName is findName for a name that is at least partly percent-encoded. The name ends at or before end.
func (m *masker) findEscapedName(end int, p *pair) (start, stop int) {
	p.isQuoted = false
	var after byte
	for range maxClosers {
		c, at := m.readByteBefore(end)
		if !p.isCloser(c) && !(c == '[' && after == ']') {
			break
		}
		end, after = at, c
	}
	return m.findNameStart(end), end
}

// readContext looks at the byte before the name.
func (m *masker) readContext(start int, p *pair) {
	if start == 0 {
		return
	}
	c := m.text[start-1]
	p.before = c
	if isQuote(c) {
		p.opener = c
	}
	p.isInText = p.isEncoded || p.opener != 0 && !p.isQuoted || (c == '?' || c == '&') && !p.hasColon
}

// findNameStart walks back over the name that ends at i.
func (m *masker) findNameStart(i int) int {
	for range maxName {
		c, start := m.readByteBefore(i)
		if !nameSet[c] {
			break
		}
		i = start
	}
	return i
}

// readByteBefore returns the byte that ends at i, decoded when it is percent-encoded, and its start; 0 when there is none.
func (m *masker) readByteBefore(i int) (c byte, start int) {
	if i <= m.copied {
		return 0, i
	}
	if i-3 >= m.copied && m.text[i-3] == '%' {
		if c, ok := decodeEscape(m.text, i-3); ok {
			return c, i - 3
		}
	}
	return m.text[i-1], i - 1
}
