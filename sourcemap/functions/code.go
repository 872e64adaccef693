package functions

// takeCode takes a token that is not part of a type.
func (s *scanner) takeCode(t token) {
	if s.endsStatement(&t) {
		s.endArrows(s.placeOf(t.start))
		if s.top().kind == classBody {
			s.startMember()
		} else {
			s.startStatement()
		}
	}
	f := s.top()
	if f.head.kind == arrowHead && !t.isMark('{') {
		s.openArrowBody()
	}
	if f.head.kind != noHead && s.takeHead(t) {
		return
	}
	if f = s.top(); f.inKey {
		s.takeKey(t)
		return
	}
	switch t.kind {
	case isName:
		s.takeName(t)
	case isMark:
		wasStatement := s.atStatement
		s.atStatement = false
		s.takeMark(t, wasStatement)
	default:
		s.operand, s.atStatement = true, false
		if f.kind == brackets && t.kind == isString && s.last.isMark('[') {
			f.content = nameOf(&t)
		}
	}
}

// endsStatement reports whether a statement, or the value of a field, ends before a token because a line ends.
func (s *scanner) endsStatement(t *token) bool {
	f := s.top()
	if !t.startsLine || !s.operand || f.head.kind != noHead || f.kind != block && (f.kind != classBody || f.inKey) {
		return false
	}
	switch t.kind {
	case isName:
		return !s.isWord(t, "in") && !s.isWord(t, "instanceof") && !s.isWord(t, "as") && !s.isWord(t, "satisfies") && !s.isAfterDot()
	case isMark:
		return t.mark == '@' || t.mark == '{' || t.mark == step
	}
	return true
}

func (s *scanner) isAfterDot() bool { return s.last.isMark('.') || s.last.isMark(optional) }

func (s *scanner) takeName(t token) {
	f, wasStatement := s.top(), s.atStatement
	s.atStatement = false
	if s.isAfterDot() {
		s.operand = true
		return
	}
	if s.takeKeyword(t, wasStatement) {
		return
	}
	s.operand = true
	if f.isDeclared && f.declared == (name{}) {
		f.declared = nameOf(&t)
	}
}

// takeKeyword takes a keyword, and reports whether the token was one.
func (s *scanner) takeKeyword(t token, wasStatement bool) bool {
	f := s.top()
	switch word := s.text[t.start:t.end]; string(word) {
	case "function":
		isStatement := wasStatement || s.operand && !s.isWord(&s.last, "async")
		f.head = head{kind: functionHead, name: f.hint, isHinted: f.hint != name{}, isStatement: isStatement}
	case "class":
		f.head = head{kind: classHead, name: f.hint, isStatement: wasStatement || s.operand}
	case "enum":
		f.head = head{kind: enumHead, isStatement: true}
	case "interface", "type":
		if !wasStatement || !s.isNamedNext() {
			return false
		}
		f.typing = typing{kind: aliasType}
		if word[0] == 'i' {
			f.typing.kind = interfaceType
		}
	case "const", "let", "var", "using":
		f.isDeclared, f.declares, f.declared, f.hint = true, true, name{}, name{}
	case "if", "while", "for", "with", "switch", "catch":
		s.operand, s.isControl = false, true
		return true
	case "else", "do", "try", "finally":
		s.atStatement = true
	case "case":
		f.inCase = true
	case "default":
		if f.inCase = !s.isWord(&s.last, "export"); !f.inCase {
			f.hint, s.atStatement = nameOf(&t), true
		}
	case "export", "declare", "abstract", "async":
		s.atStatement = wasStatement
		s.operand = string(word) == "async"
		return true
	case "return", "throw", "typeof", "void", "delete", "new", "in", "instanceof", "await", "yield", "extends":
	case "of":
		if f.kind != parens {
			return false
		}
	default:
		return false
	}
	s.operand = false
	return true
}

// isNamedNext reports whether a name comes next on the same line.
func (s *scanner) isNamedNext() bool {
	for i := s.at; i < len(s.text); i++ {
		if c := s.text[i]; c != ' ' && c != '\t' {
			return isNamePart(c)
		}
	}
	return false
}

func (s *scanner) takeMark(t token, wasStatement bool) {
	f := s.top()
	switch t.mark {
	case '(':
		s.openParens(t)
	case '[':
		s.pushFrame(frame{kind: brackets, function: -1})
	case '{':
		s.openBrace(wasStatement)
	case ')', ']', '}':
		s.closeBracket(t)
	case '`':
		s.pushFrame(frame{kind: template, function: -1})
		s.goOnInTemplate()
	case ';':
		s.endArrows(s.placeOf(t.start))
		if f.kind == classBody {
			s.startMember()
		} else {
			s.startStatement()
		}
	case ',':
		s.endArrows(s.placeOf(t.start))
		f.hint, f.ternaries, f.declared, f.isDeclared, s.operand = name{}, 0, name{}, f.declares, false
		if f.kind == object {
			f.inKey, f.key = true, name{}
		}
	case '?':
		s.takeQuestion(f)
	case ':':
		s.takeColon(t)
	case '=':
		s.takeAssignment(f)
	case arrow:
		s.takeArrow(t)
	case '<':
		s.takeLess(t)
	case '>':
		s.takeGreater(f)
	case step, '!': // after an operand, or before one
	default:
		s.operand = false
	}
}

// takeQuestion takes a question mark, which in TypeScript may also follow the name of a parameter.
func (s *scanner) takeQuestion(f *frame) {
	s.operand = false
	for i := s.at; i < len(s.text); i++ {
		switch s.text[i] {
		case ' ', '\t', '\n':
			continue
		case ':', ',', ')', '=':
			return
		}
		break
	}
	f.ternaries++
}

func (s *scanner) takeColon(t token) {
	f := s.top()
	s.operand = false
	switch {
	case s.last.isMark(')') && f.closed.isTyped:
		f.typing = typing{kind: arrowType}
	case f.ternaries > 0:
		for len(s.arrows) > 0 && s.arrows[len(s.arrows)-1].ternaries == f.ternaries && s.endArrow(s.placeOf(t.start)) {
		}
		f.ternaries--
	case f.inCase:
		s.startStatement()
	case f.isDeclared:
		f.typing = typing{kind: annotationType}
	case s.last.isMark(')'):
		f.typing = typing{kind: arrowType}
	case f.kind == block: // a label
		s.startStatement()
	case f.kind == parens:
		f.typing, f.isDeclared, f.declared = typing{kind: annotationType}, true, nameOf(&s.last)
		f.group.isTyped = true
	}
}

// takeAssignment notes the name that a function would get by this assignment.
func (s *scanner) takeAssignment(f *frame) {
	last := &s.last
	switch {
	case f.isDeclared:
		f.hint, f.isDeclared = f.declared, false
	case last.kind == isName || last.kind == isPrivate:
		f.hint = nameOf(last)
	case last.isMark(']'):
		f.hint = f.content
	default:
		f.hint = name{}
	}
	s.operand = false
}
