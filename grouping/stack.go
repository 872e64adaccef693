package grouping

import (
	"bytes"
	"slices"

	"errand/core"
)

const (
	maxFrameKeys   = 50 // keys of one stack, those nearest the crash
	maxRoundFrames = 4  // frames of a recursion's round
	minRepeats     = 3  // how often a frame of an overflowing recursion is in its stack
)

// writeStack writes what the frames say, nearest the crash first, and reports whether there was anything. It is vague when
// the frame of the crash itself says nothing, so that the same calls may lead to different errors.
func (d *digest) writeStack(frames []core.Frame, lang language) (used, vague bool) {
	silent := false // there are frames that should have said something
	for _, s := range frameSelections {
		if s.withRuntime && silent {
			break
		}
		used, isVague := d.writeFrameKeys(frames, s, lang)
		if used {
			return true, isVague || silent
		}
		silent = silent || isVague
	}
	return false, false
}

// writeFrameKeys writes the key of each selected frame, recursion folded.
func (d *digest) writeFrameKeys(frames []core.Frame, s frameSelection, lang language) (used, vague bool) {
	var ends [maxFrameKeys + 1]int // where each key ends in the buffer
	ends[0] = len(d.buf)
	n, crashSeen := 0, false
	for i := range frames {
		f := &frames[i]
		if !s.selects(frames, i, lang) || crashSeen && isDecoratorWrapper(f, lang) {
			continue
		}
		start := d.openPart()
		what := d.writeFrame(f, lang)
		if !crashSeen {
			crashSeen, vague = true, what != holdsCode
		}
		if what == holdsNothing {
			d.buf = d.buf[:ends[n]]
			continue
		}
		d.closePart(start)
		n++
		ends[n] = len(d.buf)
		n = d.foldRecursion(ends[:], n)
		if n == maxFrameKeys {
			break
		}
	}
	return n > 0, vague
}

// foldRecursion drops the last keys when they repeat those just before them: however deep a recursion goes, it gives one round.
func (d *digest) foldRecursion(ends []int, n int) int {
	for round := 1; round <= maxRoundFrames && 2*round <= n; round++ {
		from, middle, to := ends[n-2*round], ends[n-round], ends[n]
		if bytes.Equal(d.buf[from:middle], d.buf[middle:to]) {
			d.buf = d.buf[:middle]
			return n - round
		}
	}
	return n
}

// isStackOverflow reports whether the exception is the end of an endless recursion, in the words of each runtime.
func isStackOverflow(x *core.Exception) bool {
	switch x.Type {
	case "RecursionError", "StackOverflowError", "java.lang.StackOverflowError", "SystemStackError",
		"StackOverflowException", "System.StackOverflowException":
		return true
	case "RangeError", "InternalError", "Error":
		wording, _ := unifyBrowserWording(firstLine(string(x.Value)))
		return wording == endlessRecursion
	}
	return false
}

// writeRecursion writes the frames of an endless recursion, and reports whether there was one. The stack runs out at any of
// them, or in a call from one of them, so neither the order nor the frame of the crash says anything.
func (d *digest) writeRecursion(frames []core.Frame, lang language) bool {
	times := map[string]int{}
	var round []string
	for i := range frames {
		start := len(d.buf)
		if isRuntimeFrame(frames, i, lang) || d.writeFrame(&frames[i], lang) == holdsNothing {
			d.buf = d.buf[:start]
			continue
		}
		key := string(d.buf[start:])
		d.buf = d.buf[:start]
		if times[key]++; times[key] == minRepeats {
			round = append(round, key)
		}
	}
	slices.Sort(round)
	for _, key := range round {
		d.writePart(key)
	}
	return len(round) > 0
}
