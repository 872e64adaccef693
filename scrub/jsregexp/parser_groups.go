package jsregexp

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

func (p *parser) parseGroup() (*node, error) {
	n := &node{op: opGroup}
	switch {
	case p.takePrefix("(?:"):
		n.op = opConcat
	case p.takePrefix("(?="):
		n.op = opLook
	case p.takePrefix("(?!"):
		n.op, n.isNegated = opLook, true
	case p.takePrefix("(?<="):
		n.op, n.looksBehind = opLook, true
	case p.takePrefix("(?<!"):
		n.op, n.looksBehind, n.isNegated = opLook, true, true
	case p.takePrefix("(?<"):
		if err := p.parseGroupName(); err != nil {
			return nil, err
		}
	case p.takePrefix("(?"):
		outer := p.flags
		defer func() { p.flags = outer }()
		if err := p.parseModifiers(); err != nil {
			return nil, err
		}
		n.op = opConcat
	default:
		p.takePrefix("(")
	}
	if n.op == opGroup {
		p.groups++
		n.group = p.groups
	}
	body, err := p.parseDisjunction()
	if err != nil {
		return nil, err
	}
	if !p.takePrefix(")") {
		return nil, errors.New("a ( has no ) after it")
	}
	n.kids = []*node{body}
	return n, nil
}

func (p *parser) parseGroupName() error {
	name, ok := p.parseName()
	if !ok {
		return errors.New("a group's name between < and > must be an identifier")
	}
	if _, taken := p.names[name]; taken {
		return fmt.Errorf("two groups are named %s", name)
	}
	p.names[name] = p.groups + 1
	return nil
}

// parseName reads an identifier and the > that ends it.
func (p *parser) parseName() (string, bool) {
	end := strings.IndexByte(p.pattern[p.pos:], '>')
	if end < 0 {
		return "", false
	}
	name := p.pattern[p.pos : p.pos+end]
	p.pos += end + 1
	for i, r := range name {
		if !isIdentifier(r, i == 0) {
			return "", false
		}
	}
	return name, name != ""
}

func isIdentifier(r rune, first bool) bool {
	if r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) {
		return true
	}
	return !first && (unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Pc) || r == 0x200C || r == 0x200D)
}

// flags are the flags that a group can set for its content: (?i:...), (?m-s:...).
type flags struct{ ignoreCase, multiline, dotAll bool }

// pickOp returns the second operation under the m flag.
func (f flags) pickOp(whole, line op) op {
	if f.multiline {
		return line
	}
	return whole
}

var errUnknownGroup = errors.New("the group after (? is of no known kind")

// parseModifiers reads the flags of a group up to the colon.
func (p *parser) parseModifiers() error {
	end := strings.IndexByte(p.pattern[p.pos:], ':')
	if end < 0 {
		return errUnknownGroup
	}
	on, off, dash := strings.Cut(p.pattern[p.pos:p.pos+end], "-")
	p.pos += end + 1
	if on+off == "" && dash || !areDistinct(on+off) {
		return errUnknownGroup
	}
	return errors.Join(p.flags.setFlags(on, true), p.flags.setFlags(off, false))
}

func areDistinct(s string) bool {
	for i := range len(s) {
		if strings.IndexByte(s[i+1:], s[i]) >= 0 {
			return false
		}
	}
	return true
}

func (f *flags) setFlags(letters string, to bool) error {
	for _, c := range letters {
		switch c {
		case 'i':
			f.ignoreCase = to
		case 'm':
			f.multiline = to
		case 's':
			f.dotAll = to
		default:
			return errUnknownGroup
		}
	}
	return nil
}
