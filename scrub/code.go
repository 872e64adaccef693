package scrub

import "strings"

var literalSet = newByteSet(alnumBytes + "_-!@#%^&+/~")

const minLiteral = 4

// hideCodeValue handles a value without quotes in source code, where most values are expressions that a reader needs. It hides a
// word with a digit (password=hunter2) and the texts in the expression that look like the secret.
func (m *masker) hideCodeValue(p pair, v int) int {
	text := strings.TrimRight(m.text[v:m.findBareEnd(v, min(v+maxProbe, len(m.text)), p.isEncoded)], ",;)")
	if len(text) >= minLiteral && hasDigit(text) && skipRun(text, 0, literalSet) == len(text) {
		return m.hide(v, v+len(text))
	}
	if p.verdict != described && !p.compares {
		m.hideOperands(v)
	}
	return v
}

// hideOperands hides texts in an expression that begins at v when they may be the assigned value: a second argument, as in
// getenv("PW", "x"), the text after an operator, as in env.PW || "x", and a random text anywhere.
func (m *masker) hideOperands(v int) {
	depth := 0
	for i := max(v, m.expressionEnd); i < len(m.text) && i < v+maxProbe; i++ {
		m.expressionEnd = i + 1
		switch c := m.text[i]; c {
		case ';', '\n':
			return
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return
			}
		case ',':
			if depth == 0 {
				return
			}
		case '"', '\'', '`':
			end := m.closeQuote(i+1, m.text[i:i+1])
			if m.isOperand(v, i, depth, m.text[i+1:end]) {
				m.hide(i+1, end)
			}
			i = end
		}
	}
}

// isOperand reports whether the text in the quote at i, in an expression that begins at v, may be the secret.
func (m *masker) isOperand(v, i, depth int, text string) bool {
	if isVoid(text) || m.rules.judgeName(text) != public {
		return false
	}
	for i > v && (isBlank(m.text[i-1]) || strings.IndexByte("bBuUrR", m.text[i-1]) >= 0 && !m.startsWord(i)) {
		i--
	}
	if i == v {
		return false
	}
	switch c := m.text[i-1]; {
	case c == '=': // a named argument
		return false
	case c == ',':
		return depth > 0 && !isPlain(text)
	case depth == 0 && (c == '|' || c == '?' || c == ':' || c == '+' || c == 'r'): // || ?? : + or
		return true
	}
	return isRandom(text)
}

// isPlain reports whether a text is a name rather than a secret.
func isPlain(text string) bool {
	const most = 20
	return len(text) <= most && !hasDigit(text) && skipRun(text, 0, nameSet) == len(text)
}

// isRandom reports whether a text can only be a secret: one long word with digits among its letters.
func isRandom(text string) bool {
	const least = 12
	if len(text) < least || skipRun(text, 0, bearerSet) < len(text) || strings.Contains(text, "//") || text[0] == '/' {
		return false
	}
	return hasDigit(text) && hasRandomRun(text) && skipRun(text, 0, variableSet) < len(text)
}

// opensValue reports whether a line of source code ends after a secret's name, so that its value is in the next line.
func (r *Rules) opensValue(line string) bool {
	if line == "" || !endsOpen[line[len(line)-1]] {
		return false
	}
	line = strings.TrimRight(line, " \t\\")
	if line == "" || strings.IndexByte("=([", line[len(line)-1]) < 0 {
		return false
	}
	line = strings.TrimRight(line, " \t=(:[>")
	end := len(line)
	for end > 0 && len(line)-end < maxName && nameSet[line[end-1]] {
		end--
	}
	name := strings.Trim(line[end:], `"'`)
	return name != "" && r.judgeName(name) > described
}

var endsOpen = newByteSet("=([ \t\\")

// hideFirstText hides the text in quotes at the start of a line.
func (r *Rules) hideFirstText(line string) string {
	m := masker{rules: r, text: line}
	body, mark := m.openQuote(skipBlanks(line, 0))
	if mark == "" || isVoid(line[body:m.closeQuote(body, mark)]) {
		return line
	}
	m.hide(body, m.closeQuote(body, mark))
	return string(append(m.output, line[m.copied:]...))
}
