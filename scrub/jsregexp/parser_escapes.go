package jsregexp

import (
	"errors"
	"strconv"
)

// parseEscape reads an escape outside a class.
func (p *parser) parseEscape() (*node, error) {
	p.pos++
	if !p.hasMore() {
		return nil, errors.New(`the pattern ends with a \`)
	}
	switch c := p.peekByte(); {
	case c == 'b':
		p.pos++
		return &node{op: opWordBoundary}, nil
	case c == 'B':
		p.pos++
		return &node{op: opNotWordBoundary}, nil
	case c >= '1' && c <= '9':
		if n := p.parseBackref(); n != nil {
			return n, nil
		}
	case c == 'k' && p.hasNames:
		return p.parseNamedBackref()
	}
	if ranges, ok := lookUpClass(rune(p.peekByte())); ok {
		p.pos++
		return &node{op: opSet, set: newSet(ranges, false)}, nil
	}
	return p.makeChar(p.parseCharEscape(false)), nil
}

// parseBackref reads \1 and similar; nil when the pattern has no such group, because then the digits mean a character.
func (p *parser) parseBackref() *node {
	start := p.pos
	n, _ := p.parseNumber()
	if n > p.allGroups {
		p.pos = start
		return nil
	}
	return &node{op: opBackref, group: n, ignoreCase: p.flags.ignoreCase}
}

func (p *parser) parseNamedBackref() (*node, error) {
	p.pos++
	if p.takePrefix("<") {
		if name, ok := p.parseName(); ok {
			ref := &node{op: opBackref, ignoreCase: p.flags.ignoreCase}
			p.namedBackrefs, p.backrefNames = append(p.namedBackrefs, ref), append(p.backrefNames, name)
			return ref, nil
		}
	}
	return nil, errors.New(`\k must be followed by <name>`)
}

// parseCharEscape reads the text after the \ of an escape for one character, here or in a class.
func (p *parser) parseCharEscape(inClass bool) rune {
	switch c := p.peekByte(); c {
	case 'f', 'n', 'r', 't', 'v':
		p.pos++
		return map[byte]rune{'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}[c]
	case 'c':
		return p.parseControl(inClass)
	case 'x':
		return p.parseHex(2)
	case 'u':
		return p.parseUnicode()
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return p.parseOctal()
	}
	return p.takeRune()
}

// parseControl reads \cX. Without a letter the \ stands for itself, and the c is read next.
func (p *parser) parseControl(inClass bool) rune {
	if p.pos+1 < len(p.pattern) {
		c := p.pattern[p.pos+1]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if letter || inClass && isWordByte(c) {
			p.pos += 2
			return rune(c % 32)
		}
	}
	return '\\'
}

// parseHex reads the current letter and the digits after it; without the digits, the letter stands for itself.
func (p *parser) parseHex(digits int) rune {
	letter := p.takeRune()
	if p.pos+digits <= len(p.pattern) {
		if n, err := strconv.ParseUint(p.pattern[p.pos:p.pos+digits], 16, 32); err == nil {
			p.pos += digits
			return rune(n)
		}
	}
	return letter
}

// parseUnicode reads \uXXXX, and a surrogate pair of two of them as one character.
func (p *parser) parseUnicode() rune {
	r := p.parseHex(4)
	if r < 0xD800 || r > 0xDBFF {
		return r
	}
	start := p.pos
	if p.takePrefix(`\u`) {
		p.pos--
		if low := p.parseHex(4); low >= 0xDC00 && low <= 0xDFFF {
			return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
		}
	}
	p.pos = start
	return r
}

// parseOctal reads up to three octal digits, of a number up to 255.
func (p *parser) parseOctal() rune {
	n := rune(0)
	for i := 0; i < 3 && p.peekByte() >= '0' && p.peekByte() <= '7' && n*8+rune(p.peekByte()-'0') <= 255; i++ {
		n = n*8 + rune(p.peekByte()-'0')
		p.pos++
	}
	return n
}
