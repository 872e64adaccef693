package jsregexp

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// makeChar makes the node of one character; under the i flag, of all its cases.
func (p *parser) makeChar(r rune) *node {
	if p.flags.ignoreCase {
		if ranges := addOtherCases([]runeRange{{r, r}}); len(ranges) > 1 {
			return &node{op: opSet, set: newSet(ranges, false)}
		}
	}
	return &node{op: opChar, char: r}
}

// foldCase returns the common form of characters that match each other under the i flag: the upper case, unless that would take a
// character into ASCII.
func foldCase(r rune) rune {
	upper := unicode.ToUpper(r)
	if r >= utf8.RuneSelf && upper < utf8.RuneSelf || r > 0xFFFF {
		return r
	}
	return upper
}

// caseVariants maps a result of foldCase to all characters with this result, if there are several.
var caseVariants = sync.OnceValue(func() map[rune][]rune {
	m := map[rune][]rune{}
	for r := rune(0); r <= 0xFFFF; r++ {
		if c := foldCase(r); c != r {
			if m[c] == nil {
				m[c] = []rune{c}
			}
			m[c] = append(m[c], r)
		}
	}
	return m
})

// addOtherCases adds the other cases of the characters in the ranges.
func addOtherCases(ranges []runeRange) []runeRange {
	set := newSet(ranges, false)
	for _, group := range caseVariants() {
		for _, r := range group {
			if set.hasRune(r) {
				ranges = appendRunes(ranges, group)
				break
			}
		}
	}
	return ranges
}

func appendRunes(ranges []runeRange, list []rune) []runeRange {
	ranges = ranges[:len(ranges):len(ranges)]
	for _, r := range list {
		ranges = append(ranges, runeRange{r, r})
	}
	return ranges
}

// equalIgnoringCase reports whether two texts are equal under the i flag.
func equalIgnoringCase(a, b string) bool {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if foldCase(ra) != foldCase(rb) {
			return false
		}
		a, b = a[na:], b[nb:]
	}
	return a == "" && b == ""
}
