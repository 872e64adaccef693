package jsregexp

import (
	"strings"
	"sync"
)

// Regexp is a compiled pattern. It is safe for concurrent use.
type Regexp struct {
	root     *node
	prog     []inst
	entry    int32
	splits   int
	regs     int
	linear   bool
	anchored bool
	prefix   string     // every match begins with it
	first    *[256]bool // the bytes with which a match can begin
	machines *sync.Pool
}

// Compile reads a pattern. The error is a sentence that tells a person what is wrong with it.
func Compile(pattern string) (*Regexp, error) {
	root, groups, err := parse(pattern)
	if err != nil {
		return nil, err
	}
	c := &compiler{capture: root.any(func(n *node) bool { return n.op == opBackref })}
	if c.capture {
		c.regs = int32(2 * (groups + 1))
	}
	entry := c.compile(root, c.emit(inst{op: iMatch}), false)
	if c.tooLarge() {
		return nil, errTooLarge
	}
	var prefix strings.Builder
	root.literalStart(&prefix)
	return &Regexp{
		root:     root,
		prog:     c.prog,
		entry:    entry,
		splits:   int(c.splits),
		regs:     int(c.regs),
		linear:   !c.capture && !root.any((*node).mayLoopOnNothing),
		anchored: root.anchored(),
		prefix:   prefix.String(),
		first:    firstBytes(c.prog, entry),
		machines: &sync.Pool{New: func() any { return new(machine) }},
	}, nil
}

// Span is the bytes of a match, from Start up to, not including, End.
type Span struct{ Start, End int }

// FindAll appends the matches in s that are not empty, first to last, as repeated exec with the g flag gives them.
// It takes its work off steps and reports false, with some of the matches, when they are used up. s is valid UTF-8.
func (re *Regexp) FindAll(found []Span, s string, steps *int) ([]Span, bool) {
	start := re.candidate(s, 0)
	if start < 0 {
		*steps -= 1 + len(s)/skipped
		return found, *steps >= 0
	}
	m := re.machines.Get().(*machine)
	defer re.machines.Put(m)
	if !m.reset(re, s, *steps) {
		return found, false
	}
	for pos := 0; start >= 0; start = re.candidate(s, pos) {
		m.steps -= (start - pos) / skipped
		end, ok := m.match(start)
		pos = start + runeLen(s[start])
		if ok && end > start {
			found = append(found, Span{start, end})
			pos = end
		}
		if m.spent() {
			break
		}
	}
	*steps = m.steps
	return found, !m.spent()
}

// skipped is how many bytes without a candidate cost one step.
const skipped = 16

// candidate gives the first position from pos on where a match can begin, or -1.
func (re *Regexp) candidate(s string, pos int) int {
	switch {
	case pos >= len(s), re.anchored && pos > 0:
		return -1
	case re.prefix != "":
		if i := strings.Index(s[pos:], re.prefix); i >= 0 {
			return pos + i
		}
		return -1
	}
	for ; pos < len(s); pos++ {
		if re.first[s[pos]] && s[pos]&0xC0 != 0x80 {
			return pos
		}
	}
	return -1
}

// MatchesEmpty is true when the pattern matches the empty text.
func (re *Regexp) MatchesEmpty() bool {
	m := new(machine)
	if !m.reset(re, "", 1<<20) {
		return true
	}
	_, ok := m.match(0)
	return ok || m.spent()
}

// Linear is true when the time to search a text grows with its length at most, whatever the text.
func (re *Regexp) Linear() bool { return re.linear }

// Literals gives up to a few texts of which any text with a match contains at least one; nil when nothing is known.
func (re *Regexp) Literals() []string { return re.root.literals() }

// MinLen is the least number of characters of a match.
func (re *Regexp) MinLen() int { return re.root.minLen() }

// MinCount is how many characters out of the set of ASCII bytes every match has at least.
func (re *Regexp) MinCount(bytes *[256]bool) int {
	return re.root.least(func(n *node) bool {
		if n.op == opChar {
			return n.r < 0x80 && bytes[n.r]
		}
		return n.set.subsetOf(bytes)
	})
}

// runeLen is the length of the character that begins with b, in valid UTF-8.
func runeLen(b byte) int {
	switch {
	case b < 0xC0:
		return 1
	case b < 0xE0:
		return 2
	case b < 0xF0:
		return 3
	}
	return 4
}
