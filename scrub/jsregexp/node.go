package jsregexp

// op is the kind of a node in a parsed pattern.
type op uint8

const (
	opEmpty           op = iota
	opChar               // r
	opSet                // set
	opConcat             // kids in order
	opAlt                // one of the kids
	opRepeat             // kids[0], min to max times
	opGroup              // kids[0], captured as group
	opBackref            // the text that group captured
	opStart              // ^
	opEnd                // $
	opLineStart          // ^ in (?m:...)
	opLineEnd            // $ in (?m:...)
	opWordBoundary       // \b
	opNotWordBoundary    // \B
	opLook               // kids[0] ahead or behind, or not
)

// node is one part of a parsed pattern.
type node struct {
	op          op
	char        rune
	set         *charSet
	kids        []*node
	min, max    int // max is unlimited for no upper bound
	isLazy      bool
	group       int
	ignoreCase  bool       // opBackref: in (?i:...)
	innerGroups groupRange // opRepeat: the groups that a new repetition forgets
	looksBehind bool
	isNegated   bool
}

// groupRange holds the capturing groups from first up to, not including, end.
type groupRange struct{ first, end int }

// isAssertion reports whether the node takes no text.
func (n *node) isAssertion() bool {
	return n.op >= opStart && n.op <= opLook
}
