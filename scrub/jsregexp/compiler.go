package jsregexp

import (
	"errors"
	"unicode/utf8"
)

// opcode is the action of an instruction.
type opcode uint8

const (
	iByte            opcode = iota // take the ASCII character char
	iSet                           // take one character of set
	iSplit                         // try next, then alt; index numbers the split
	iMatch                         // done
	iStart                         // only at the start of the text
	iEnd                           // only at its end
	iLineStart                     // only at the start of a line
	iLineEnd                       // only at its end
	iWordBoundary                  // only at a word boundary
	iNotWordBoundary               // only elsewhere
	iLook                          // only if alt leads to a match (or, when negated, does not)
	iBackref                       // take the text that the group of that index captured
	iSave                          // keep the position in the register of that index
	iForget                        // empty the registers from index up to, not including, endIndex
	iProgress                      // only when the position is not the one in the register
)

// instruction is one step of a program, which continues at next. With leftwards, as in a look-behind, it takes the text before
// the position.
type instruction struct {
	op         opcode
	char       byte
	leftwards  bool
	isNegated  bool
	ignoreCase bool
	next       int32
	alt        int32
	index      int32
	endIndex   int32
	set        *charSet
}

// maxProgram bounds the instructions of a program: {n} copies its part n times.
const maxProgram = 5000

var errTooLarge = errors.New("the pattern repeats too much: a {n,m} copies its part m times")

// compiler writes a program from its end to its start: every part is compiled with its continuation.
type compiler struct {
	prog          []instruction
	nodes         int // compiled so far, including copies
	splits        int32
	registers     int32
	needsCaptures bool // the pattern looks leftwards at captured texts
}

func (c *compiler) emit(in instruction) int32 {
	c.prog = append(c.prog, in)
	return int32(len(c.prog) - 1)
}

func (c *compiler) isTooLarge() bool { return c.nodes > maxProgram }

// compileNode writes the node so that next follows it, and returns where the node begins.
func (c *compiler) compileNode(n *node, next int32, leftwards bool) int32 {
	if c.nodes++; c.isTooLarge() {
		return next
	}
	switch n.op {
	case opChar:
		if n.char < utf8.RuneSelf {
			return c.emit(instruction{op: iByte, char: byte(n.char), next: next, leftwards: leftwards})
		}
		return c.emit(instruction{op: iSet, set: newSet([]runeRange{{n.char, n.char}}, false), next: next, leftwards: leftwards})
	case opSet:
		return c.emit(instruction{op: iSet, set: n.set, next: next, leftwards: leftwards})
	case opConcat:
		for i := range n.kids {
			kid := n.kids[i]
			if !leftwards {
				kid = n.kids[len(n.kids)-1-i]
			}
			next = c.compileNode(kid, next, leftwards)
		}
		return next
	case opAlt:
		entry := c.compileNode(n.kids[len(n.kids)-1], next, leftwards)
		for i := len(n.kids) - 2; i >= 0; i-- {
			entry = c.emitSplit(c.compileNode(n.kids[i], next, leftwards), entry)
		}
		return entry
	case opRepeat:
		return c.compileRepeat(n, next, leftwards)
	case opGroup:
		return c.compileGroup(n, next, leftwards)
	case opBackref:
		return c.emit(instruction{op: iBackref, index: int32(n.group), ignoreCase: n.ignoreCase, next: next, leftwards: leftwards})
	case opLook:
		body := c.compileNode(n.kids[0], c.emit(instruction{op: iMatch}), n.looksBehind)
		return c.emit(instruction{op: iLook, alt: body, isNegated: n.isNegated, next: next})
	}
	if op, ok := assertions[n.op]; ok {
		return c.emit(instruction{op: op, next: next})
	}
	return next
}

var assertions = map[op]opcode{
	opStart: iStart, opEnd: iEnd, opLineStart: iLineStart, opLineEnd: iLineEnd,
	opWordBoundary: iWordBoundary, opNotWordBoundary: iNotWordBoundary,
}

func (c *compiler) emitSplit(first, second int32) int32 {
	pc := c.emit(instruction{op: iSplit, next: first, alt: second, index: c.splits})
	c.splits++
	return pc
}

// emitChoice writes the split between another repetition and the continuation.
func (c *compiler) emitChoice(n *node, body, next int32) int32 {
	if n.isLazy {
		return c.emitSplit(next, body)
	}
	return c.emitSplit(body, next)
}

func (c *compiler) compileGroup(n *node, next int32, leftwards bool) int32 {
	if !c.needsCaptures {
		return c.compileNode(n.kids[0], next, leftwards)
	}
	first, last := int32(2*n.group), int32(2*n.group+1)
	if leftwards {
		first, last = last, first
	}
	end := c.emit(instruction{op: iSave, index: last, next: next})
	return c.emit(instruction{op: iSave, index: first, next: c.compileNode(n.kids[0], end, leftwards)})
}

func (c *compiler) compileRepeat(n *node, next int32, leftwards bool) int32 {
	entry := next
	if n.max == unlimited {
		entry = c.emitChoice(n, 0, next)
		body := c.compileRepetition(n, entry, leftwards, true)
		if n.isLazy {
			c.prog[entry].alt = body
		} else {
			c.prog[entry].next = body
		}
	} else {
		for range n.max - n.min {
			if c.isTooLarge() {
				break
			}
			entry = c.emitChoice(n, c.compileRepetition(n, entry, leftwards, true), next)
		}
	}
	for range n.min {
		if c.isTooLarge() {
			break
		}
		entry = c.compileRepetition(n, entry, leftwards, false)
	}
	return entry
}

// compileRepetition writes one repetition. An optional one counts only if it takes something.
func (c *compiler) compileRepetition(n *node, next int32, leftwards, optional bool) int32 {
	mark := int32(-1)
	if optional && n.mayLoopOnNothing() {
		mark = c.registers
		c.registers++
		next = c.emit(instruction{op: iProgress, index: mark, next: next})
	}
	entry := c.compileNode(n.kids[0], next, leftwards)
	if mark >= 0 {
		entry = c.emit(instruction{op: iSave, index: mark, next: entry})
	}
	if c.needsCaptures && n.innerGroups.end > n.innerGroups.first {
		entry = c.emit(instruction{op: iForget, index: int32(2 * n.innerGroups.first), endIndex: int32(2 * n.innerGroups.end), next: entry})
	}
	return entry
}

// findFirstBytes returns the bytes that can begin a match, in the program from its entry.
func findFirstBytes(prog []instruction, entry int32) *[256]bool {
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
			first[in.char] = true
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
