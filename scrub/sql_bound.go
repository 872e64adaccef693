package scrub

import "strings"

// This file is about statements that an exception prints behind "SQL:", with their values bound.

// span is a part of the text.
type span struct{ from, to int }

// hideBoundRows hides the values of secrets' columns in the statement at i when they are put into it without quotes, as Laravel
// does: insert into "users" ("name", "password") values (Bob, x). It returns where they end; 0 when there are none.
func (m *masker) hideBoundRows(i int) int {
	m.statementAt = i
	if !hasFoldedAt(m.text, i, "insert ") && !hasFoldedAt(m.text, i, "replace ") {
		return 0
	}
	if m.valuesWord == "" {
		m.valuesWord, m.valuesAt = findFirstValues(m.text)
	}
	at := indexFrom(m.text, max(i, m.rowsAt), m.valuesWord)
	m.rowsAt = min(at+len(m.valuesWord), len(m.text))
	if at == len(m.text) {
		return 0
	}
	if secrets := m.findSecretColumns(at); secrets != nil {
		return m.hideRows(skipBlanks(m.text, m.rowsAt), secrets, isBare)
	}
	return 0
}

// hideParameters hides the parameters of the statement before the separator text[i:end] that are bound to secrets, as SQLAlchemy
// prints them: [SQL: UPDATE users SET password=?] [parameters: ('x',)].
func (m *masker) hideParameters(i, end int) int {
	if m.statementAt == 0 {
		return end
	}
	secrets := m.rules.findBindings(m.text[m.statementAt:i])
	m.statementAt = 0
	from := skipBlanks(m.text, end)
	if hasPrefixAt(m.text, from, "[") { // of many rows
		from++
	}
	if secrets == nil || from < m.rowsAt {
		return end
	}
	return max(m.hideRows(from, secrets, isAny), end)
}

func isAny(string) bool { return true }

// isBare reports whether an element of a row has no quotes around it: the rules of sql.go look at the others.
func isBare(element string) bool { return strings.IndexByte("'\"", element[0]) < 0 }

// hideRows hides the elements of secrets in the rows (a, b), (c, d) that begin at i, and returns where the last of them ends; 0 when
// there is none. A row of another length is hidden whole. The rest of the rows stays for other rules.
func (m *masker) hideRows(i int, secrets []bool, isChosen func(string) bool) (hidden int) {
	for hasPrefixAt(m.text, i, "(") {
		elements, end := m.readRow(i)
		m.rowsAt = end
		for n, e := range elements {
			if (len(elements) != len(secrets) || secrets[n]) && isChosen(m.text[e.from:e.to]) {
				hidden = max(hidden, m.hideElement(e))
			}
		}
		i = skipRunWithin(m.text, end, maxRowGap, rowGapSet)
	}
	return hidden
}

const maxRowGap = 96 // bytes, as of SQLAlchemy's "displaying 10 of 25 total bound parameter sets"

var rowGapSet = newByteSet(alnumBytes + " ,.\n")

// hideElement hides an element unless it is a parameter or a call, such as now(), and returns where it ends.
func (m *masker) hideElement(e span) int {
	if body, mark := m.openQuote(e.from); mark != "" {
		e = span{body, m.closeQuote(body, mark)}
		if isVoid(m.text[e.from:e.to]) {
			return 0
		}
		return m.hide(e.from, e.to)
	}
	text, _, _ := strings.Cut(m.text[e.from:e.to], "::")
	isCall := skipRun(text, 0, nameSet) == len(text)-len("()") && strings.HasSuffix(text, "()")
	if isVoid(text) || isCall || strings.EqualFold(text, "default") || text[0] == ':' && skipRun(text, 1, digitSet) == len(text) {
		return 0
	}
	return m.hide(e.from, e.to)
}

// readRow returns the elements of the row whose bracket is at i, and where it ends. Quotes count only at the start of an element: a
// value without quotes may have one in it.
func (m *masker) readRow(i int) (elements []span, end int) {
	depth, from := 0, i+1
	for ; i < len(m.text); i++ {
		switch c := m.text[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth > 1 {
				depth--
			} else if c == ')' && (i+1 == len(m.text) || !isAlnum(m.text[i+1])) {
				return m.appendElement(elements, from, i), i + 1
			}
		case ',':
			if depth == 1 && i+1 < len(m.text) && m.text[i+1] == ' ' {
				elements, from = m.appendElement(elements, from, i), i+1
			}
		case '\'', '"':
			if strings.IndexByte(" (,[bBNE:=", m.text[i-1]) >= 0 {
				i = m.closeQuote(i+1, m.text[i:i+1])
			}
		}
	}
	return m.appendElement(elements, from, len(m.text)), len(m.text)
}

func (m *masker) appendElement(elements []span, from, to int) []span {
	from = min(skipBlanks(m.text, from), to)
	if from == to { // behind the comma of ('x',)
		return elements
	}
	return append(elements, span{from, to})
}

// findBindings reports for each parameter of a statement whether it is bound to a secret; nil when none is.
func (r *Rules) findBindings(statement string) []bool {
	m := masker{rules: r, text: statement}
	word, at := findFirstValues(statement)
	var columns []bool
	if at < len(statement) {
		columns = m.findSecretColumns(at)
	}
	var bound []bool
	found, column, depth := false, 0, 0
	for i := 0; i < len(statement); i++ {
		isSecret, isInRows := false, columns != nil && i >= at+len(word)
		switch c := statement[i]; {
		case c == '(' && isInRows:
			if depth++; depth == 1 {
				column = 0
			}
		case c == ')' && depth > 0:
			depth--
		case c == ',' && depth == 1:
			column++
		case isParameter(statement[i:]):
			isSecret = depth > 0 && column < len(columns) && columns[column] || r.judgeName(findCompared(statement[:i])) > described
			bound = append(bound, isSecret)
		}
		found = found || isSecret
	}
	if !found {
		return nil
	}
	return bound
}

// isParameter reports whether a text begins with the parameter of a statement: ?, %s, $1, :1.
func isParameter(text string) bool {
	switch text[0] {
	case '?':
		return true
	case '%':
		return hasPrefixAt(text, 1, "s")
	case '$', ':':
		return len(text) > 1 && isDigit(text[1])
	}
	return false
}

// findCompared returns the name before the = at the end of a text.
func findCompared(text string) string {
	text = text[max(0, len(text)-maxName):]
	before, isCompared := strings.CutSuffix(strings.TrimRight(text, " "), "=")
	if !isCompared {
		return ""
	}
	before = strings.TrimRight(before, " !<>\"`]")
	return before[skipRunBack(before, len(before), 0, nameSet):]
}
