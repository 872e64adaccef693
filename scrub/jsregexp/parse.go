package jsregexp

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// op says what a node of a parsed pattern is.
type op uint8

const (
	opEmpty     op = iota
	opChar         // r
	opSet          // set
	opConcat       // kids in order
	opAlt          // one of the kids
	opRepeat       // kids[0], min to max times
	opGroup        // kids[0], captured as group
	opBackref      // what group captured
	opStart        // ^
	opEnd          // $
	opLineStart    // ^ in (?m:...)
	opLineEnd      // $ in (?m:...)
	opWordB        // \b
	opNotWordB     // \B
	opLook         // kids[0] ahead or behind, or not
)

// node is one part of a parsed pattern.
type node struct {
	op       op
	r        rune
	set      *charSet
	kids     []*node
	min, max int // max is unlimited for no upper bound
	lazy     bool
	group    int
	anyCase  bool       // opBackref: in (?i:...)
	inside   groupRange // opRepeat: the groups that a new repetition forgets
	behind   bool
	negate   bool
}

// groupRange is the capturing groups from first up to, not including, end.
type groupRange struct{ first, end int }

const (
	unlimited = math.MaxInt32
	maxDepth  = 250 // of nested groups: the parser and the compiler recurse
)

// parser reads one pattern. Its errors are sentences for the person who wrote the pattern.
type parser struct {
	s        string
	pos      int
	groups   int // capturing groups opened so far
	total    int // capturing groups of the whole pattern
	hasNames bool
	names    map[string]int
	named    []*node  // back-references by name, resolved at the end
	labels   []string // their names
	depth    int
	flags    flags
}

// parse gives the tree of a pattern and the number of its capturing groups.
func parse(pattern string) (root *node, groups int, err error) {
	if !utf8.ValidString(pattern) {
		return nil, 0, errors.New("the pattern is not valid UTF-8")
	}
	p := &parser{s: pattern, names: map[string]int{}}
	p.countGroups()
	if root, err = p.disjunction(); err != nil {
		return nil, 0, err
	}
	if p.pos < len(p.s) {
		return nil, 0, errors.New("a ) has no ( before it")
	}
	for i, ref := range p.named {
		group, ok := p.names[p.labels[i]]
		if !ok {
			return nil, 0, fmt.Errorf(`\k<%s> names no group of the pattern`, p.labels[i])
		}
		ref.group = group
	}
	return root, p.groups, nil
}

// countGroups looks ahead for the number of capturing groups and whether any has a name: both decide what \1 and \k mean.
func (p *parser) countGroups() {
	inClass := false
	for i := 0; i < len(p.s); i++ {
		switch c := p.s[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(' && !strings.HasPrefix(p.s[i:], "(?"):
			p.total++
		case c == '(' && opensName(p.s[i:]):
			p.total++
			p.hasNames = true
		}
	}
}

// opensName is true for the start of a named group, which a look-behind resembles.
func opensName(s string) bool {
	return strings.HasPrefix(s, "(?<") && !strings.HasPrefix(s, "(?<=") && !strings.HasPrefix(s, "(?<!")
}

func (p *parser) peek() byte {
	if p.pos < len(p.s) {
		return p.s[p.pos]
	}
	return 0
}

func (p *parser) more() bool { return p.pos < len(p.s) }

// take moves past the prefix when it comes next.
func (p *parser) take(prefix string) bool {
	if strings.HasPrefix(p.s[p.pos:], prefix) {
		p.pos += len(prefix)
		return true
	}
	return false
}

func (p *parser) rune() rune {
	r, size := utf8.DecodeRuneInString(p.s[p.pos:])
	p.pos += size
	return r
}

func (p *parser) disjunction() (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errors.New("groups are nested too deep")
	}
	defer func() { p.depth-- }()
	var options []*node
	for {
		n, err := p.alternative()
		if err != nil {
			return nil, err
		}
		options = append(options, n)
		if !p.take("|") {
			break
		}
	}
	if len(options) == 1 {
		return options[0], nil
	}
	return &node{op: opAlt, kids: options}, nil
}

func (p *parser) alternative() (*node, error) {
	var terms []*node
	for p.more() && p.peek() != '|' && p.peek() != ')' {
		n, err := p.term()
		if err != nil {
			return nil, err
		}
		terms = append(terms, n)
	}
	switch len(terms) {
	case 0:
		return &node{op: opEmpty}, nil
	case 1:
		return terms[0], nil
	}
	return &node{op: opConcat, kids: terms}, nil
}

