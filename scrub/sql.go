package scrub

import "strings"

// hideInsertValues hides the values of a secret's columns in INSERT INTO t (name, password) VALUES ('bob', 'x'), up to the first
// VALUES after the quote at i. It returns where the values end; 0 when there are none.
func (m *masker) hideInsertValues(i int) int {
	if m.valuesWord == "" {
		m.valuesWord, m.valuesAt = findFirstValues(m.text)
	}
	end := 0
	for m.valuesAt < i {
		from := m.valuesAt + len(m.valuesWord)
		if secrets := m.findSecretColumns(m.valuesAt); secrets != nil {
			end = m.hideTuples(from, secrets)
		}
		m.valuesAt = indexFrom(m.text, max(from, end), m.valuesWord)
	}
	return end
}

// findFirstValues returns the spelling of VALUES in a text, and its first position; the end of the text when it has none.
func findFirstValues(s string) (word string, at int) {
	for _, word := range [...]string{"VALUES", "values", "Values"} {
		if at := indexFrom(s, 0, word); at < len(s) {
			return word, at
		}
	}
	return "none", len(s)
}

// indexFrom returns the position of the first word at or after i, or the end of the text.
func indexFrom(s string, i int, word string) int {
	if n := strings.Index(s[i:], word); n >= 0 {
		return i + n
	}
	return len(s)
}

// findSecretColumns reports which of the columns, whose list ends before i, are a secret's; nil when none is.
func (m *masker) findSecretColumns(i int) []bool {
	near := m.text[min(max(m.copied, i-maxColumns), i):i]
	columns, after, ok := strings.Cut(near[strings.LastIndexByte(near, '(')+1:], ")")
	if !ok || strings.TrimSpace(after) != "" {
		return nil
	}
	var secrets []bool
	found := false
	for name := range strings.SplitSeq(columns, ",") {
		isSecret := m.rules.judgeName(strings.Trim(name, " \t\n\\\"`[]")) > described
		secrets = append(secrets, isSecret)
		found = found || isSecret
	}
	if !found {
		return nil
	}
	return secrets
}

const maxColumns = 1 << 10 // bytes of a list of columns

// hideTuples hides the secret texts in (x, 'y'), (z, 'w'), which begin at i, and returns where they end.
func (m *masker) hideTuples(i int, secrets []bool) int {
	depth, column := 0, 0
	for ; i < len(m.text); i++ {
		switch c := m.text[i]; c {
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
			end := m.closeQuote(i+1, m.text[i:i+1])
			if depth > 0 && column < len(secrets) && secrets[column] {
				m.hide(i+1, end)
			}
			i = end
		default:
			if depth == 0 && !isBlank(c) && c != '\n' {
				return i
			}
		}
	}
	return len(m.text) // i is behind it after a text without a closing quote
}
