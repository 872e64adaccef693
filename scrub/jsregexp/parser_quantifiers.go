package jsregexp

import "errors"

var errNothingToRepeat = errors.New("a quantifier (* + ? {n}) has nothing to repeat")

// parseQuantifier reads * + ? or {n}, {n,}, {n,m}; ok is false when none comes next.
func (p *parser) parseQuantifier() (lo, hi int, ok bool, err error) {
	switch {
	case p.takePrefix("*"):
		return 0, unlimited, true, nil
	case p.takePrefix("+"):
		return 1, unlimited, true, nil
	case p.takePrefix("?"):
		return 0, 1, true, nil
	}
	return p.parseBraces()
}

func (p *parser) parseBraces() (lo, hi int, ok bool, err error) {
	start := p.pos
	if !p.takePrefix("{") {
		return 0, 0, false, nil
	}
	lo, ok = p.parseNumber()
	hi = lo
	if ok && p.takePrefix(",") {
		if hi, ok = p.parseNumber(); !ok {
			hi, ok = unlimited, true
		}
	}
	if !ok || !p.takePrefix("}") {
		p.pos = start // the legacy syntax takes it as text
		return 0, 0, false, nil
	}
	if lo > hi {
		return 0, 0, false, errors.New("the numbers of a {n,m} quantifier are out of order")
	}
	return lo, hi, true, nil
}

// parseNumber reads decimal digits; a huge number becomes unlimited.
func (p *parser) parseNumber() (n int, ok bool) {
	for p.peekByte() >= '0' && p.peekByte() <= '9' {
		n = min(n*10+int(p.peekByte()-'0'), unlimited)
		p.pos++
		ok = true
	}
	return n, ok
}
