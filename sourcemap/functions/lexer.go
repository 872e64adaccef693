package functions

import "bytes"

// kind is the kind of a token.
type kind uint8

const (
	atEnd  kind = iota
	isName      // also keywords
	isPrivate
	isLiteral // a number, a regular expression, a template without expressions
	isString
	isMark // punctuation
)

// The known marks of more than one character. All other operators are operator.
const (
	operator = 'o'
	arrow    = 'a' // =>
	spread   = 's' // ...
	optional = 'p' // ?.
	step     = 'i' // ++ and --
)

// token is a piece of the text.
type token struct {
	kind       kind
	mark       byte // of isMark: the character, or one of the above; every kind of assignment is '='
	startsLine bool // a line end precedes it
	start, end int
}

func (t *token) isMark(mark byte) bool { return t.kind == isMark && t.mark == mark }

// lexer cuts the text into tokens.
type lexer struct {
	text []byte
	at   int
	// noRegexBefore is the end of a line with a slash that did not begin a regular expression. The other slashes of this line are
	// not tried, so that no line is read repeatedly.
	noRegexBefore int
}

// next returns the next token. A slash is a division after an operand, and begins a regular expression elsewhere.
func (l *lexer) next(afterOperand bool) (t token) {
	t.startsLine = l.skipSpace()
	t.start = l.at
	if l.at >= len(l.text) {
		t.end = l.at
		return t
	}
	switch c := l.text[l.at]; {
	case isNamePart(c) && (c < '0' || c > '9'):
		t.kind = isName
		l.skipName()
	case c == '#':
		t.kind = isPrivate
		l.at++
		l.skipName()
	case '0' <= c && c <= '9' || c == '.' && isDigit(l.peek(1)):
		t.kind = isLiteral
		for l.at < len(l.text) && (isNamePart(l.text[l.at]) || l.text[l.at] == '.') {
			l.at++
		}
	case c == '"' || c == '\'':
		t.kind = isString
		l.skipString(c)
	case c == '/' && !afterOperand && l.skipRegex():
		t.kind = isLiteral
	default:
		t.kind, t.mark = isMark, l.readMark(c)
	}
	t.end = l.at
	return t
}

// peek returns a byte further on, 0 after the end.
func (l *lexer) peek(distance int) byte {
	if l.at+distance < len(l.text) {
		return l.text[l.at+distance]
	}
	return 0
}

// skipSpace skips white space and comments, and reports whether a line ended.
func (l *lexer) skipSpace() (hasLine bool) {
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == '\n':
			hasLine = true
			l.at++
		case c <= ' ':
			l.at++
		case c == '/' && l.peek(1) == '/', c == '#' && l.at == 0 && l.peek(1) == '!':
			l.skipLine()
		case c == '/' && l.peek(1) == '*':
			hasLine = l.skipComment() || hasLine
		default:
			return hasLine
		}
	}
	return hasLine
}

func (l *lexer) skipLine() {
	if end := bytes.IndexByte(l.text[l.at:], '\n'); end >= 0 {
		l.at += end
	} else {
		l.at = len(l.text)
	}
}

// skipComment skips a multi-line comment, and reports whether it contains a line end.
func (l *lexer) skipComment() (hasLine bool) {
	rest := l.text[l.at+2:]
	end := bytes.Index(rest, []byte("*/"))
	if end < 0 {
		l.at = len(l.text)
		return true
	}
	l.at += 2 + end + 2
	return bytes.IndexByte(rest[:end], '\n') >= 0
}

func (l *lexer) skipName() {
	for l.at < len(l.text) && isNamePart(l.text[l.at]) {
		l.at++
	}
}

// isNamePart reports whether a byte may be in a name. All characters beyond ASCII count, and the backslash of \u0061.
func isNamePart(c byte) bool { return nameParts[c] }

var nameParts = func() (parts [256]bool) {
	for c := range parts {
		parts[c] = c >= 0x80 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c == '\\'
	}
	return parts
}()

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// skipString skips a string. An unclosed string ends with its line.
func (l *lexer) skipString(quote byte) {
	for l.at++; l.at < len(l.text); l.at++ {
		switch l.text[l.at] {
		case quote:
			l.at++
			return
		case '\n':
			return
		case '\\':
			l.at++
		}
	}
	l.at = min(l.at, len(l.text))
}

// skipRegex skips a regular expression with its flags, and reports whether there was one.
func (l *lexer) skipRegex() bool {
	if l.at < l.noRegexBefore {
		return false
	}
	inClass := false
	for i := l.at + 1; i < len(l.text) && l.text[i] != '\n'; i++ {
		switch l.text[i] {
		case '\\':
			if i++; i < len(l.text) && l.text[i] == '\n' {
				i--
			}
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '/':
			if !inClass {
				l.at = i + 1
				l.skipName()
				return true
			}
		}
		if i+1 >= len(l.text) || l.text[i+1] == '\n' {
			l.noRegexBefore = i + 1
		}
	}
	l.noRegexBefore = max(l.noRegexBefore, l.at+1)
	return false
}

// readMark reads punctuation.
func (l *lexer) readMark(c byte) byte {
	second, third := l.peek(1), l.peek(2)
	take := func(length int, mark byte) byte {
		l.at += length
		return mark
	}
	switch c {
	case '=':
		switch {
		case second == '>':
			return take(2, arrow)
		case second == '=' && third == '=':
			return take(3, operator)
		case second == '=':
			return take(2, operator)
		}
	case '.':
		if second == '.' && third == '.' {
			return take(3, spread)
		}
	case '?':
		switch {
		case second == '.' && !isDigit(third):
			return take(2, optional)
		case second == '?' && third == '=':
			return take(3, '=')
		case second == '?':
			return take(2, operator)
		}
	case '+', '-', '|', '&':
		switch {
		case second == c && (c == '+' || c == '-'):
			return take(2, step)
		case second == c && third == '=':
			return take(3, '=')
		case second == c:
			return take(2, operator)
		}
		return take(1, c)
	case '!':
		switch {
		case second == '=' && third == '=':
			return take(3, operator)
		case second == '=':
			return take(2, operator)
		}
	case '<':
		if second == '=' || second == '<' {
			return take(2, operator)
		}
	}
	return take(1, c)
}

// skipTemplate skips the text of a template, up to its end or the ${ of an expression, and reports whether it found an
// expression.
func (l *lexer) skipTemplate() (hasExpression bool) {
	for ; l.at < len(l.text); l.at++ {
		switch l.text[l.at] {
		case '`':
			l.at++
			return false
		case '$':
			if l.peek(1) == '{' {
				l.at += 2
				return true
			}
		case '\\':
			l.at++
		}
	}
	l.at = min(l.at, len(l.text))
	return false
}
