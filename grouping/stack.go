package grouping

import (
	"bytes"
	"slices"

	"errand/core"
)

const (
	maxFrameKeys   = 50 // keys of one stack, nearest the crash
	maxRoundFrames = 4  // frames in one round of a recursion
	minRepeats     = 3  // how often a frame is at least in the stack of an overflowed recursion
)

// writeStack writes the frames that count, nearest the crash first, and reports whether there were any. The stack is vague when
// the crash frame says nothing: the same calls may then lead to different errors.
func (d *digest) writeStack(frames []core.Frame, lang language) (hasKeys, isVague bool) {
	wasVague := false // frames were selected before, and said nothing
	for _, selection := range frameSelections {
		if selection.withRuntime && wasVague {
			break
		}
		hasKeys, isVague := d.writeFrameKeys(frames, selection, lang)
		if hasKeys {
			return true, isVague || wasVague
		}
		wasVague = wasVague || isVague
	}
	return false, false
}

// writeFrameKeys writes the key of each selected frame; of a recursion it keeps one round.
func (d *digest) writeFrameKeys(frames []core.Frame, selection frameSelection, lang language) (hasKeys, isVague bool) {
	var ends [maxFrameKeys + 1]int // where each key ends in the buffer
	ends[0] = len(d.buf)
	count, crashSeen := 0, false
	for i := range frames {
		frame := &frames[i]
		if !selection.selectsFrame(frames, i, lang) || crashSeen && isDecoratorWrapper(frame, lang) {
			continue
		}
		start := d.openPart()
		content := d.writeFrame(frames, i, lang)
		if !crashSeen {
			crashSeen, isVague = true, content != holdsCode
		}
		if content == holdsNothing {
			d.buf = d.buf[:ends[count]]
			continue
		}
		d.closePart(start)
		count++
		ends[count] = len(d.buf)
		count = d.foldRecursion(ends[:], count)
		if count == maxFrameKeys {
			break
		}
	}
	return count > 0, isVague
}

// foldRecursion drops the last keys when they repeat the ones just before them, and returns how many are left: a recursion has
// the same keys at every depth.
func (d *digest) foldRecursion(ends []int, count int) int {
	for round := 1; round <= maxRoundFrames && 2*round <= count; round++ {
		from, middle, to := ends[count-2*round], ends[count-round], ends[count]
		if bytes.Equal(d.buf[from:middle], d.buf[middle:to]) {
			d.buf = d.buf[:middle]
			return count - round
		}
	}
	return count
}

// isStackOverflow reports whether the exception ends an endless recursion. Each runtime has its own words for it.
func isStackOverflow(exception *core.Exception) bool {
	switch exception.Type {
	case "RecursionError", "StackOverflowError", "java.lang.StackOverflowError", "SystemStackError",
		"StackOverflowException", "System.StackOverflowException":
		return true
	case "RangeError", "InternalError", "Error":
		wording, _ := unifyBrowserWording(firstLine(string(exception.Value)))
		return wording == endlessRecursion
	}
	return false
}

// writeRecursion writes the frames of an endless recursion, and reports whether there was one. They are sorted, because the stack
// runs out at any of them, or in a call from one of them.
func (d *digest) writeRecursion(frames []core.Frame, lang language) bool {
	times := map[string]int{}
	var round []string
	for i := range frames {
		start := len(d.buf)
		if isRuntimeFrame(frames, i, lang) || d.writeFrame(frames, i, lang) == holdsNothing {
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
