package jsregexp

import "strings"

// literalStart appends the text at the start of every match, and reports whether the node is only that text.
func (n *node) literalStart(b *strings.Builder) (whole bool) {
	if n.op == opEmpty || n.isAssertion() {
		return true
	}
	switch n.op {
	case opChar:
		b.WriteRune(n.char)
		return true
	case opConcat, opGroup:
		for _, kid := range n.kids {
			if !kid.literalStart(b) {
				return false
			}
		}
		return true
	case opRepeat:
		if n.min > 0 {
			n.kids[0].literalStart(b)
		}
	}
	return false
}

// maxLiterals bounds how many texts a prefilter searches for.
const maxLiterals = 8

// requiredLiterals returns texts. Every match, together with the text that its look-arounds see, contains at least one of them;
// nil when the node has none.
func (n *node) requiredLiterals() []string {
	switch n.op {
	case opChar:
		return []string{string(n.char)}
	case opGroup:
		return n.kids[0].requiredLiterals()
	case opLook:
		if !n.isNegated {
			return n.kids[0].requiredLiterals()
		}
	case opRepeat:
		if n.min > 0 {
			return n.kids[0].requiredLiterals()
		}
	case opAlt:
		var all []string
		for _, kid := range n.kids {
			one := kid.requiredLiterals()
			if one == nil || len(all)+len(one) > maxLiterals {
				return nil
			}
			all = append(all, one...)
		}
		return all
	case opConcat:
		return n.concatLiterals()
	}
	return nil
}

// concatLiterals picks the best texts of a sequence: runs of characters are one text, other parts have their own.
func (n *node) concatLiterals() []string {
	var best []string
	var run strings.Builder
	for _, kid := range n.kids {
		if kid.op == opChar {
			run.WriteRune(kid.char)
			continue
		}
		best = pickBetterLiterals(best, takeRun(&run))
		best = pickBetterLiterals(best, kid.requiredLiterals())
	}
	return pickBetterLiterals(best, takeRun(&run))
}

func takeRun(run *strings.Builder) []string {
	defer run.Reset()
	if run.Len() == 0 {
		return nil
	}
	return []string{run.String()}
}

// pickBetterLiterals returns the list whose shortest text is longer, or else the shorter list.
func pickBetterLiterals(a, b []string) []string {
	switch la, lb := shortestLength(a), shortestLength(b); {
	case la > lb || la == lb && len(a) <= len(b):
		return a
	}
	return b
}

func shortestLength(list []string) int {
	if len(list) == 0 {
		return 0
	}
	least := unlimited
	for _, s := range list {
		least = min(least, len(s))
	}
	return least
}
