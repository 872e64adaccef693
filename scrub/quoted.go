package scrub

import "strings"

// quote handles the quote at i when it opens a text behind a secret's name: a member of a tuple, ("password", "x"), the
// argument of a call, setPassword("x"), the next word, IDENTIFIED BY "x".
func (m *masker) quote(i int) int {
	if !m.mayOpen(i) {
		return i + 1
	}
	at := i
	for range maxClosers {
		if at == m.done || m.s[at-1] != '\\' {
			break
		}
		at--
	}
	if at > m.done && strings.IndexByte("bBuUrR", m.s[at-1]) >= 0 && m.boundary(at-1) {
		at--
	}
	before := max(skipGapBack(m.s, at), m.done)
	if before == m.done {
		return i + 1
	}
	switch c := m.s[before-1]; {
	case c == ',':
		return m.afterComma(i, at, before-1)
	case c == '(':
		if name := skipGapBack(m.s, before-1); name > m.done && m.s[name-1]|0x20 == 's' { // VALUES
			if end := m.insert(i); end > i {
				return end
			}
		}
		return m.afterName(i, at, before-1)
	case before < at && nameSet[c]:
		return m.afterName(i, at, before)
	}
	return i + 1
}

// mayOpen reports whether the quote at i may be one that this file is about, by the bytes before it.
func (m *masker) mayOpen(i int) bool {
	return i >= 2 && (opensQuote[m.s[i-1]] || m.s[i-1] == ' ' && beforeBlank[m.s[i-2]])
}

var (
	opensQuote  = bytesOf("\n\t,(\\bBuUrR")
	beforeBlank = bytesOf(alnumBytes + "_-.$@,( \n")
)

// afterComma hides the text that opens at from when a secret's name in quotes stands before the comma.
func (m *masker) afterComma(i, from, comma int) int {
	end := skipGapBack(m.s, comma)
	if end <= m.done {
		return i + 1
	}
	if !isQuote(m.s[end-1]) {
		return max(m.insert(i), i+1)
	}
	mark := m.s[end-1]
	for end--; end > m.done && m.s[end-1] == '\\'; {
		end--
	}
	start := end
	for start > m.done && end-start < maxName && nameSet[m.s[start-1]] {
		start--
	}
	if start == end || start == m.done || m.s[start-1] != mark {
		return i + 1
	}
	found := m.rules.verdict(m.s[start:end])
	if found == public {
		return i + 1
	}
	body, quotes := m.openQuote(from)
	if quotes == "" {
		return i + 1
	}
	closing := m.closeQuote(body, quotes)
	if isMember(found, m.s[body:closing]) {
		return m.hide(body, closing)
	}
	return i + 1
}

// isMember reports whether the text behind a secret's name in a list is the secret, and not the next name.
func isMember(found verdict, text string) bool {
	return !isVoid(text) && (found != described || looksSecret(text)) && !isPlain(text)
}

// afterName hides the text that opens at from when a secret's name ends at end, before a blank or a bracket.
func (m *masker) afterName(i, from, end int) int {
	start := end
	for start > m.done && end-start < maxName && nameSet[m.s[start-1]] {
		start--
	}
	name := m.s[start:end]
	identified := strings.EqualFold(name, "by") && foldedAt(m.s, start-len("identified "), "identified ")
	if name == "" || !identified && m.rules.verdict(name) == public {
		return i + 1
	}
	body, mark := m.openQuote(from)
	if mark == "" {
		return i + 1
	}
	closing := m.closeQuote(body, mark)
	if text := m.s[body:closing]; identified && !isVoid(text) || isRandom(text) {
		return m.hide(body, closing)
	}
	return i + 1
}
