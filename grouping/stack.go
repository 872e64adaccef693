package grouping

import (
	"bytes"
	"slices"

	"errand/core"
)

const (
	maxKeys  = 50 // keys of one stack, those nearest the crash
	maxCycle = 4  // frames of a recursion's round
	minTimes = 3  // how often a frame of an overflowing recursion is in its stack
)

// selection says which frames of a stack count.
type selection struct {
	inApp   bool // the application's own only
	runtime bool // those of the language's runtime, too
}

// selections are the frames to try, best first: the next is tried when no frame of one says anything. Those of the
// runtime are the last resort of stacks that have no others.
var selections = [...]selection{
	{inApp: true},
	{},
	{runtime: true},
}

func (s selection) has(frames []core.Frame, i int, lang language) bool {
	return (frames[i].InApp || !s.inApp) && (s.runtime || !isRuntime(frames, i, lang))
}

// stack writes what the frames say, nearest the crash first, and reports whether there was anything. It is vague when
// the frame of the crash itself says nothing, so that the same calls may lead to different errors.
func (d *digest) stack(frames []core.Frame, lang language) (used, vague bool) {
	silent := false // there are frames that should have said something
	for _, s := range selections {
		if s.runtime && silent {
			break
		}
		used, isVague := d.keys(frames, s, lang)
		if used {
			return true, isVague || silent
		}
		silent = silent || isVague
	}
	return false, false
}

// keys writes the key of each selected frame, recursion folded.
func (d *digest) keys(frames []core.Frame, s selection, lang language) (used, vague bool) {
	var ends [maxKeys + 1]int // where each key ends in the buffer
	ends[0] = len(d.buf)
	n, crashSeen := 0, false
	for i := range frames {
		f := &frames[i]
		if !s.has(frames, i, lang) || crashSeen && isWrapper(f, lang) {
			continue
		}
		start := d.open()
		what := d.frame(f, lang)
		if !crashSeen {
			crashSeen, vague = true, what != code
		}
		if what == nothing {
			d.buf = d.buf[:ends[n]]
			continue
		}
		d.close(start)
		n++
		ends[n] = len(d.buf)
		n = d.fold(ends[:], n)
		if n == maxKeys {
			break
		}
	}
	return n > 0, vague
}

// fold drops the last keys when they repeat those just before them: however deep a recursion goes, it gives one round.
func (d *digest) fold(ends []int, n int) int {
	for round := 1; round <= maxCycle && 2*round <= n; round++ {
		from, middle, to := ends[n-2*round], ends[n-round], ends[n]
		if bytes.Equal(d.buf[from:middle], d.buf[middle:to]) {
			d.buf = d.buf[:middle]
			return n - round
		}
	}
	return n
}

// overflows reports whether the exception is the end of an endless recursion, in the words of each runtime.
func overflows(x *core.Exception) bool {
	switch x.Type {
	case "RecursionError", "StackOverflowError", "java.lang.StackOverflowError", "SystemStackError",
		"StackOverflowException", "System.StackOverflowException":
		return true
	case "RangeError", "InternalError", "Error":
		wording, _ := browserWording(firstLine(string(x.Value)))
		return wording == endlessRecursion
	}
	return false
}

// cycle writes the frames of an endless recursion, and reports whether there was one. The stack runs out at any of
// them, or in a call from one of them, so neither the order nor the frame of the crash says anything.
func (d *digest) cycle(frames []core.Frame, lang language) bool {
	times := map[string]int{}
	var round []string
	for i := range frames {
		start := len(d.buf)
		if isRuntime(frames, i, lang) || d.frame(&frames[i], lang) == nothing {
			d.buf = d.buf[:start]
			continue
		}
		key := string(d.buf[start:])
		d.buf = d.buf[:start]
		if times[key]++; times[key] == minTimes {
			round = append(round, key)
		}
	}
	slices.Sort(round)
	for _, key := range round {
		d.part(key)
	}
	return len(round) > 0
}
