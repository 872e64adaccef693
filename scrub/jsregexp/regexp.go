package jsregexp

import (
	"strings"
	"sync"
)

// Regexp is a compiled pattern. It is safe for concurrent use.
type Regexp struct {
	root       *node
	prog       []instruction
	entry      int32
	splits     int // how many the program has
	registers  int
	isLinear   bool       // the time of a search grows linearly with the length of every text
	isAnchored bool       // every match begins at the start of the text
	prefix     string     // every match begins with it
	firstBytes *[256]bool // the bytes that can begin a match
	machines   *sync.Pool
}

// Compile reads a pattern. The error is a sentence for the person who wrote the pattern.
func Compile(pattern string) (*Regexp, error) {
	root, groups, err := parsePattern(pattern)
	if err != nil {
		return nil, err
	}
	c := &compiler{needsCaptures: root.containsNode(func(n *node) bool { return n.op == opBackref })}
	if c.needsCaptures {
		c.registers = int32(2 * (groups + 1))
	}
	entry := c.compileNode(root, c.emit(instruction{op: iMatch}), false)
	if c.isTooLarge() {
		return nil, errTooLarge
	}
	var prefix strings.Builder
	root.literalStart(&prefix)
	return &Regexp{
		root:       root,
		prog:       c.prog,
		entry:      entry,
		splits:     int(c.splits),
		registers:  int(c.registers),
		isLinear:   !c.needsCaptures && !root.containsNode((*node).mayLoopOnNothing),
		isAnchored: root.isAnchored(),
		prefix:     prefix.String(),
		firstBytes: findFirstBytes(c.prog, entry),
		machines:   &sync.Pool{New: func() any { return new(machine) }},
	}, nil
}

// Span is the position of a match in a text: the bytes from Start up to, not including, End.
type Span struct{ Start, End int }

// FindAll appends the matches in s that are not empty, first to last, as repeated exec with the g flag finds them. It takes its
// work off steps, and returns false, with some of the matches, when they are used up. s is valid UTF-8.
func (re *Regexp) FindAll(found []Span, s string, steps *int) ([]Span, bool) {
	start := re.findCandidate(s, 0)
	if start < 0 {
		*steps -= 1 + len(s)/bytesPerStep
		return found, *steps >= 0
	}
	m := re.machines.Get().(*machine)
	defer re.machines.Put(m)
	if !m.reset(re, s, *steps) {
		return found, false
	}
	for pos := 0; start >= 0; start = re.findCandidate(s, pos) {
		m.steps -= (start - pos) / bytesPerStep
		end, ok := m.matchAt(start)
		pos = start + runeLength(s[start])
		if ok && end > start {
			found = append(found, Span{start, end})
			pos = end
		}
		if m.isSpent() {
			break
		}
	}
	*steps = m.steps
	return found, !m.isSpent()
}

// bytesPerStep is how many bytes without a candidate cost one step.
const bytesPerStep = 16

// findCandidate returns the first position from pos on where a match can begin, or -1.
func (re *Regexp) findCandidate(s string, pos int) int {
	switch {
	case pos >= len(s), re.isAnchored && pos > 0:
		return -1
	case re.prefix != "":
		if i := strings.Index(s[pos:], re.prefix); i >= 0 {
			return pos + i
		}
		return -1
	}
	for ; pos < len(s); pos++ {
		if re.firstBytes[s[pos]] && s[pos]&0xC0 != 0x80 {
			return pos
		}
	}
	return -1
}

// MatchesEmpty reports whether the pattern matches the empty text.
func (re *Regexp) MatchesEmpty() bool {
	m := new(machine)
	if !m.reset(re, "", 1<<20) {
		return true
	}
	_, ok := m.matchAt(0)
	return ok || m.isSpent()
}

// RequiredLiterals returns a few texts. Every text with a match contains at least one of them. It is nil when the pattern has
// none.
func (re *Regexp) RequiredLiterals() []string { return re.root.requiredLiterals() }

// MinLen returns the least number of characters of a match.
func (re *Regexp) MinLen() int { return re.root.minLen() }

// MinCount returns how many ASCII characters of the given set every match has at least.
func (re *Regexp) MinCount(bytes *[256]bool) int {
	return re.root.countLeast(func(n *node) bool {
		if n.op == opChar {
			return n.char < 0x80 && bytes[n.char]
		}
		return n.set.isSubsetOf(bytes)
	})
}

// runeLength returns the length of the character that begins with b, in valid UTF-8.
func runeLength(b byte) int {
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
