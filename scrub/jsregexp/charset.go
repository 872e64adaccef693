package jsregexp

import (
	"slices"
	"unicode/utf8"
)

// charSet is a set of characters: bits for ASCII, sorted ranges for the rest.
type charSet struct {
	ascii [2]uint64
	wide  []runeRange
}

type runeRange struct{ lo, hi rune }

func (s *charSet) hasRune(r rune) bool {
	if r < utf8.RuneSelf {
		return s.hasByte(byte(r))
	}
	_, found := slices.BinarySearchFunc(s.wide, r, func(x runeRange, r rune) int {
		switch {
		case x.hi < r:
			return -1
		case x.lo > r:
			return 1
		}
		return 0
	})
	return found
}

// hasByte reports whether an ASCII character is in the set.
func (s *charSet) hasByte(b byte) bool { return s.ascii[b>>6&1]>>(b&63)&1 != 0 }

// newSet makes a set of the ranges, or of all characters outside them. The ranges may be in any
// order and may overlap.
func newSet(ranges []runeRange, negate bool) *charSet {
	ranges = mergeRanges(ranges)
	if negate {
		ranges = complementRanges(ranges)
	}
	s := &charSet{}
	for _, x := range ranges {
		for r := x.lo; r <= min(x.hi, utf8.RuneSelf-1); r++ {
			s.ascii[r>>6] |= 1 << (r & 63)
		}
		if x.hi >= utf8.RuneSelf {
			s.wide = append(s.wide, runeRange{max(x.lo, utf8.RuneSelf), x.hi})
		}
	}
	return s
}

func mergeRanges(ranges []runeRange) []runeRange {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b runeRange) int { return int(a.lo - b.lo) })
	out := ranges[:0]
	for _, x := range ranges {
		if n := len(out); n > 0 && x.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, x.hi)
			continue
		}
		out = append(out, x)
	}
	return out
}

// complementRanges returns the ranges between sorted, separate ranges.
func complementRanges(ranges []runeRange) []runeRange {
	var out []runeRange
	next := rune(0)
	for _, x := range ranges {
		if x.lo > next {
			out = append(out, runeRange{next, x.lo - 1})
		}
		next = x.hi + 1
	}
	if next <= utf8.MaxRune {
		out = append(out, runeRange{next, utf8.MaxRune})
	}
	return out
}

// isSubsetOf reports whether every character of the set is ASCII and in the given bytes.
func (s *charSet) isSubsetOf(bytes *[256]bool) bool {
	if len(s.wide) > 0 {
		return false
	}
	for b := range utf8.RuneSelf {
		if s.hasByte(byte(b)) && !bytes[b] {
			return false
		}
	}
	return true
}

// The classes of ECMAScript without the u and i flags: \d and \w are ASCII, \s and the line ends
// are not.
var (
	digitRanges = []runeRange{{'0', '9'}}
	wordRanges  = []runeRange{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	spaceRanges = []runeRange{
		{'\t', '\r'}, {' ', ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A},
		{0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF},
	}
	lineEndRanges = []runeRange{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}
)

// lookUpClass returns the ranges of the escapes \d \D \s \S \w \W.
func lookUpClass(escape rune) ([]runeRange, bool) {
	switch escape {
	case 'd':
		return digitRanges, true
	case 'D':
		return complementRanges(digitRanges), true
	case 's':
		return spaceRanges, true
	case 'S':
		return complementRanges(spaceRanges), true
	case 'w':
		return wordRanges, true
	case 'W':
		return complementRanges(wordRanges), true
	}
	return nil, false
}

func isWordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b == '_' || b >= 'a' && b <= 'z'
}
