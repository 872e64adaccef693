package jsregexp

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// machine runs a program over one text by backtracking, on its own stack.
type machine struct {
	re        *Regexp
	text      string
	steps     int
	stack     []choicePoint
	registers []int

	// The memory of a linear program, one bit for each split and position. A split that was entered and left without a match never
	// leads to one. In a look-around, matched holds the splits that led to a match, and path the splits on the machine's current
	// way.
	entered, matched []uint64
	path             []int
}

// choicePoint is a choice to come back to or, with a negative pc, the old value of a register (in pos).
type choicePoint struct {
	pc   int32
	pos  int
	path int
}

// maxMemo bounds the bits of memory for one text (8 MB in each of two maps).
const maxMemo = 1 << 26

// reset prepares a search. It reports false when the text is too long for the program's memory.
func (m *machine) reset(re *Regexp, s string, steps int) bool {
	m.re, m.text, m.steps = re, s, steps
	m.stack, m.path = m.stack[:0], m.path[:0]
	m.registers = slices.Grow(m.registers[:0], re.registers)[:re.registers]
	if !re.isLinear {
		return true
	}
	bits := re.splits * (len(s) + 1)
	if bits > maxMemo {
		return false
	}
	words := bits/64 + 1
	m.steps -= words / 2
	m.entered = zeroWords(m.entered, words)
	m.matched = zeroWords(m.matched, words)
	return true
}

func zeroWords(words []uint64, n int) []uint64 {
	words = slices.Grow(words[:0], n)[:n]
	clear(words)
	return words
}

func (m *machine) isSpent() bool { return m.steps < 0 }

// matchAt tries the pattern at one position.
func (m *machine) matchAt(pos int) (end int, ok bool) {
	for i := range m.registers {
		m.registers[i] = -1
	}
	m.stack = m.stack[:0]
	end, ok = m.runFrom(m.re.entry, pos)
	for _, state := range m.path { // they led to a match and can do so again
		m.entered[state>>6] &^= 1 << (state & 63)
	}
	m.path = m.path[:0]
	return end, ok
}

// runFrom follows the program until a match, or until no choice is left above the height that the stack had at the start.
func (m *machine) runFrom(pc int32, pos int) (end int, ok bool) {
	base, onPath := len(m.stack), len(m.path)
	for {
		if m.steps--; m.isSpent() {
			return 0, false
		}
		in := &m.re.prog[pc]
		ok := false
		switch in.op {
		case iMatch:
			return pos, true
		case iSplit:
			if m.re.isLinear {
				state := pos*m.re.splits + int(in.index)
				word, bit := state>>6, uint64(1)<<(state&63)
				if m.matched[word]&bit != 0 {
					return pos, true
				}
				if m.entered[word]&bit != 0 {
					break
				}
				m.entered[word] |= bit
				m.path = append(m.path, state)
			}
			m.stack = append(m.stack, choicePoint{in.alt, pos, len(m.path)})
			ok = true
		case iByte:
			if !in.leftwards {
				ok = pos < len(m.text) && m.text[pos] == in.char
				pos++
			} else {
				ok = pos > 0 && m.text[pos-1] == in.char
				pos--
			}
		case iSet:
			pos, ok = m.takeSet(in, pos)
		case iLook:
			ok = m.lookAround(in, pos) != in.isNegated
		case iBackref:
			pos, ok = m.takeGroup(in, pos)
		case iSave, iForget:
			m.writeRegisters(in, pos)
			ok = true
		case iProgress:
			ok = m.registers[in.index] != pos
		default:
			ok = m.holdsAssertion(in.op, pos)
		}
		if ok {
			pc = in.next
			continue
		}
		if pc, pos, ok = m.backtrack(base); !ok {
			m.path = m.path[:onPath]
			return 0, false
		}
	}
}

// backtrack takes the last choice off the stack, and undoes the changes of the registers since.
func (m *machine) backtrack(base int) (pc int32, pos int, ok bool) {
	for len(m.stack) > base {
		f := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if f.pc >= 0 {
			m.path = m.path[:f.path]
			return f.pc, f.pos, true
		}
		m.registers[-1-f.pc] = f.pos
	}
	return 0, 0, false
}

