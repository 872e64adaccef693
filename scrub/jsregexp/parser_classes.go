package jsregexp

import "errors"

// parseClass reads [...].
func (p *parser) parseClass() (*node, error) {
	p.takePrefix("[")
	negate := p.takePrefix("^")
	var ranges []runeRange
	for !p.takePrefix("]") {
		if !p.hasMore() {
			return nil, errors.New("a [ has no ] after it")
		}
		lo, set, err := p.parseClassAtom()
		if err != nil {
			return nil, err
		}
		if p.peekByte() != '-' || p.pos+1 >= len(p.pattern) || p.pattern[p.pos+1] == ']' {
			ranges = append(ranges, itemRanges(lo, set)...)
			continue
		}
		p.pos++
		hi, hiSet, err := p.parseClassAtom()
		switch {
		case err != nil:
			return nil, err
		case set != nil || hiSet != nil: // the legacy syntax: no range, and a separate -
			ranges = append(append(append(ranges, itemRanges(lo, set)...), itemRanges(hi, hiSet)...), runeRange{'-', '-'})
		case lo > hi:
			return nil, errors.New("a range in [...] is out of order")
		default:
			ranges = append(ranges, runeRange{lo, hi})
		}
	}
	if p.flags.ignoreCase {
		ranges = addOtherCases(ranges)
	}
	return &node{op: opSet, set: newSet(ranges, negate)}, nil
}

func itemRanges(r rune, set []runeRange) []runeRange {
	if set != nil {
		return set
	}
	return []runeRange{{r, r}}
}

// parseClassAtom reads one character of a class, or the ranges of an escape such as \d.
func (p *parser) parseClassAtom() (rune, []runeRange, error) {
	if p.peekByte() != '\\' {
		return p.takeRune(), nil, nil
	}
	p.pos++
	if !p.hasMore() {
		return 0, nil, errors.New("a [ has no ] after it")
	}
	c := p.peekByte()
	if c == 'b' {
		p.pos++
		return '\b', nil, nil
	}
	if c == 'k' && p.hasNames {
		return 0, nil, errors.New(`\k has no meaning in [...] in a pattern with named groups`)
	}
	if ranges, ok := lookUpClass(rune(c)); ok {
		p.pos++
		return 0, ranges, nil
	}
	return p.parseCharEscape(true), nil, nil
}
