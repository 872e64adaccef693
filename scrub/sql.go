package scrub

import "strings"

// insert hides the values of a secret's columns in INSERT INTO t (name, password) VALUES ('bob', 'x'), once for each
// text, from the first quote on. It gives where the values end; 0 when there are none.
func (m *masker) insert(i int) int {
	if m.inserted || !m.code && len(m.s) < len("insert into t(pw)values('')") {
		return 0
	}
	m.inserted = true
	values := indexFolded(m.s[:i], "values")
	if values < 0 || indexFolded(m.s[:values], "insert") < 0 {
		return 0
	}
	columns, _, ok := strings.Cut(m.s[strings.LastIndexByte(m.s[:values], '(')+1:values], ")")
	if !ok {
		return 0
	}
	var isSecret []bool
	found := false
	for name := range strings.SplitSeq(columns, ",") {
		hide := m.rules.verdict(strings.Trim(name, " \t\n\"`[]")) > described
		isSecret = append(isSecret, hide)
		found = found || hide
	}
	if !found {
		return 0
	}
	return m.tuples(values+len("values"), isSecret)
}

// tuples hides the texts of secrets in (x, 'y'), (z, 'w'), which begin at i, and gives where they end.
func (m *masker) tuples(i int, isSecret []bool) int {
	depth, column := 0, 0
	for ; i < len(m.s); i++ {
		switch c := m.s[i]; c {
		case '(':
			if depth++; depth == 1 {
				column = 0
			}
		case ')':
			depth--
		case ',':
			if depth == 1 {
				column++
			}
		case '\'', '"':
			end := m.closeQuote(i+1, m.s[i:i+1])
			if depth > 0 && column < len(isSecret) && isSecret[column] {
				m.hide(i+1, end)
			}
			i = end
		default:
			if depth == 0 && !isBlank(c) && c != '\n' {
				return i
			}
		}
	}
	return i
}

// indexFolded finds a word, given in lower case, in any case; -1 when it is not there.
func indexFolded(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i]|0x20 == word[0] && strings.EqualFold(s[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}
