package scrub

import "strings"

// This file finds values in the messages of validators, which name a field and print what it was given.

// skipRejected returns the start of the value behind words such as "rejected value"; v when there are none.
func (m *masker) skipRejected(v int) int {
	if !beginsRejected[m.text[v]] {
		return v
	}
	end := skipRunWithin(m.text, v, maxWord, wordsSet)
	word, isValue := strings.CutSuffix(m.text[v:end], "value ")
	if !isValue || end == len(m.text) || m.text[end] != '[' && !isQuote(m.text[end]) || !rejectedWords[strings.TrimSpace(word)] {
		return v
	}
	return end
}

var (
	wordsSet       = newByteSet(lowerBytes + " ")
	beginsRejected = newByteSet("vriwb") // the first letters of these and of "value"
	rejectedWords  = map[string]bool{"": true, "rejected": true, "invalid": true, "wrong": true, "bad": true, "illegal": true}
)

// hideRejected hides the value in the bracket at v, as Spring prints it: rejected value [x]; codes [..]. The value may have brackets.
func (m *masker) hideRejected(v int) int {
	end := indexFrom(m.text, v, "\n")
	if n := strings.Index(m.text[v:end], "]; "); n >= 0 {
		end = v + n + 1
	} else if n := strings.IndexByte(m.text[v:end], ']'); n >= 0 {
		end = v + n + 1
	}
	if isVoid(strings.Trim(m.text[v:end], "[]")) {
		return end
	}
	return m.hide(v, end)
}

// hideInputValue hides the value of the separator text[i:end], as pydantic prints it below the line that names the field: [type=..,
// input_value='x', input_type=str].
func (m *masker) hideInputValue(i, end int) int {
	from := min(max(m.copied, m.inputAt, i-maxMessage), i)
	m.inputAt = i
	line := from + strings.LastIndexByte(m.text[from:i], '\n')
	if line < from {
		return end
	}
	from = max(m.copied, line-maxName)
	start := from + strings.LastIndexByte(m.text[from:line], '\n') + 1
	if start == from && from > 0 {
		return end
	}
	name := m.text[start:skipRun(m.text[:line], start, nameSet)]
	found := m.rules.judgeName(name)
	if found == public {
		return end
	}
	return m.hideValue(pair{name: name, verdict: found}, skipBlanks(m.text, end))
}

const maxMessage = 1 << 10 // bytes of pydantic's message before the value

// hideStatedValue hides the text in quotes that opens at from, after the word "value" at word, when the sentence names a secret's
// field before or after.
func (m *masker) hideStatedValue(i, from, word int) int {
	body, mark := m.openQuote(from)
	if mark == "" {
		return i + 1
	}
	closing := m.closeQuote(body, mark)
	if isVoid(m.text[body:closing]) || !m.namesFieldBefore(word) && !m.namesFieldAfter(min(closing+len(mark), len(m.text))) {
		return i + 1
	}
	return m.hide(body, closing)
}

// namesFieldBefore reports whether a secret's name is before the word at i, as joi says: "password" with value "x".
func (m *masker) namesFieldBefore(i int) bool {
	before, isStated := strings.CutSuffix(m.text[max(m.copied, i-maxName):i], " with ")
	if !isStated || before == "" || !isQuote(before[len(before)-1]) {
		return false
	}
	before = strings.TrimRight(before, "\"'`\\")
	return m.rules.judgeName(before[skipRunBack(before, len(before), 0, nameSet):]) > described
}

// namesFieldAfter reports whether a secret's name is behind i, as mongoose and ASP.NET say: value "x" (type string) at path "password",
// The value 'x' is not valid for Password.
func (m *masker) namesFieldAfter(i int) bool {
	after := m.text[i:min(i+maxName, len(m.text))]
	if strings.HasPrefix(after, " (type ") {
		_, after, _ = strings.Cut(after, ")")
	}
	for _, words := range [...]string{" at path ", " is not valid for ", " is invalid for "} {
		if name, ok := strings.CutPrefix(after, words); ok {
			name = strings.TrimLeft(name, "\"'`\\")
			return m.rules.judgeName(name[:skipRun(name, 0, nameSet)]) > described
		}
	}
	return false
}
