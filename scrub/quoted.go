package scrub

import "strings"

// tryQuote handles the quote at i when it opens a text after a secret's name: a member of a tuple, ("password", "x"), the
// argument of a call, setPassword("x"), the next word, IDENTIFIED BY "x".
func (m *masker) tryQuote(i int) int {
	if !m.mayOpenValue(i) {
		return i + 1
	}
	at := i
	for range maxClosers {
		if at == m.copied || m.text[at-1] != '\\' {
			break
		}
		at--
	}
	if at > m.copied && strings.IndexByte("bBuUrR", m.text[at-1]) >= 0 && m.startsWord(at-1) {
		at--
	}
	opens := at
	if at-2 >= m.copied && hasPrefixAt(m.text, at-2, "<<") { // Erlang
		opens -= 2
	}
	before := max(skipGapBack(m.text, opens), m.copied)
	if before == m.copied {
		return i + 1
	}
	switch c := m.text[before-1]; {
	case c == ',':
		return m.hideAfterComma(i, at, before-1)
	case c == '(':
		if name := skipGapBack(m.text, before-1); name > m.copied && m.text[name-1]|0x20 == 's' { // VALUES
			if end := m.hideInsertValues(i); end > i {
				return end
			}
		}
		if name := skipGapBack(m.text, before-1); name > m.copied && isQuote(m.text[name-1]) { // 'password' ('x')
			return m.hideAfterComma(i, at, before-1)
		}
		return m.hideAfterName(i, at, before-1)
	case before < at && nameSet[c]:
		return m.hideAfterName(i, at, before)
	}
	return i + 1
}

// mayOpenValue reports whether the bytes before the quote at i allow a value in one of these forms.
func (m *masker) mayOpenValue(i int) bool {
	return i >= 2 && (opensQuote[m.text[i-1]] || m.text[i-1] == ' ' && beforeBlank[m.text[i-2]])
}

var (
	opensQuote  = newByteSet("\n\t,(<\\bBuUrR")
	beforeBlank = newByteSet(alnumBytes + "_-.$@,( \n")
)

// hideAfterComma hides the text that opens at from when a secret's name in quotes is before the comma.
func (m *masker) hideAfterComma(i, from, comma int) int {
	end := skipGapBack(m.text, comma)
	if end <= m.copied {
		return i + 1
	}
	if !isQuote(m.text[end-1]) {
		if values := m.hideInsertValues(i); values > i {
			return values
		}
		return max(m.hideAfterAtom(from, end), i+1)
	}
	mark := m.text[end-1]
	for end--; end > m.copied && m.text[end-1] == '\\'; {
		end--
	}
	start := end
	for start > m.copied && end-start < maxName && nameSet[m.text[start-1]] {
		start--
	}
	if start == end || start == m.copied || m.text[start-1] != mark {
		return i + 1
	}
	found := m.rules.judgeName(m.text[start:end])
	if found == public {
		return i + 1
	}
	body, quotes := m.openQuote(from)
	if quotes == "" {
		return i + 1
	}
	closing := m.closeQuote(body, quotes)
	if isMember(found, m.text[body:closing]) {
		return m.hide(body, closing)
	}
	return i + 1
}

// hideAfterAtom hides the text that opens at from in a tuple of Erlang or Elixir whose first member, a secret's name, ends at end:
// {password,<<"x">>}, {:password, "x"}. It returns 0 when there is none.
func (m *masker) hideAfterAtom(from, end int) int {
	if end <= m.copied {
		return 0
	}
	start := skipRunBack(m.text, end, max(m.copied, end-maxName), nameSet)
	before := strings.TrimSuffix(m.text[m.copied:start], ":")
	if start == end || !strings.HasSuffix(before, "{") {
		return 0
	}
	body, mark := m.openQuote(from)
	if mark == "" {
		return 0
	}
	closing := m.closeQuote(body, mark)
	if isBeside(m.rules.judgeName(m.text[start:end]), m.text[body:closing]) {
		return m.hide(body, closing)
	}
	return 0
}

// isBeside reports whether a word beside a secret's name, without a separator, is the secret. After names that are often in prose a
// plain word is not.
func isBeside(found verdict, text string) bool {
	if found <= described || isVoid(text) || strings.IndexByte(text, ' ') >= 0 || judgeDefaultName(text) != public {
		return false
	}
	lower := strings.ToLower(text)
	return !isMessage(lower) && (found == secret || !isPlain(text))
}

// isMember reports whether the text after a secret's name in a list is the secret, and not the next name.
func isMember(found verdict, text string) bool {
	return !isVoid(text) && (found != described || looksSecret(text)) && !isPlain(text)
}

// hideAfterName hides the text that opens at from when a secret's name ends at end, before a blank or a bracket.
func (m *masker) hideAfterName(i, from, end int) int {
	start := end
	for start > m.copied && end-start < maxName && nameSet[m.text[start-1]] {
		start--
	}
	name := m.text[start:end]
	identified := strings.EqualFold(name, "by") && hasFoldedAt(m.text, start-len("identified "), "identified ")
	if name == "value" {
		return m.hideStatedValue(i, from, start)
	}
	if name == "" || !identified && m.rules.judgeName(name) == public {
		return i + 1
	}
	body, mark := m.openQuote(from)
	if mark == "" {
		return i + 1
	}
	closing := m.closeQuote(body, mark)
	if text := m.text[body:closing]; identified && !isVoid(text) || isRandom(text) {
		return m.hide(body, closing)
	}
	return i + 1
}
