package functions

// openParens opens parentheses outside of heads and keys.
func (s *scanner) openParens(t token) {
	f := s.top()
	switch {
	case s.isControl:
		s.pushFrame(frame{kind: parens, use: ofControl, function: -1})
	case s.operand && !s.isWord(&s.last, "async"):
		if s.closed >= 0 { // the result of the function is assigned, not the function
			s.spans[s.closed].name = name{}
		}
		s.pushFrame(frame{kind: parens, use: ofCall, function: -1})
	default:
		s.pushFrame(frame{kind: parens, use: ofGroup, function: -1, hint: f.hint, group: group{start: s.placeOf(t.start), hint: f.hint}})
	}
}

// openBrace opens the brace of a block or an object.
func (s *scanner) openBrace(wasStatement bool) {
	isBlock := wasStatement && !s.isWord(&s.last, "default") // export default { } is an object
	if isBlock || s.operand || s.isControl {
		s.pushFrame(frame{kind: block, function: -1, isStatement: true})
		s.atStatement = true
		return
	}
	s.pushFrame(frame{kind: object, function: -1, inKey: true})
}

// closeBracket closes the last bracket of its kind, and with it unclosed brackets inside. A closing bracket without an opening
// one is left out.
func (s *scanner) closeBracket(t token) {
	for len(s.frames) > 1 && !closes(s.top(), t.mark) {
		if isBrace(s.top()) && t.mark != '}' {
			return
		}
		s.popFrame(s.placeOf(t.start), s.placeOf(t.start))
	}
	if len(s.frames) == 1 {
		s.operand = true
		return
	}
	if t.mark != ')' {
		s.closed = -1
	}
	f := s.popFrame(s.placeOf(t.start), s.placeOf(t.end))
	s.leaveFrame(&f)
}

// closes reports whether a mark closes a frame.
func closes(f *frame, mark byte) bool {
	switch f.kind {
	case parens:
		return mark == ')'
	case brackets:
		return mark == ']'
	case block, classBody, object, expression:
		return mark == '}'
	case typeBrackets:
		return mark == f.closer
	}
	return false
}

func isBrace(f *frame) bool { return closes(f, '}') }

// leaveFrame sets the state after a closed bracket.
func (s *scanner) leaveFrame(f *frame) {
	around := s.top()
	s.operand, s.atStatement, s.isControl = true, false, false
	switch f.kind {
	case parens:
		switch f.use {
		case ofGroup:
			around.closed = f.group
			around.closed.isTyped = f.group.isTyped || s.last.isMark('(')
		case ofControl:
			s.operand, s.atStatement = false, true
		case ofParameters:
			around.head.hasParameters = true
		}
	case brackets:
		around.content = name{}
		if s.last.kind == isString && nameOf(&s.last) == f.content {
			around.content = f.content
		}
		if f.isKey {
			around.key = around.content
		}
	case block, classBody, object:
		if f.isStatement && around.kind == block {
			s.startStatement()
		}
	case expression:
		if around.kind == template {
			s.goOnInTemplate()
		}
	}
}

// goOnInTemplate reads the text of a template up to its next expression, or to its end.
func (s *scanner) goOnInTemplate() {
	if s.skipTemplate() {
		s.pushFrame(frame{kind: expression, function: -1})
		return
	}
	s.frames = s.frames[:len(s.frames)-1]
	s.operand = true
	if f := s.top(); f.typing.kind != noType {
		f.typing.operand = true
	}
}
