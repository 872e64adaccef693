package prompts

import (
	"fmt"
	"strconv"
	"strings"

	"errand/core"
)

// The limits for stacks.
const (
	linesBefore, linesAfter = 5, 4 // source lines around a frame's line
	maxCodeLine             = 180  // bytes
	maxFrames               = 60   // frames of the app
	maxLibraryFrames        = 8    // of a stack without frames of the app
)

// stacks are the stack traces of an event in the order that explains it: the innermost cause first.
type stacks struct {
	list   []stack
	hasApp bool // a frame of the app is in them
}

type stack struct {
	of     string // its exception or thread, as a heading in a fence
	list   string // exceptions or threads
	owner  int    // the index in that list
	frames []core.Frame
}

// collectStacks returns the stacks of the exceptions, else of the threads that crashed or ran.
func collectStacks(e *core.Event) *stacks {
	s := &stacks{}
	for i := len(e.Exceptions) - 1; i >= 0; i-- {
		x := &e.Exceptions[i]
		s.add(stack{"Stack of " + cleanLine(string(x.Type), maxName) + ", the most recent call first:", "exceptions", i, x.Frames})
	}
	if !s.hasApp {
		for i, t := range e.Threads {
			if t.Crashed || t.Current || len(e.Threads) == 1 {
				s.add(stack{"Stack of thread " + cleanLine(string(t.Name), maxName) + ", the most recent call first:", "threads", i, t.Frames})
			}
		}
	}
	return s
}

func (s *stacks) add(one stack) {
	if len(one.frames) == 0 {
		return
	}
	s.list = append(s.list, one)
	for i := range one.frames {
		s.hasApp = s.hasApp || one.frames[i].InApp
	}
}

func (s *stacks) isEmpty() bool { return len(s.list) == 0 }

// isShown reports whether a frame is shown on its own, not folded.
func (s *stacks) isShown(f *core.Frame) bool { return f.InApp || !s.hasApp }

// listFrames writes the frames of the app, and folds the library frames between them. A frame that repeats, in one
// stack or in several, is shown once. Frames beyond the limits are only counted.
func (s *stacks) listFrames(e *core.Event, limit int) (pieces []piece) {
	shown, most, weight := map[frameKey]bool{}, maxFrames, 0
	if !s.hasApp {
		most = maxLibraryFrames
	}
	for _, stack := range s.list {
		heading, folded, repeated := stack.of+"\n", []int(nil), 0
		if len(s.list) == 1 {
			heading = ""
		}
		for i := range stack.frames {
			f, view := &stack.frames[i], core.ViewFrame(stack.frames, i)
			if !s.isShown(f) {
				folded = append(folded, i)
				continue
			}
			key := frameKey{view.Function, view.File, view.Line}
			if shown[key] {
				repeated++
				continue
			}
			shown[key] = true
			before := heading + foldFrames(stack.frames, folded)
			heading, folded = "", nil
			if len(pieces) >= most || weight > limit {
				pieces = append(pieces, piece{what: "frame", by: byApp})
				continue
			}
			head := before + describeFrame(f, view)
			if e.FindMapProblem(stack.list, stack.owner, i) != "" {
				head += "    (not mapped to its source)\n"
			}
			full := head + renderCode(f, view.Line) + renderVars(f.Vars)
			frame := makeFenced(full).orShort(head + renderLine(f, view.Line)).named("frame")
			weight += frame.weight
			pieces = append(pieces, frame)
		}
		if end := foldFrames(stack.frames, folded) + foldRepeated(repeated); end != "" && heading == "" {
			pieces = append(pieces, makeFenced(end))
		}
	}
	return pieces
}

// frameKey identifies a repeated frame.
type frameKey struct {
	function, file core.Untrusted
	line           core.OptInt
}

// foldFrames summarizes library frames, given by their places in the stack: it names the first and the last.
func foldFrames(frames []core.Frame, folded []int) string {
	switch len(folded) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("  (1 library frame: %s)\n", nameFrame(frames, folded[0]))
	default:
		first, last := nameFrame(frames, folded[0]), nameFrame(frames, folded[len(folded)-1])
		return fmt.Sprintf("  (%d library frames: %s … %s)\n", len(folded), first, last)
	}
}

func foldRepeated(count int) string {
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s repeated from above)\n", countThings(count, "frame"))
}

// nameFrame names a frame in a few words.
func nameFrame(frames []core.Frame, i int) string {
	const most = 60
	view := core.ViewFrame(frames, i)
	name := cleanLine(string(view.Function), most)
	if name == "" {
		name = "?"
	}
	from := frames[i].Module
	if from == "" {
		from = view.File[strings.LastIndexAny(string(view.File), `/\`)+1:]
	}
	if from == "" {
		return name
	}
	return name + " in " + cleanLine(string(from), most)
}

// describeFrame writes the line that says which function is where.
func describeFrame(f *core.Frame, view core.FrameView) string {
	text := cleanLine(string(view.Function), maxName)
	if text == "" {
		text = "(no function)"
	}
	if f.Module != "" && f.Module != view.File && !view.IsMapped && !strings.Contains(string(view.Function), string(f.Module)) {
		text = cleanLine(string(f.Module), maxName) + " " + text
	}
	text += " at " + cleanLine(string(view.File), maxPath)
	if view.Line > 0 {
		text += ":" + strconv.FormatInt(int64(view.Line), 10)
	}
	if view.Column > 0 && !view.IsMapped {
		text += ":" + strconv.FormatInt(int64(view.Column), 10)
	}
	if sent := view.Sent; view.IsMapped {
		name := string(sent.File[strings.LastIndexByte(string(sent.File), '/')+1:])
		text += fmt.Sprintf(" (mapped from %s:%d:%d)", cleanLine(name, maxName), sent.Line, sent.Column)
	}
	return text + "\n"
}

// renderCode writes the source around the line of a frame; empty when there is none.
func renderCode(f *core.Frame, line core.OptInt) string {
	if f.ContextLine == "" && len(f.PreContext) == 0 && len(f.PostContext) == 0 {
		return ""
	}
	before, after := f.PreContext[max(0, len(f.PreContext)-linesBefore):], f.PostContext[:min(len(f.PostContext), linesAfter)]
	var text strings.Builder
	for i, code := range before {
		writeCode(&text, ' ', numberLine(line, i-len(before)), code)
	}
	writeCode(&text, '>', numberLine(line, 0), f.ContextLine)
	for i, code := range after {
		writeCode(&text, ' ', numberLine(line, i+1), code)
	}
	return text.String()
}

// renderLine writes only the line of a frame.
func renderLine(f *core.Frame, line core.OptInt) string {
	if f.ContextLine == "" {
		return ""
	}
	var text strings.Builder
	writeCode(&text, '>', numberLine(line, 0), f.ContextLine)
	return text.String()
}

// numberLine returns the number of a line near another one; 0 when unknown.
func numberLine(line core.OptInt, by int) int64 {
	if line <= 0 {
		return 0
	}
	return max(0, int64(line)+int64(by))
}

func writeCode(b *strings.Builder, mark byte, number int64, code core.Untrusted) {
	text := strings.ReplaceAll(strings.TrimRight(cleanText(string(code), maxCodeLine), " \t\r\n"), "\n", " ")
	b.WriteByte(mark)
	if number > 0 {
		fmt.Fprintf(b, "%5d", number)
	}
	b.WriteString(" | " + text + "\n")
}
