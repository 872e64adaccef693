package jsregexp

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

const (
	unlimited = math.MaxInt32
	maxDepth  = 250 // of nested groups: the parser and the compiler recurse
)

// parser reads one pattern. Its errors are sentences for the person who wrote the pattern.
type parser struct {
	pattern       string
	pos           int
	groups        int // capturing groups opened so far
	allGroups     int // capturing groups of the whole pattern
	hasNames      bool
	names         map[string]int
	namedBackrefs []*node  // back-references by name, resolved at the end
	backrefNames  []string // their names
	depth         int
	flags         flags
}

// parsePattern returns the tree of a pattern and the number of its capturing groups.
func parsePattern(pattern string) (root *node, groups int, err error) {
	if !utf8.ValidString(pattern) {
		return nil, 0, errors.New("the pattern is not valid UTF-8")
	}
	p := &parser{pattern: pattern, names: map[string]int{}}
	p.countGroups()
	if root, err = p.parseDisjunction(); err != nil {
		return nil, 0, err
	}
	if p.pos < len(p.pattern) {
		return nil, 0, errors.New("a ) has no ( before it")
	}
	for i, ref := range p.namedBackrefs {
		group, ok := p.names[p.backrefNames[i]]
		if !ok {
			return nil, 0, fmt.Errorf(`\k<%s> names no group of the pattern`, p.backrefNames[i])
		}
		ref.group = group
	}
	return root, p.groups, nil
}

// countGroups looks ahead for the number of capturing groups and whether any has a name: both decide the meaning of \1 and \k.
func (p *parser) countGroups() {
	inClass := false
	for i := 0; i < len(p.pattern); i++ {
		switch c := p.pattern[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(' && !strings.HasPrefix(p.pattern[i:], "(?"):
			p.allGroups++
		case c == '(' && opensName(p.pattern[i:]):
			p.allGroups++
			p.hasNames = true
		}
	}
}

// opensName reports whether a named group begins here; a look-behind has a similar beginning.
func opensName(s string) bool {
	return strings.HasPrefix(s, "(?<") && !strings.HasPrefix(s, "(?<=") && !strings.HasPrefix(s, "(?<!")
}

func (p *parser) peekByte() byte {
	if p.pos < len(p.pattern) {
		return p.pattern[p.pos]
	}
	return 0
}

func (p *parser) hasMore() bool { return p.pos < len(p.pattern) }

// takePrefix moves past the prefix if it comes next, and reports whether it did.
func (p *parser) takePrefix(prefix string) bool {
	if strings.HasPrefix(p.pattern[p.pos:], prefix) {
		p.pos += len(prefix)
		return true
	}
	return false
}

func (p *parser) takeRune() rune {
	r, size := utf8.DecodeRuneInString(p.pattern[p.pos:])
	p.pos += size
	return r
}

func (p *parser) parseDisjunction() (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errors.New("groups are nested too deep")
	}
	defer func() { p.depth-- }()
	var options []*node
	for {
		n, err := p.parseAlternative()
		if err != nil {
			return nil, err
		}
		options = append(options, n)
		if !p.takePrefix("|") {
			break
		}
	}
	if len(options) == 1 {
		return options[0], nil
	}
	return &node{op: opAlt, kids: options}, nil
}

func (p *parser) parseAlternative() (*node, error) {
	var terms []*node
	for p.hasMore() && p.peekByte() != '|' && p.peekByte() != ')' {
		n, err := p.parseTerm()
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

func (p *parser) parseTerm() (*node, error) {
	first := p.groups
	n, err := p.parseAtom()
	if err != nil {
		return nil, err
	}
	lo, hi, ok, err := p.parseQuantifier()
	if err != nil || !ok {
		return n, err
	}
	if n.isAssertion() && (n.op != opLook || n.looksBehind) {
		return nil, errNothingToRepeat
	}
	inside := groupRange{first + 1, p.groups + 1}
	return &node{op: opRepeat, kids: []*node{n}, min: lo, max: hi, isLazy: p.takePrefix("?"), innerGroups: inside}, nil
}

func (p *parser) parseAtom() (*node, error) {
	switch p.peekByte() {
	case '^':
		p.pos++
		return &node{op: p.flags.pickOp(opStart, opLineStart)}, nil
	case '$':
		p.pos++
		return &node{op: p.flags.pickOp(opEnd, opLineEnd)}, nil
	case '.':
		p.pos++
		if p.flags.dotAll {
			return &node{op: opSet, set: newSet(nil, true)}, nil
		}
		return &node{op: opSet, set: newSet(lineEndRanges, true)}, nil
	case '(':
		return p.parseGroup()
	case '[':
		return p.parseClass()
	case '\\':
		return p.parseEscape()
	case '*', '+', '?':
		return nil, errNothingToRepeat
	case '{':
		if _, _, ok, err := p.parseBraces(); ok || err != nil {
			return nil, errNothingToRepeat
		}
	}
	return p.makeChar(p.takeRune()), nil
}
