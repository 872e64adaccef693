package jsregexp

// minLen returns the least number of characters that the node takes from the text.
func (n *node) minLen() int {
	return n.countLeast(func(*node) bool { return true })
}

// countLeast counts characters and sets over the shortest way through the node. It counts only those that the function accepts.
func (n *node) countLeast(counts func(*node) bool) int {
	switch n.op {
	case opChar, opSet:
		if counts(n) {
			return 1
		}
	case opConcat, opGroup:
		sum := 0
		for _, kid := range n.kids {
			sum = min(sum+kid.countLeast(counts), unlimited)
		}
		return sum
	case opAlt:
		least := unlimited
		for _, kid := range n.kids {
			least = min(least, kid.countLeast(counts))
		}
		return least
	case opRepeat:
		return min(n.min*min(n.kids[0].countLeast(counts), unlimited), unlimited)
	}
	return 0
}

// containsNode reports whether f is true for the node or one inside it.
func (n *node) containsNode(f func(*node) bool) bool {
	if f(n) {
		return true
	}
	for _, kid := range n.kids {
		if kid.containsNode(f) {
			return true
		}
	}
	return false
}

// mayLoopOnNothing reports whether the node repeats a body that may match nothing. JavaScript ends such a repetition immediately,
// so the continuation depends on where the repetition began.
func (n *node) mayLoopOnNothing() bool {
	return n.op == opRepeat && n.max > n.min && n.kids[0].minLen() == 0
}

// isAnchored reports whether every match begins at the start of the text.
func (n *node) isAnchored() bool {
	switch n.op {
	case opStart:
		return true
	case opConcat, opGroup:
		return len(n.kids) > 0 && n.kids[0].isAnchored()
	case opAlt:
		for _, kid := range n.kids {
			if !kid.isAnchored() {
				return false
			}
		}
		return true
	}
	return false
}
