package jsregexp

import (
	"errors"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// flags are those that a group can set for what is in it: (?i:...), (?m-s:...).
type flags struct{ anyCase, multiline, dotAll bool }

// pick gives the second operation under the m flag.
func (f flags) pick(whole, line op) op {
	if f.multiline {
		return line
	}
	return whole
}

var errGroup = errors.New("the group after (? is of no known kind")

// modifiers reads the flags of a group up to the colon.
func (p *parser) modifiers() error {
	end := strings.IndexByte(p.s[p.pos:], ':')
	if end < 0 {
		return errGroup
	}
	on, off, dash := strings.Cut(p.s[p.pos:p.pos+end], "-")
	p.pos += end + 1
	if on+off == "" && dash || !distinct(on+off) {
		return errGroup
	}
	return errors.Join(p.flags.set(on, true), p.flags.set(off, false))
}

func distinct(s string) bool {
	for i := range len(s) {
		if strings.IndexByte(s[i+1:], s[i]) >= 0 {
			return false
		}
	}
	return true
}

func (f *flags) set(letters string, to bool) error {
	for _, c := range letters {
		switch c {
		case 'i':
			f.anyCase = to
		case 'm':
			f.multiline = to
		case 's':
			f.dotAll = to
		default:
			return errGroup
		}
	}
	return nil
}

// char makes the node of one character, of both cases under the i flag.
func (p *parser) char(r rune) *node {
	if p.flags.anyCase {
		if ranges := inAnyCase([]runeRange{{r, r}}); len(ranges) > 1 {
			return &node{op: opSet, set: newSet(ranges, false)}
		}
	}
	return &node{op: opChar, r: r}
}

// canonical is what two characters share that match each other under the i flag: the upper case, unless that would
// take a character into ASCII.
func canonical(r rune) rune {
	upper := unicode.ToUpper(r)
	if r >= utf8.RuneSelf && upper < utf8.RuneSelf || r > 0xFFFF {
		return r
	}
	return upper
}

// cases maps a canonical character to all that share it, where there are others.
var cases = sync.OnceValue(func() map[rune][]rune {
	m := map[rune][]rune{}
	for r := rune(0); r <= 0xFFFF; r++ {
		if c := canonical(r); c != r {
			if m[c] == nil {
				m[c] = []rune{c}
			}
			m[c] = append(m[c], r)
		}
	}
	return m
})

// inAnyCase adds the other cases of what is in the ranges.
func inAnyCase(ranges []runeRange) []runeRange {
	set := newSet(ranges, false)
	for _, group := range cases() {
		for _, r := range group {
			if set.has(r) {
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

// equalAnyCase compares the characters of two texts under the i flag.
func equalAnyCase(a, b string) bool {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if canonical(ra) != canonical(rb) {
			return false
		}
		a, b = a[na:], b[nb:]
	}
	return a == "" && b == ""
}
