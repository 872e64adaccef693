package jsregexp

import (
	"errors"
	"unicode/utf8"
)

// code is what an instruction does.
type code uint8

const (
	iByte      code = iota // take the ASCII character b
	iSet                   // take one character of set
	iSplit                 // try next, then alt; n numbers the split
	iMatch                 // done
	iStart                 // only at the start of the text
	iEnd                   // only at its end
	iLineStart             // only at the start of a line
	iLineEnd               // only at its end
	iWordB                 // only at a word boundary
	iNotWordB              // only elsewhere
	iLook                  // only where alt leads to a match (or, with negate, does not)
	iBackref               // take what group n captured
	iSave                  // keep the position in register n
	iForget                // empty the registers from n up to, not including, end
	iProgress              // only when the position is not the one in register n
)

// inst is one instruction. next is the instruction that follows; with back it takes characters leftwards.
type inst struct {
	op      code
	b       byte
	back    bool
	negate  bool
	anyCase bool
	next    int32
	alt     int32
	n       int32
	end     int32
	set     *charSet
}

// maxProgram bounds the instructions of a program, for {n} copies its part n times.
const maxProgram = 5000

var errTooLarge = errors.New("the pattern repeats too much: a {n,m} copies its part m times")

// compiler writes a program from its end to its start: every part is compiled with what follows it.
type compiler struct {
	prog    []inst
	work    int
	splits  int32
	regs    int32
	capture bool // the pattern looks back at what its groups captured
}

func (c *compiler) emit(in inst) int32 {
	c.prog = append(c.prog, in)
	return int32(len(c.prog) - 1)
}

func (c *compiler) tooLarge() bool { return c.work > maxProgram }

// compile emits the node so that next follows it and returns where it begins.
func (c *compiler) compile(n *node, next int32, back bool) int32 {
	if c.work++; c.tooLarge() {
		return next
	}
	switch n.op {
	case opChar:
		if n.r < utf8.RuneSelf {
			return c.emit(inst{op: iByte, b: byte(n.r), next: next, back: back})
		}
		return c.emit(inst{op: iSet, set: newSet([]runeRange{{n.r, n.r}}, false), next: next, back: back})
	case opSet:
		return c.emit(inst{op: iSet, set: n.set, next: next, back: back})
	case opConcat:
		for i := range n.kids {
			kid := n.kids[i]
			if !back {
				kid = n.kids[len(n.kids)-1-i]
			}
			next = c.compile(kid, next, back)
		}
		return next
	case opAlt:
		entry := c.compile(n.kids[len(n.kids)-1], next, back)
		for i := len(n.kids) - 2; i >= 0; i-- {
			entry = c.split(c.compile(n.kids[i], next, back), entry)
		}
		return entry
	case opRepeat:
		return c.repeat(n, next, back)
	case opGroup:
		return c.group(n, next, back)
	case opBackref:
		return c.emit(inst{op: iBackref, n: int32(n.group), anyCase: n.anyCase, next: next, back: back})
	case opLook:
		body := c.compile(n.kids[0], c.emit(inst{op: iMatch}), n.behind)
		return c.emit(inst{op: iLook, alt: body, negate: n.negate, next: next})
	}
	if op, ok := assertions[n.op]; ok {
		return c.emit(inst{op: op, next: next})
	}
	return next
}

var assertions = map[op]code{opStart: iStart, opEnd: iEnd, opLineStart: iLineStart, opLineEnd: iLineEnd, opWordB: iWordB, opNotWordB: iNotWordB}

func (c *compiler) split(first, second int32) int32 {
	pc := c.emit(inst{op: iSplit, next: first, alt: second, n: c.splits})
	c.splits++
	return pc
}

// choose is a split between one more repetition and going on.
func (c *compiler) choose(n *node, body, next int32) int32 {
	if n.lazy {
		return c.split(next, body)
	}
	return c.split(body, next)
}

func (c *compiler) group(n *node, next int32, back bool) int32 {
	if !c.capture {
		return c.compile(n.kids[0], next, back)
	}
	first, last := int32(2*n.group), int32(2*n.group+1)
	if back {
		first, last = last, first
	}
	end := c.emit(inst{op: iSave, n: last, next: next})
	return c.emit(inst{op: iSave, n: first, next: c.compile(n.kids[0], end, back)})
}

func (c *compiler) repeat(n *node, next int32, back bool) int32 {
	entry := next
	if n.max == unlimited {
		entry = c.choose(n, 0, next)
		body := c.again(n, entry, back, true)
		if n.lazy {
			c.prog[entry].alt = body
		} else {
			c.prog[entry].next = body
		}
	} else {
		for range n.max - n.min {
			if c.tooLarge() {
				break
			}
			entry = c.choose(n, c.again(n, entry, back, true), next)
		}
	}
	for range n.min {
		if c.tooLarge() {
			break
		}
		entry = c.again(n, entry, back, false)
	}
	return entry
}

// again is one repetition. An optional one must take something, or it does not count.
func (c *compiler) again(n *node, next int32, back, optional bool) int32 {
	mark := int32(-1)
	if optional && n.mayLoopOnNothing() {
		mark = c.regs
		c.regs++
		next = c.emit(inst{op: iProgress, n: mark, next: next})
	}
	entry := c.compile(n.kids[0], next, back)
	if mark >= 0 {
		entry = c.emit(inst{op: iSave, n: mark, next: entry})
	}
	if c.capture && n.inside.end > n.inside.first {
		entry = c.emit(inst{op: iForget, n: int32(2 * n.inside.first), end: int32(2 * n.inside.end), next: entry})
	}
	return entry
}
