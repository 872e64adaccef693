package jsregexp

import (
	"errors"
	"strconv"
	"unicode"
)

// escape reads an escape outside a class.
func (p *parser) escape() (*node, error) {
	p.pos++
	if !p.more() {
		return nil, errors.New(`the pattern ends with a \`)
	}
	switch c := p.peek(); {
	case c == 'b':
		p.pos++
		return &node{op: opWordB}, nil
	case c == 'B':
		p.pos++
		return &node{op: opNotWordB}, nil
	case c >= '1' && c <= '9':
		if n := p.backref(); n != nil {
			return n, nil
		}
	case c == 'k' && p.hasNames:
		return p.namedRef()
	}
	if ranges, ok := classRanges(rune(p.peek())); ok {
		p.pos++
		return &node{op: opSet, set: newSet(ranges, false)}, nil
	}
	return p.char(p.charEscape(false)), nil
}

// backref reads \1 and the like; nil when the pattern has no such group, for then the digits mean a character.
func (p *parser) backref() *node {
	start := p.pos
	n, _ := p.number()
	if n > p.total {
		p.pos = start
		return nil
	}
	return &node{op: opBackref, group: n, anyCase: p.flags.anyCase}
}

func (p *parser) namedRef() (*node, error) {
	p.pos++
	if p.take("<") {
		if name, ok := p.name(); ok {
			ref := &node{op: opBackref, anyCase: p.flags.anyCase}
			p.named, p.labels = append(p.named, ref), append(p.labels, name)
			return ref, nil
		}
	}
	return nil, errors.New(`\k must be followed by <name>`)
}

// charEscape reads what follows the \ of an escape that stands for one character, here or in a class.
func (p *parser) charEscape(inClass bool) rune {
	switch c := p.peek(); c {
	case 'f', 'n', 'r', 't', 'v':
		p.pos++
		return map[byte]rune{'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}[c]
	case 'c':
		return p.control(inClass)
	case 'x':
		return p.hex(2)
	case 'u':
		return p.unicode()
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return p.octal()
	}
	return p.rune()
}

// control reads \cX. Without a letter the \ stands for itself, and the c is read next.
func (p *parser) control(inClass bool) rune {
	if p.pos+1 < len(p.s) {
		c := p.s[p.pos+1]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if letter || inClass && isWordByte(c) {
			p.pos += 2
			return rune(c % 32)
		}
	}
	return '\\'
}

// hex reads the letter that it stands on and digits; without the digits, the letter stands for itself.
func (p *parser) hex(digits int) rune {
	letter := p.rune()
	if p.pos+digits <= len(p.s) {
		if n, err := strconv.ParseUint(p.s[p.pos:p.pos+digits], 16, 32); err == nil {
			p.pos += digits
			return rune(n)
		}
	}
	return letter
}

// unicode reads \uXXXX, and a surrogate pair of two of them as one character.
func (p *parser) unicode() rune {
	r := p.hex(4)
	if r < 0xD800 || r > 0xDBFF {
		return r
	}
	start := p.pos
	if p.take(`\u`) {
		p.pos--
		if low := p.hex(4); low >= 0xDC00 && low <= 0xDFFF {
			return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
		}
	}
	p.pos = start
	return r
}

// octal reads up to three octal digits that give at most 255.
func (p *parser) octal() rune {
	n := rune(0)
	for i := 0; i < 3 && p.peek() >= '0' && p.peek() <= '7' && n*8+rune(p.peek()-'0') <= 255; i++ {
		n = n*8 + rune(p.peek()-'0')
		p.pos++
	}
	return n
}

// class reads [...].
func (p *parser) class() (*node, error) {
	p.take("[")
	negate := p.take("^")
	var ranges []runeRange
	for !p.take("]") {
		if !p.more() {
			return nil, errors.New("a [ has no ] after it")
		}
		lo, set, err := p.classAtom()
		if err != nil {
			return nil, err
		}
		if p.peek() != '-' || p.pos+1 >= len(p.s) || p.s[p.pos+1] == ']' {
			ranges = append(ranges, item(lo, set)...)
			continue
		}
		p.pos++
		hi, hiSet, err := p.classAtom()
		switch {
		case err != nil:
			return nil, err
		case set != nil || hiSet != nil: // the legacy syntax: no range, and a - of its own
			ranges = append(append(append(ranges, item(lo, set)...), item(hi, hiSet)...), runeRange{'-', '-'})
		case lo > hi:
			return nil, errors.New("a range in [...] is out of order")
		default:
			ranges = append(ranges, runeRange{lo, hi})
		}
	}
	if p.flags.anyCase {
		ranges = inAnyCase(ranges)
	}
	return &node{op: opSet, set: newSet(ranges, negate)}, nil
}

func item(r rune, set []runeRange) []runeRange {
	if set != nil {
		return set
	}
	return []runeRange{{r, r}}
}

// classAtom reads one character of a class, or an escape such as \d, which gives ranges.
func (p *parser) classAtom() (rune, []runeRange, error) {
	if p.peek() != '\\' {
		return p.rune(), nil, nil
	}
	p.pos++
	if !p.more() {
		return 0, nil, errors.New("a [ has no ] after it")
	}
	c := p.peek()
	if c == 'b' {
		p.pos++
		return '\b', nil, nil
	}
	if c == 'k' && p.hasNames {
		return 0, nil, errors.New(`\k has no meaning in [...] in a pattern with named groups`)
	}
	if ranges, ok := classRanges(rune(c)); ok {
		p.pos++
		return 0, ranges, nil
	}
	return p.charEscape(true), nil, nil
}

func isIdentifier(r rune, first bool) bool {
	if r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) {
		return true
	}
	return !first && (unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Pc) || r == 0x200C || r == 0x200D)
}
