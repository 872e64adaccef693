package scrub

import (
	"strconv"
	"strings"
)

// This file reads values as PHP prints them: var_dump, print_r, serialize.

var classSet = func() *[256]bool {
	set := newByteSet(alnumBytes + "_:\"'\\")
	for b := 0x80; b <= 0xFF; b++ {
		set[b] = true
	}
	return set
}()

// skipVisibility returns the end of the arrow behind the visibility at i of the property whose name begins at start, as in
// ["password":"User":private] => and [password:protected] =>; i when there is none.
func skipVisibility(s string, start, i int) int {
	if !isProperty(s[:start]) {
		return i
	}
	bracket := skipRunWithin(s, i, maxName, classSet)
	visibility := strings.LastIndexByte(s[i:bracket], ':') + 1
	if !isVisibility(s, i+visibility) {
		return i
	}
	if arrow := skipBlanks(s, bracket+1); hasPrefixAt(s, arrow, "=>") {
		return arrow + len("=>")
	}
	return i
}

func isVisibility(s string, i int) bool {
	return hasPrefixAt(s, i, "private]") || hasPrefixAt(s, i, "protected]")
}

// isProperty reports whether the text before a name ends with the bracket that opens it.
func isProperty(before string) bool {
	if before == "" || before[len(before)-1] != '[' && !isQuote(before[len(before)-1]) {
		return false
	}
	return strings.HasSuffix(strings.TrimRight(before[max(0, len(before)-maxClosers):], `\"'`), "[")
}

// hideDump hides the value at v when it begins with its type: string(1) "x", string 'x' (length=1), array(1) {, Array (.
func (m *masker) hideDump(v int) (end int, ok bool) {
	i := skipRunWithin(m.text, v, maxName, alnumSet)
	switch m.text[v:i] {
	case "string":
		return m.hideDumpedText(i)
	case "int":
		if digits := skipRunWithin(m.text, i+1, maxDigits, digitSet); hasPrefixAt(m.text, i, "(") && hasPrefixAt(m.text, digits, ")") {
			return m.hide(i+1, digits), true
		}
	case "array", "Array":
		return m.hideDumpedMembers(i)
	case "object":
		if class := skipRunWithin(m.text, i+1, maxName, classSet); hasPrefixAt(m.text, class, ")") {
			return m.hideDumpedMembers(class)
		}
	}
	return v, false
}

// hideDumpedMembers hides the members behind the length at i: array(1) {..}, array:1 [..], Array (..).
func (m *masker) hideDumpedMembers(i int) (end int, ok bool) {
	for {
		i = skipGap(m.text, i)
		length := skipRunWithin(m.text, i, maxDigits, lengthSet)
		if hasPrefixAt(m.text, i, "(") && i+1 < len(m.text) && isDigit(m.text[i+1]) {
			length = i + 1
		}
		if length == i {
			break
		}
		i = length
	}
	switch {
	case hasPrefixAt(m.text, i, Mask):
		return i + len(Mask), true
	case i < len(m.text) && strings.IndexByte("{[(", m.text[i]) >= 0:
		return m.hideBracketed(i), true
	}
	return i, false
}

var lengthSet = newByteSet(digitBytes + ":#)")

// hideDumpedText hides the text whose type ends at i. When the type has a length, a quote may be in the text.
func (m *masker) hideDumpedText(i int) (end int, ok bool) {
	length := -1
	if digits := skipRunWithin(m.text, i+1, maxDigits, digitSet); hasPrefixAt(m.text, i, "(") && hasPrefixAt(m.text, digits, ")") {
		length, _ = strconv.Atoi(m.text[i+1 : digits])
		i = digits + 1
	}
	body, mark := m.openQuote(skipBlanks(m.text, i))
	if mark == "" {
		return i, false
	}
	return m.hideMeasured(body, length, mark), true
}

const maxDigits = 9 // of the length of a text

// hideMeasured hides the text of a known length at body, which the mark ends.
func (m *masker) hideMeasured(body, length int, mark string) int {
	end := body + length
	if length < 0 || !hasPrefixAt(m.text, end, mark) { // the text was cut or cleaned
		end = m.closeQuote(body, mark)
	}
	if isVoid(m.text[body:end]) {
		return end
	}
	return m.hide(body, end)
}

// hideSerialized hides a text after a secret's name in s:8:"password";s:1:"x" and in password|s:1:"x". The colon at i is after the
// length.
func (m *masker) hideSerialized(i int) (end int, ok bool) {
	if i < m.copied || i+1 == len(m.text) || m.text[i+1] != '"' && m.text[i+1] != '\\' {
		return i, false
	}
	digits := skipRunBack(m.text, i, max(m.copied, i-maxDigits), digitSet)
	before := m.text[m.copied:digits]
	name, isSerialized := strings.CutSuffix(before, `";s:`)
	if !isSerialized {
		name, isSerialized = strings.CutSuffix(before, "|s:")
	}
	body, mark := m.openQuote(i + 1)
	if !isSerialized || mark == "" {
		return i, false
	}
	name = strings.TrimRight(name[max(0, len(name)-maxName):], `\`)
	if m.rules.judgeName(name[skipRunBack(name, len(name), 0, nameSet):]) <= described {
		return i, false
	}
	length, _ := strconv.Atoi(m.text[digits:i])
	return m.hideMeasured(body, length, mark), true
}