var errNothing = errors.New("a quantifier (* + ? {n}) has nothing to repeat")

func (p *parser) term() (*node, error) {
	first := p.groups
	n, err := p.atom()
	if err != nil {
		return nil, err
	}
	lo, hi, ok, err := p.quantifier()
	if err != nil || !ok {
		return n, err
	}
	if n.asserts() && (n.op != opLook || n.behind) {
		return nil, errNothing
	}
	inside := groupRange{first + 1, p.groups + 1}
	return &node{op: opRepeat, kids: []*node{n}, min: lo, max: hi, lazy: p.take("?"), inside: inside}, nil
}

// asserts is true for what takes no text.
func (n *node) asserts() bool {
	return n.op >= opStart && n.op <= opLook
}

// quantifier reads * + ? or {n}, {n,}, {n,m}; ok is false when none is there.
func (p *parser) quantifier() (lo, hi int, ok bool, err error) {
	switch {
	case p.take("*"):
		return 0, unlimited, true, nil
	case p.take("+"):
		return 1, unlimited, true, nil
	case p.take("?"):
		return 0, 1, true, nil
	}
	return p.braces()
}

func (p *parser) braces() (lo, hi int, ok bool, err error) {
	start := p.pos
	if !p.take("{") {
		return 0, 0, false, nil
	}
	lo, ok = p.number()
	hi = lo
	if ok && p.take(",") {
		if hi, ok = p.number(); !ok {
			hi, ok = unlimited, true
		}
	}
	if !ok || !p.take("}") {
		p.pos = start // the legacy syntax takes it as text
		return 0, 0, false, nil
	}
	if lo > hi {
		return 0, 0, false, errors.New("the numbers of a {n,m} quantifier are out of order")
	}
	return lo, hi, true, nil
}

// number reads decimal digits; a huge number stays at unlimited.
func (p *parser) number() (n int, ok bool) {
	for p.peek() >= '0' && p.peek() <= '9' {
		n = min(n*10+int(p.peek()-'0'), unlimited)
		p.pos++
		ok = true
	}
	return n, ok
}

func (p *parser) atom() (*node, error) {
	switch p.peek() {
	case '^':
		p.pos++
		return &node{op: p.flags.pick(opStart, opLineStart)}, nil
	case '$':
		p.pos++
		return &node{op: p.flags.pick(opEnd, opLineEnd)}, nil
	case '.':
		p.pos++
		if p.flags.dotAll {
			return &node{op: opSet, set: newSet(nil, true)}, nil
		}
		return &node{op: opSet, set: newSet(lineEnds, true)}, nil
	case '(':
		return p.group()
	case '[':
		return p.class()
	case '\\':
		return p.escape()
	case '*', '+', '?':
		return nil, errNothing
	case '{':
		if _, _, ok, err := p.braces(); ok || err != nil {
			return nil, errNothing
		}
	}
	return p.char(p.rune()), nil
}

func (p *parser) group() (*node, error) {
	n := &node{op: opGroup}
	switch {
	case p.take("(?:"):
		n.op = opConcat
	case p.take("(?="):
		n.op = opLook
	case p.take("(?!"):
		n.op, n.negate = opLook, true
	case p.take("(?<="):
		n.op, n.behind = opLook, true
	case p.take("(?<!"):
		n.op, n.behind, n.negate = opLook, true, true
	case p.take("(?<"):
		if err := p.groupName(); err != nil {
			return nil, err
		}
	case p.take("(?"):
		outer := p.flags
		defer func() { p.flags = outer }()
		if err := p.modifiers(); err != nil {
			return nil, err
		}
		n.op = opConcat
	default:
		p.take("(")
	}
	if n.op == opGroup {
		p.groups++
		n.group = p.groups
	}
	body, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, errors.New("a ( has no ) after it")
	}
	n.kids = []*node{body}
	return n, nil
}

func (p *parser) groupName() error {
	name, ok := p.name()
	if !ok {
		return errors.New("a group's name between < and > must be an identifier")
	}
	if _, taken := p.names[name]; taken {
		return fmt.Errorf("two groups are named %s", name)
	}
	p.names[name] = p.groups + 1
	return nil
}

// name reads an identifier and the > that ends it.
func (p *parser) name() (string, bool) {
	end := strings.IndexByte(p.s[p.pos:], '>')
	if end < 0 {
		return "", false
	}
	name := p.s[p.pos : p.pos+end]
	p.pos += end + 1
	for i, r := range name {
		if !isIdentifier(r, i == 0) {
			return "", false
		}
	}
	return name, name != ""
}
