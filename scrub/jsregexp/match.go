package jsregexp

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// machine runs a program over one text by backtracking, on a stack of its own.
type machine struct {
	re    *Regexp
	s     string
	steps int
	stack []frame
	regs  []int

	// For linear programs: the splits that were entered at a position, one bit each. A split that was left without a
	// match will never give one. In a look-around, good are those that led to a match. path is the splits on the way
	// that the machine is on.
	seen, good []uint64
	path       []int
}

// frame is a choice to come back to or, with a negative pc, the old value of a register.
type frame struct {
	pc   int32
	pos  int
	path int
}

// maxMemo bounds the bits of memory for one text (8 MB in each of two maps).
const maxMemo = 1 << 26

// reset prepares a search; false when the text is too long for the program or the steps do not suffice.
func (m *machine) reset(re *Regexp, s string, steps int) bool {
	m.re, m.s, m.steps = re, s, steps
	m.stack, m.path = m.stack[:0], m.path[:0]
	m.regs = slices.Grow(m.regs[:0], re.regs)[:re.regs]
	if !re.linear {
		return true
	}
	bits := re.splits * (len(s) + 1)
	if bits > maxMemo {
		return false
	}
	words := bits/64 + 1
	m.steps -= words / 2
	m.seen = cleared(m.seen, words)
	m.good = cleared(m.good, words)
	return true
}

func cleared(words []uint64, n int) []uint64 {
	words = slices.Grow(words[:0], n)[:n]
	clear(words)
	return words
}

func (m *machine) spent() bool { return m.steps < 0 }

// match tries the pattern at one position.
func (m *machine) match(pos int) (end int, ok bool) {
	for i := range m.regs {
		m.regs[i] = -1
	}
	m.stack = m.stack[:0]
	end, ok = m.run(m.re.entry, pos)
	for _, state := range m.path { // they led to a match and can do so again
		m.seen[state>>6] &^= 1 << (state & 63)
	}
	m.path = m.path[:0]
	return end, ok
}

// run follows the program until a match, or until no choice is left above the stack's height at its start.
func (m *machine) run(pc int32, pos int) (end int, ok bool) {
	base, onPath := len(m.stack), len(m.path)
	for {
		if m.steps--; m.spent() {
			return 0, false
		}
		in := &m.re.prog[pc]
		ok := false
		switch in.op {
		case iMatch:
			return pos, true
		case iSplit:
			if m.re.linear {
				state := pos*m.re.splits + int(in.n)
				word, bit := state>>6, uint64(1)<<(state&63)
				if m.good[word]&bit != 0 {
					return pos, true
				}
				if m.seen[word]&bit != 0 {
					break
				}
				m.seen[word] |= bit
				m.path = append(m.path, state)
			}
			m.stack = append(m.stack, frame{in.alt, pos, len(m.path)})
			ok = true
		case iByte:
			if !in.back {
				ok = pos < len(m.s) && m.s[pos] == in.b
				pos++
			} else {
				ok = pos > 0 && m.s[pos-1] == in.b
				pos--
			}
		case iSet:
			pos, ok = m.takeSet(in, pos)
		case iLook:
			ok = m.look(in, pos) != in.negate
		case iBackref:
			pos, ok = m.takeGroup(in, pos)
		case iSave:
			m.set(in.n, pos)
			ok = true
		case iForget:
			for n := in.n; n < in.end; n++ {
				m.set(n, -1)
			}
			ok = true
		case iProgress:
			ok = m.regs[in.n] != pos
		default:
			ok = m.holds(in.op, pos)
		}
		if ok {
			pc = in.next
			continue
		}
		if pc, pos, ok = m.back(base); !ok {
			m.path = m.path[:onPath]
			return 0, false
		}
	}
}

// back takes the last choice off the stack, undoing what was done to the registers since.
func (m *machine) back(base int) (pc int32, pos int, ok bool) {
	for len(m.stack) > base {
		f := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if f.pc >= 0 {
			m.path = m.path[:f.path]
			return f.pc, f.pos, true
		}
		m.regs[-1-f.pc] = f.pos
	}
	return 0, 0, false
}

func (m *machine) set(reg int32, value int) {
	m.stack = append(m.stack, frame{pc: -1 - reg, pos: m.regs[reg]})
	m.regs[reg] = value
}

func (m *machine) takeSet(in *inst, pos int) (int, bool) {
	if in.back {
		if pos == 0 {
			return pos, false
		}
		r, size := utf8.DecodeLastRuneInString(m.s[:pos])
		return pos - size, in.set.has(r)
	}
	if pos >= len(m.s) {
		return pos, false
	}
	if b := m.s[pos]; b < utf8.RuneSelf {
		return pos + 1, in.set.hasByte(b)
	}
	r, size := utf8.DecodeRuneInString(m.s[pos:])
	return pos + size, in.set.has(r)
}

// takeGroup takes the text of a group again; a group that captured nothing matches nothing.
func (m *machine) takeGroup(in *inst, pos int) (int, bool) {
	from, to := m.regs[2*in.n], m.regs[2*in.n+1]
	if from < 0 || to < 0 {
		return pos, true
	}
	text := m.s[from:to]
	m.steps -= len(text) / skipped
	if in.anyCase {
		return m.takeAnyCase(in.back, text, pos)
	}
	if in.back {
		return pos - len(text), strings.HasSuffix(m.s[:pos], text)
	}
	return pos + len(text), strings.HasPrefix(m.s[pos:], text)
}

// takeAnyCase takes as many characters as the text has, equal but for their case.
func (m *machine) takeAnyCase(back bool, text string, pos int) (int, bool) {
	from, to := pos, pos
	for range utf8.RuneCountInString(text) {
		switch {
		case back && from > 0:
			_, size := utf8.DecodeLastRuneInString(m.s[:from])
			from -= size
		case !back && to < len(m.s):
			_, size := utf8.DecodeRuneInString(m.s[to:])
			to += size
		default:
			return pos, false
		}
	}
	if back {
		return from, equalAnyCase(m.s[from:pos], text)
	}
	return to, equalAnyCase(m.s[pos:to], text)
}

// look runs the body of a look-around. It is atomic: no choice of it is come back to.
func (m *machine) look(in *inst, pos int) bool {
	base, onPath := len(m.stack), len(m.path)
	_, ok := m.run(in.alt, pos)
	if !ok {
		return false
	}
	for _, state := range m.path[onPath:] {
		m.good[state>>6] |= 1 << (state & 63)
	}
	m.path = m.path[:onPath]
	kept := m.stack[:base]
	for _, f := range m.stack[base:] {
		if f.pc < 0 {
			kept = append(kept, f)
		}
	}
	m.stack = kept
	if in.negate {
		for len(m.stack) > base {
			m.back(base)
		}
	}
	return true
}

func (m *machine) holds(assertion code, pos int) bool {
	switch assertion {
	case iStart:
		return pos == 0
	case iEnd:
		return pos == len(m.s)
	case iLineStart:
		r, _ := utf8.DecodeLastRuneInString(m.s[:pos])
		return pos == 0 || isLineEnd(r)
	case iLineEnd:
		r, _ := utf8.DecodeRuneInString(m.s[pos:])
		return pos == len(m.s) || isLineEnd(r)
	case iWordB:
		return m.wordBoundary(pos)
	}
	return !m.wordBoundary(pos)
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029 }

func (m *machine) wordBoundary(pos int) bool {
	before := pos > 0 && isWordByte(m.s[pos-1])
	after := pos < len(m.s) && isWordByte(m.s[pos])
	return before != after
}
