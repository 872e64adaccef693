package functions

import "bytes"

// typeKind is the position of a type, which decides where it ends.
type typeKind uint8

const (
	noType         typeKind = iota
	annotationType          // of a variable, a parameter or a field
	returnType              // of a function, before its body
	arrowType               // of an arrow function, before its arrow
	aliasType               // after type
	interfaceType           // after interface: it ends with its braces
)

// typing is a type that is being read.
type typing struct {
	kind       typeKind
	operand    bool // it may end here
	isFunction bool // the parentheses before it are the parameters of a function type
	isEnded    bool // it was an arrowType, and its arrow has come
}

// takeType takes a token of a type; it returns false when the type ended before the token.
func (s *scanner) takeType(t token) bool {
	f := s.top()
	if f.typing.kind != interfaceType && f.typing.operand && t.startsLine && s.startsNext(f, &t) {
		f.typing, f.head = typing{}, head{}
		s.operand = true // of a statement that ends with its line
		return false
	}
	if t.kind != isMark {
		f.typing.operand = t.kind != isName || !isTypeOperator(s.text[t.start:t.end])
		return true
	}
	if s.endsType(f, t.mark) {
		f.typing = typing{isEnded: f.typing.kind == arrowType && t.mark == arrow}
		s.operand = t.mark == '}' || t.mark == ')' || t.mark == ']'
		return false
	}
	switch t.mark {
	case '(', '[', '{':
		s.openType(t, t.mark == '(' && !f.typing.operand)
	case '<':
		s.pushFrame(frame{kind: typeArguments, function: -1})
	case '`':
		s.pushFrame(frame{kind: template, function: -1})
		s.goOnInTemplate()
	default:
		f.typing.operand, f.typing.isFunction = false, false
	}
	return true
}

// startsNext reports whether a token at the start of a line begins the next statement or member.
func (s *scanner) startsNext(f *frame, t *token) bool {
	switch t.kind {
	case isName:
		return !s.isWord(t, "extends") && !s.isWord(t, "is")
	case isMark:
		return t.mark == '@' || f.kind == classBody && (t.mark == '[' || t.mark == '*')
	}
	return f.kind == classBody
}

// endsType reports whether a mark outside brackets ends a type.
func (s *scanner) endsType(f *frame, mark byte) bool {
	kind := f.typing.kind
	switch mark {
	case ')', ']', '}', ';':
		return true
	case ',':
		return kind != interfaceType
	case '=':
		return kind == annotationType || kind == arrowType || kind == returnType
	case '{':
		return (kind == returnType || kind == arrowType) && f.typing.operand
	case arrow:
		return kind == arrowType && !f.typing.isFunction
	}
	return false
}

// openType opens a bracket in a type.
func (s *scanner) openType(t token, mayBeFunction bool) {
	closer := byte(')')
	switch t.mark {
	case '[':
		closer = ']'
	case '{':
		closer = '}'
	}
	isEmpty := s.at < len(s.text) && s.text[s.at] == ')'
	s.pushFrame(frame{kind: typeBrackets, function: -1, closer: closer, use: ofGroup, isKey: mayBeFunction && isEmpty, inKey: mayBeFunction})
}

// takeNestedType takes a token within the brackets of a type.
func (s *scanner) takeNestedType(t token) {
	f := s.top()
	if t.kind != isMark {
		return
	}
	switch t.mark {
	case '(', '[', '{':
		s.openType(t, false)
	case ')', ']', '}':
		s.closeType(t)
	case ':', spread:
		f.isKey = f.isKey || f.inKey // parameters of a function type have types
	case '<':
		if f.kind == typeArguments {
			s.pushFrame(frame{kind: typeArguments, function: -1})
		}
	case '>':
		if f.kind == typeArguments {
			s.leaveType(s.popFrame(s.position, s.position))
		}
	case ';':
		for s.top().kind == typeArguments { // they were not type arguments
			s.popFrame(s.position, s.position)
		}
		if f = s.top(); f.kind != typeBrackets {
			s.operand = true
			s.takeToken(t)
		}
	case '`':
		s.pushFrame(frame{kind: template, function: -1})
		s.goOnInTemplate()
	}
}

