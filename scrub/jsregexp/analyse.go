package jsregexp

import (
	"strings"
	"unicode/utf8"
)

// minLen is the least number of characters that the node takes from the text.
func (n *node) minLen() int {
	return n.least(func(*node) bool { return true })
}

// least counts, over the shortest way through the node, the characters and sets that count.
func (n *node) least(counts func(*node) bool) int {
	switch n.op {
	case opChar, opSet:
		if counts(n) {
			return 1
		}
	case opConcat, opGroup:
		sum := 0
		for _, kid := range n.kids {
			sum = min(sum+kid.least(counts), unlimited)
		}
		return sum
	case opAlt:
		least := unlimited
		for _, kid := range n.kids {
			least = min(least, kid.least(counts))
		}
		return least
	case opRepeat:
		return min(n.min*min(n.kids[0].least(counts), unlimited), unlimited)
	}
	return 0
}

// any is true when f holds for the node or one inside it.
func (n *node) any(f func(*node) bool) bool {
	if f(n) {
		return true
	}
	for _, kid := range n.kids {
		if kid.any(f) {
			return true
		}
	}
	return false
}

// mayLoopOnNothing is true for a repeat whose body may match nothing: JavaScript ends such a repetition at once, so
// what follows depends on where the repetition began.
func (n *node) mayLoopOnNothing() bool {
	return n.op == opRepeat && n.max > n.min && n.kids[0].minLen() == 0
}

// anchored is true when every match begins at the start of the text.
func (n *node) anchored() bool {
	switch n.op {
	case opStart:
		return true
	case opConcat, opGroup:
		return len(n.kids) > 0 && n.kids[0].anchored()
	case opAlt:
		for _, kid := range n.kids {
			if !kid.anchored() {
				return false
			}
		}
		return true
	}
	return false
}

// literalStart appends the text that every match begins with; whole is true when the node is nothing but that text.
func (n *node) literalStart(b *strings.Builder) (whole bool) {
	if n.op == opEmpty || n.asserts() {
		return true
	}
	switch n.op {
	case opChar:
		b.WriteRune(n.r)
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

// maxLiterals bounds how many texts a prefilter looks for.
const maxLiterals = 8

// literals gives texts of which every match, or what its look-arounds see, contains at least one; nil when there are none.
func (n *node) literals() []string {
	switch n.op {
	case opChar:
		return []string{string(n.r)}
	case opGroup:
		return n.kids[0].literals()
	case opLook:
		if !n.negate {
			return n.kids[0].literals()
		}
	case opRepeat:
		if n.min > 0 {
			return n.kids[0].literals()
		}
	case opAlt:
		var all []string
		for _, kid := range n.kids {
			one := kid.literals()
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

// concatLiterals picks the best of a sequence: runs of characters are one text, other parts bring their own.
func (n *node) concatLiterals() []string {
	var best []string
	var run strings.Builder
	for _, kid := range n.kids {
		if kid.op == opChar {
			run.WriteRune(kid.r)
			continue
		}
		best = better(best, runLiteral(&run))
		best = better(best, kid.literals())
	}
	return better(best, runLiteral(&run))
}

func runLiteral(run *strings.Builder) []string {
	defer run.Reset()
	if run.Len() == 0 {
		return nil
	}
	return []string{run.String()}
}

// better prefers the list whose shortest text is longer, then the shorter list.
func better(a, b []string) []string {
	switch la, lb := shortest(a), shortest(b); {
	case la > lb || la == lb && len(a) <= len(b):
		return a
	}
	return b
}

func shortest(list []string) int {
	if len(list) == 0 {
		return 0
	}
	least := unlimited
	for _, s := range list {
		least = min(least, len(s))
	}
	return least
}

// firstBytes gives the bytes with which a match can begin, in the program from its entry.
func firstBytes(prog []inst, entry int32) *[256]bool {
	first := &[256]bool{}
	seen := make([]bool, len(prog))
	var walk func(pc int32)
	walk = func(pc int32) {
		if seen[pc] {
			return
		}
		seen[pc] = true
		switch in := &prog[pc]; in.op {
		case iByte:
			first[in.b] = true
		case iSet:
			for b := range 256 {
				first[b] = first[b] || b < utf8.RuneSelf && in.set.hasByte(byte(b)) || b >= utf8.RuneSelf && len(in.set.wide) > 0
			}
		case iMatch, iBackref:
			for b := range first {
				first[b] = true
			}
		case iSplit:
			walk(in.next)
			walk(in.alt)
		default:
			walk(in.next)
		}
	}
	walk(entry)
	return first
}
