package functions

// frameKind is the kind of content in an open bracket.
type frameKind uint8

const (
	block         frameKind = iota // statements; the text itself is one
	classBody                      // members
	object                         // a literal, a pattern or an enum
	parens                         // expressions, or parameters
	brackets                       // expressions
	template                       // text between expressions
	expression                     // of a template or of JSX
	typeBrackets                   // any bracket in a type
	typeArguments                  // <...>
	tag                            // of JSX
	children                       // of JSX, between two tags
)

// parensUse is the purpose of parentheses.
type parensUse uint8

const (
	ofCall       parensUse = iota
	ofGroup                // around an expression, or the parameters of an arrow function
	ofControl              // of if, while and similar
	ofParameters           // of a function, which is the head of the frame around
)

// frame is an open bracket and the state of the text directly within it.
type frame struct {
	kind        frameKind
	use         parensUse // of parens
	closer      byte      // of typeBrackets
	isStatement bool      // a statement begins after it
	isKey       bool      // brackets around the name of a member; typeBrackets of a function type
	function    int       // the span whose body it is; -1 for none
	isHinted    bool      // that function gets its name from an assignment
	group       group     // of ofGroup: itself
	content     name      // of brackets that hold only a string: the string

	hint       name  // the name that a function would get here by an assignment
	closed     group // the last one within
	head       head
	typing     typing
	ternaries  int
	angles     int // < that may begin type arguments
	inCase     bool
	isDeclared bool // between const, let or var and the = of a name
	declares   bool // in a statement of const, let or var
	declared   name

	inKey       bool // of object and classBody: before the value of a member
	key         name
	inDecorator decorator
	class       name // of classBody
}

// group is a pair of parentheses that were just closed: they may be the parameters of an arrow
// function.
type group struct {
	start   place
	hint    name
	isTyped bool // parameters with types, or no parameters: not an expression
}

// openArrow is an arrow function whose body is an expression: it ends where the expression does.
type openArrow struct {
	span      int // -1 if it is not kept
	isHinted  bool
	depth     int // number of frames
	ternaries int
	angles    int
	hint      name // that it used
}

// scanner is the state at a place of the text.
type scanner struct {
	lexer
	hasJSX    bool
	inScripts bool // only the contents of script tags are code
	spans     []span
	frames    []frame
	arrows    []openArrow

	last        token // the previous token
	operand     bool  // an expression may end here: a slash divides
	atStatement bool  // a statement may begin here
	isControl   bool  // the next parentheses belong to if, while and similar
	closed      int   // the span of a function expression that just ended, with a name from an assignment; otherwise -1

	placed   int // the offset that place has reached
	position place
}

// placeOf returns the place of an offset, which must not be less than in the last call.
func (s *scanner) placeOf(offset int) place {
	for ; s.placed < offset; s.placed++ {
		switch c := s.text[s.placed]; {
		case c == '\n':
			s.position = place{line: s.position.line + 1}
		case c < 0x80 || 0xC0 <= c && c < 0xF0:
			s.position.column++
		case c >= 0xF0: // two code units of UTF-16
			s.position.column += 2
		}
	}
	return s.position
}

func (s *scanner) top() *frame { return &s.frames[len(s.frames)-1] }

// scanText reads the text up to its end.
func (s *scanner) scanText() {
	for _, part := range s.findParts() {
		whole := s.text
		s.text, s.at = whole[:part.to], part.from
		s.frames = append(s.frames[:0], frame{kind: block, function: -1})
		s.startStatement()
		s.scanPart()
		for len(s.frames) > 1 {
			s.popFrame(s.placeOf(s.at), s.placeOf(s.at))
		}
		s.endArrows(s.placeOf(s.at))
		s.text = whole
	}
}

func (s *scanner) scanPart() {
	for s.at < len(s.text) && len(s.frames) < maxDepth {
		switch s.top().kind {
		case tag:
			s.scanTag()
		case children:
			s.scanChildren()
		default:
			kind := s.top().kind
			t := s.next(s.operand || kind == typeBrackets || kind == typeArguments)
			if t.kind == atEnd {
				return
			}
			s.takeToken(t)
			s.last = t
		}
	}
}

func (s *scanner) takeToken(t token) {
	f := s.top()
	switch {
	case f.kind == typeBrackets || f.kind == typeArguments:
		s.takeNestedType(t)
		return
	case f.typing.kind != noType:
		if s.takeType(t) {
			return
		}
	}
	s.takeCode(t)
	if !t.isMark('}') && !t.isMark(')') { // only a call that follows the function directly
		s.closed = -1
	}
}

// pushFrame opens a bracket.
func (s *scanner) pushFrame(f frame) {
	s.frames = append(s.frames, f)
	s.operand, s.atStatement, s.isControl = false, false, false
}

// popFrame closes the last bracket: from is its closing bracket, to the place after that.
func (s *scanner) popFrame(from, to place) frame {
	s.endArrows(from)
	f := *s.top()
	s.frames = s.frames[:len(s.frames)-1]
	if f.function >= 0 {
		s.spans[f.function].end = to
		if f.isHinted {
			s.closed = f.function
		}
	}
	return f
}

// openSpan begins a function, and returns its number; -1 when there are too many.
func (s *scanner) openSpan(start place, called, class name) int {
	if len(s.spans) == maxFunctions {
		return -1
	}
	s.spans = append(s.spans, span{start: start, end: start, name: called, class: class})
	return len(s.spans) - 1
}

// endArrows ends the arrow functions in the last bracket whose bodies are expressions.
func (s *scanner) endArrows(at place) {
	for s.endArrow(at) {
	}
}

func (s *scanner) endArrow(at place) bool {
	if len(s.arrows) == 0 || s.arrows[len(s.arrows)-1].depth < len(s.frames) {
		return false
	}
	a := s.arrows[len(s.arrows)-1]
	s.arrows = s.arrows[:len(s.arrows)-1]
	s.top().hint = a.hint
	if a.span >= 0 {
		s.spans[a.span].end = at
		if a.isHinted {
			s.closed = a.span
		}
	}
	return true
}

// startStatement ends the state of the previous statement.
func (s *scanner) startStatement() {
	f := s.top()
	f.hint, f.head, f.typing, f.ternaries, f.angles, f.inCase = name{}, head{}, typing{}, 0, 0, false
	f.isDeclared, f.declares, f.declared = false, false, name{}
	s.operand, s.atStatement, s.isControl = false, true, false
}

// isWord reports whether a token is a word; comparing bytes is faster than making a text of each
// name.
func (s *scanner) isWord(t *token, word string) bool {
	return t.kind == isName && string(s.text[t.start:t.end]) == word
}

// nameOf returns the name in a token; for a string, its contents.
func nameOf(t *token) name {
	switch t.kind {
	case isName, isPrivate, isLiteral:
		return name{t.start, t.end}
	case isString:
		if t.end-t.start >= 2 {
			return name{t.start + 1, t.end - 1}
		}
	}
	return name{}
}