// closeType closes a bracket in a type. A bracket that was not opened in the type ends it.
func (s *scanner) closeType(t token) {
	for s.top().kind == typeArguments {
		s.popFrame(s.position, s.position)
	}
	f := s.top()
	switch {
	case f.kind == typeBrackets && f.closer == t.mark:
		s.leaveType(s.popFrame(s.position, s.position))
	case f.kind != typeBrackets:
		s.takeToken(t)
	case t.mark == '}': // a brace ends everything unclosed in it
		for s.top().kind == typeBrackets || s.top().kind == typeArguments {
			closed := s.popFrame(s.position, s.position)
			if closed.closer == '}' {
				s.leaveType(closed)
				return
			}
		}
		s.takeToken(t)
	}
}

// leaveType sets the state after a bracket of a type.
func (s *scanner) leaveType(closed frame) {
	f := s.top()
	if f.kind == typeBrackets || f.kind == typeArguments {
		return
	}
	if f.typing.kind == noType { // type arguments in code, in a head or before parameters
		s.operand, s.atStatement = false, false
		return
	}
	f.typing.operand, f.typing.isFunction = true, closed.isKey
	if f.typing.kind == interfaceType && closed.closer == '}' {
		s.startStatement()
	}
}

var typeOperators = [][]byte{
	[]byte("keyof"), []byte("typeof"), []byte("readonly"), []byte("infer"), []byte("unique"), []byte("is"), []byte("extends"),
	[]byte("asserts"), []byte("new"), []byte("abstract"), []byte("in"),
}

// isTypeOperator reports whether a word in a type is followed by an operand.
func isTypeOperator(word []byte) bool {
	for _, operator := range typeOperators {
		if bytes.Equal(word, operator) {
			return true
		}
	}
	return false
}

// takeLess takes a < in code: an operator, the start of type arguments, or an element of JSX.
func (s *scanner) takeLess(t token) {
	f := s.top()
	switch {
	case s.operand && !s.isWord(&s.last, "async"):
		if s.last.kind == isName && s.last.end == t.start {
			f.angles++
		}
		s.operand = false
	case s.hasJSX && !s.operand && !s.isGenericNext():
		if c := s.peek(0); isNamePart(c) || c == '>' {
			s.pushFrame(frame{kind: tag, function: -1})
		}
	default:
		s.pushFrame(frame{kind: typeArguments, function: -1})
	}
}

// takeGreater takes a > in code. At the end of type arguments, an arrow in them belonged to a type.
func (s *scanner) takeGreater(f *frame) {
	s.operand = false
	for c := s.peek(0); c == '>' || c == '='; c = s.peek(0) { // >=, >>=
		s.at++
	}
	if f.angles == 0 {
		return
	}
	f.angles--
	s.operand = s.peek(0) == '(' // foo<T>(x) is a call
	for len(s.arrows) > 0 && s.arrows[len(s.arrows)-1].angles > f.angles {
		open := s.arrows[len(s.arrows)-1]
		if !s.endArrow(place{}) {
			return
		}
		if open.span >= 0 {
			s.spans[open.span] = span{start: s.spans[open.span].start, end: s.spans[open.span].start}
		}
	}
}

// isGenericNext reports whether the type parameters of an arrow function come next. TypeScript distinguishes them from JSX: <T,>
// or <T extends.
func (s *scanner) isGenericNext() bool {
	ahead := lexer{text: s.text[:min(len(s.text), s.at+maxName)], at: s.at}
	first := ahead.next(true)
	if first.kind == isName && string(s.text[first.start:first.end]) == "const" {
		first = ahead.next(true)
	}
	second := ahead.next(true)
	if first.kind != isName || second.isMark(',') {
		return first.kind == isName
	}
	after := ahead.peek(0)
	return second.kind == isName && string(s.text[second.start:second.end]) == "extends" && after != '=' && after != '>' && after != '/'
}
