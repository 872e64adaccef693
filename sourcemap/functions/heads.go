package functions

// headKind is the kind of construct whose body comes next.
type headKind uint8

const (
	noHead headKind = iota
	functionHead
	arrowHead
	classHead
	enumHead
)

// head is the part of a function, a class or an enum before the body.
type head struct {
	kind          headKind
	name          name
	class         name
	start         place
	isHinted      bool // the name comes from an assignment
	isStatement   bool
	hasParameters bool
	inHeritage    bool // of a class, after extends or implements
}

// takeHead takes a token of a head, and reports whether the token was one. It drops a head without a body, such as an overload.
func (s *scanner) takeHead(t token) bool {
	f := s.top()
	switch f.head.kind {
	case arrowHead: // with a body in braces
		h := f.head
		f.head, f.hint = head{}, h.name // an alternative may come after it
		s.openBody(h)
		return true
	case functionHead:
		return s.takeFunctionHead(t)
	case classHead:
		return s.takeClassHead(t)
	}
	switch {
	case t.kind == isName:
		return true
	case t.isMark('{'):
		isStatement := f.head.isStatement
		f.head = head{}
		s.pushFrame(frame{kind: object, function: -1, inKey: true, isStatement: isStatement})
		return true
	}
	f.head = head{}
	return false
}

func (s *scanner) takeFunctionHead(t token) bool {
	f := s.top()
	switch h := &f.head; {
	case h.hasParameters && t.isMark('{'):
		opened := *h
		f.head = head{}
		s.openBody(opened)
	case h.hasParameters && t.isMark(':'):
		f.typing = typing{kind: returnType}
	case h.hasParameters:
		f.head = head{}
		return false
	case t.kind == isName:
		h.name, h.isHinted = nameOf(&t), false
	case t.isMark('*'):
	case t.isMark('<'):
		s.pushFrame(frame{kind: typeArguments, function: -1})
	case t.isMark('('):
		h.start = s.placeOf(t.start)
		s.pushFrame(frame{kind: parens, use: ofParameters, function: -1})
	default:
		f.head = head{}
		return false
	}
	return true
}

func (s *scanner) openBody(h head) {
	f := frame{kind: block, function: s.openSpan(h.start, h.name, h.class), isHinted: h.isHinted, isStatement: h.isStatement}
	s.pushFrame(f)
	s.atStatement = true
}

func (s *scanner) takeClassHead(t token) bool {
	f := s.top()
	h := &f.head
	switch {
	case s.isWord(&t, "extends") || s.isWord(&t, "implements"):
		h.inHeritage = true
	case t.kind == isName && !h.inHeritage:
		h.name = nameOf(&t)
	case t.isMark('{'):
		class := frame{kind: classBody, inKey: true, class: h.name, isStatement: h.isStatement}
		class.function = s.openSpan(s.placeOf(t.start), h.name, h.name)
		f.head = head{}
		s.pushFrame(class)
	case t.isMark('<'):
		s.pushFrame(frame{kind: typeArguments, function: -1})
	case t.isMark('('):
		s.pushFrame(frame{kind: parens, function: -1})
	case t.isMark('['):
		s.pushFrame(frame{kind: brackets, function: -1})
	case t.isMark(';') || t.isMark(')') || t.isMark(']') || t.isMark('}') || t.isMark('=') || t.isMark(':'):
		f.head = head{}
		return false
	}
	return true
}

// takeArrow takes the arrow of an arrow function, which begins at its parameters.
func (s *scanner) takeArrow(t token) {
	f := s.top()
	h := head{kind: arrowHead, name: f.hint}
	switch {
	case f.typing.isEnded || s.last.isMark(')'):
		h.start, h.name = f.closed.start, f.closed.hint
	case s.last.kind == isName:
		h.start = s.placeOf(s.last.start)
	default:
		h.start = s.placeOf(t.start)
	}
	h.isHinted = h.name != name{}
	f.typing, f.hint, f.head = typing{}, name{}, h
	s.operand = false
}

// openArrowBody begins an arrow function's body that is an expression.
func (s *scanner) openArrowBody() {
	f := s.top()
	h := f.head
	f.head = head{}
	s.arrows = append(s.arrows, openArrow{
		span: s.openSpan(h.start, h.name, h.class), isHinted: h.isHinted, depth: len(s.frames), ternaries: f.ternaries, angles: f.angles,
		hint: h.name,
	})
}

// decorator is how much of a decorator has been read.
type decorator uint8

const (
	noDecorator decorator = iota
	beforeName            // after @ or a dot
	afterName
)

// startMember begins a member of a class, and ends the previous one.
func (s *scanner) startMember() {
	s.startStatement()
	f := s.top()
	f.inKey, f.key, f.inDecorator = true, name{}, noDecorator
	s.atStatement = false
}

// takeKey takes a token of a member of a class or an object, up to its value.
func (s *scanner) takeKey(t token) {
	f := s.top()
	s.operand = false
	if t.kind != isMark {
		if f.inDecorator == beforeName {
			f.inDecorator = afterName
			return
		}
		f.key, f.inDecorator = nameOf(&t), noDecorator
		return
	}
	switch t.mark {
	case '(':
		s.openMember(t)
	case '[':
		s.pushFrame(frame{kind: brackets, function: -1, isKey: true})
	case '{':
		s.pushFrame(frame{kind: block, function: -1}) // of static { }
		s.atStatement = true
	case '}', ')', ']':
		s.closeBracket(t)
	case '`':
		s.pushFrame(frame{kind: template, function: -1})
		s.goOnInTemplate()
	case '<':
		s.pushFrame(frame{kind: typeArguments, function: -1})
	case '@':
		f.inDecorator = beforeName
	case '.':
		if f.inDecorator == afterName {
			f.inDecorator = beforeName
		}
	case '=', spread:
		f.inKey, f.hint = false, f.key
	case ':':
		if f.kind == classBody {
			f.typing = typing{kind: annotationType}
		} else {
			f.inKey, f.hint = false, f.key
		}
	case ';', ',':
		f.key, f.inDecorator = name{}, noDecorator
	}
}

// openMember opens the parameters of a method, or the arguments of a decorator.
func (s *scanner) openMember(t token) {
	f := s.top()
	if f.inDecorator != noDecorator {
		f.inDecorator = noDecorator
		s.pushFrame(frame{kind: parens, function: -1})
		return
	}
	f.head = head{kind: functionHead, name: f.key, class: f.class, start: s.placeOf(t.start)}
	if f.kind == classBody && string(s.text[f.key.from:f.key.to]) == "constructor" {
		f.head.name = f.class
	}
	f.key = name{}
	s.pushFrame(frame{kind: parens, use: ofParameters, function: -1})
}