func (m *machine) writeRegisters(in *instruction, pos int) {
	if in.op == iSave {
		m.setRegister(in.index, pos)
		return
	}
	for index := in.index; index < in.endIndex; index++ {
		m.setRegister(index, -1)
	}
}

// setRegister leaves the old value on the stack, so that backtrack restores it.
func (m *machine) setRegister(reg int32, value int) {
	m.stack = append(m.stack, choicePoint{pc: -1 - reg, pos: m.registers[reg]})
	m.registers[reg] = value
}

func (m *machine) takeSet(in *instruction, pos int) (int, bool) {
	if in.leftwards {
		if pos == 0 {
			return pos, false
		}
		r, size := utf8.DecodeLastRuneInString(m.text[:pos])
		return pos - size, in.set.hasRune(r)
	}
	if pos >= len(m.text) {
		return pos, false
	}
	if b := m.text[pos]; b < utf8.RuneSelf {
		return pos + 1, in.set.hasByte(b)
	}
	r, size := utf8.DecodeRuneInString(m.text[pos:])
	return pos + size, in.set.hasRune(r)
}

// takeGroup takes the captured text of a group again; a group that captured nothing takes nothing.
func (m *machine) takeGroup(in *instruction, pos int) (int, bool) {
	from, to := m.registers[2*in.index], m.registers[2*in.index+1]
	if from < 0 || to < 0 {
		return pos, true
	}
	text := m.text[from:to]
	m.steps -= len(text) / bytesPerStep
	if in.ignoreCase {
		return m.takeIgnoringCase(in.leftwards, text, pos)
	}
	if in.leftwards {
		return pos - len(text), strings.HasSuffix(m.text[:pos], text)
	}
	return pos + len(text), strings.HasPrefix(m.text[pos:], text)
}

// takeIgnoringCase takes as many characters as the text has, equal except for their case.
func (m *machine) takeIgnoringCase(back bool, text string, pos int) (int, bool) {
	from, to := pos, pos
	for range utf8.RuneCountInString(text) {
		switch {
		case back && from > 0:
			_, size := utf8.DecodeLastRuneInString(m.text[:from])
			from -= size
		case !back && to < len(m.text):
			_, size := utf8.DecodeRuneInString(m.text[to:])
			to += size
		default:
			return pos, false
		}
	}
	if back {
		return from, equalIgnoringCase(m.text[from:pos], text)
	}
	return to, equalIgnoringCase(m.text[pos:to], text)
}

// lookAround runs the body of a look-around. It is atomic: its choices are not tried again.
func (m *machine) lookAround(in *instruction, pos int) bool {
	base, onPath := len(m.stack), len(m.path)
	_, ok := m.runFrom(in.alt, pos)
	if !ok {
		return false
	}
	for _, state := range m.path[onPath:] {
		m.matched[state>>6] |= 1 << (state & 63)
	}
	m.path = m.path[:onPath]
	kept := m.stack[:base]
	for _, f := range m.stack[base:] {
		if f.pc < 0 {
			kept = append(kept, f)
		}
	}
	m.stack = kept
	if in.isNegated {
		for len(m.stack) > base {
			m.backtrack(base)
		}
	}
	return true
}

func (m *machine) holdsAssertion(assertion opcode, pos int) bool {
	switch assertion {
	case iStart:
		return pos == 0
	case iEnd:
		return pos == len(m.text)
	case iLineStart:
		r, _ := utf8.DecodeLastRuneInString(m.text[:pos])
		return pos == 0 || isLineEnd(r)
	case iLineEnd:
		r, _ := utf8.DecodeRuneInString(m.text[pos:])
		return pos == len(m.text) || isLineEnd(r)
	case iWordBoundary:
		return m.isWordBoundary(pos)
	}
	return !m.isWordBoundary(pos)
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029 }

func (m *machine) isWordBoundary(pos int) bool {
	before := pos > 0 && isWordByte(m.text[pos-1])
	after := pos < len(m.text) && isWordByte(m.text[pos])
	return before != after
}
