package prompts

import (
	"fmt"
	"strconv"
	"strings"

	"errand/core"
)

// What is shown of a stack.
const (
	linesBefore, linesAfter = 5, 4 // of source around a frame's line
	maxCodeLine             = 180  // bytes
	maxFrames               = 60   // frames of the app
	maxLibraryFrames        = 8    // of a stack without any of the app
)

// stacks are the stack traces of an event in the order in which they explain it: of the innermost cause first.
type stacks struct {
	list   []stack
	hasApp bool // there is a frame of the app in them
}

type stack struct {
	of     string // whose it is, as a heading in a fence
	list   string // exceptions or threads
	owner  int    // its place there
	frames []core.Frame
}

// collectStacks returns the stacks of the exceptions, else those of the threads that crashed or ran.
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

// isShown reports whether a frame is shown by itself, not folded.
func (s *stacks) isShown(f *core.Frame) bool { return f.InApp || !s.hasApp }

// listFrames writes the frames of the app, with those of libraries between them folded. A frame that stands in several stacks,
// or several times in one, is shown once. Frames beyond the limits are only counted.
func (s *stacks) listFrames(e *core.Event, limit int) (pieces []piece) {
	shown, most, weight := map[frameKey]bool{}, maxFrames, 0
	if !s.hasApp {
		most = maxLibraryFrames
	}
	for _, stack := range s.list {
		heading, folded, repeated := stack.of+"\n", []core.Frame(nil), 0
		if len(s.list) == 1 {
			heading = ""
		}
		for i := range stack.frames {
			f := &stack.frames[i]
			if !s.isShown(f) {
				folded = append(folded, *f)
				continue
			}
			key := keyOf(f)
			if shown[key] {
				repeated++
				continue
			}
			shown[key] = true
			before := heading + foldFrames(folded)
			heading, folded = "", nil
			if len(pieces) >= most || weight > limit {
				pieces = append(pieces, piece{what: "frame", by: byApp})
				continue
			}
			head := before + describeFrame(stack.frames, i)
			if e.FindMapProblem(stack.list, stack.owner, i) != "" {
				head += "    (not mapped to its source)\n"
			}
			full := head + renderCode(f) + renderVars(f.Vars)
			frame := makeFenced(full).orShort(head + renderLine(f)).named("frame")
			weight += frame.weight
			pieces = append(pieces, frame)
		}
		if end := foldFrames(folded) + foldRepeated(repeated); end != "" && heading == "" {
			pieces = append(pieces, makeFenced(end))
		}
	}
	return pieces
}

// frameKey is by what a frame is known again.
type frameKey struct {
	function, file core.Untrusted
	line           core.OptInt
}

func keyOf(f *core.Frame) frameKey {
	file, line, _ := placeOf(f)
	return frameKey{f.Function, file, line}
}

// foldFrames stands for frames of libraries: it names the first and the last.
func foldFrames(frames []core.Frame) string {
	switch len(frames) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("  (1 library frame: %s)\n", nameFrame(&frames[0]))
	default:
		return fmt.Sprintf("  (%d library frames: %s … %s)\n", len(frames), nameFrame(&frames[0]), nameFrame(&frames[len(frames)-1]))
	}
}

func foldRepeated(count int) string {
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s repeated from above)\n", countThings(count, "frame"))
}

// nameFrame names a frame in a few words.
func nameFrame(f *core.Frame) string {
	const most = 60
	name := cleanLine(string(f.Function), most)
	if name == "" {
		name = "?"
	}
	from := f.Module
	if from == "" {
		file, _, _ := placeOf(f)
		from = file[strings.LastIndexAny(string(file), `/\`)+1:]
	}
	if from == "" {
		return name
	}
	return name + " in " + cleanLine(string(from), most)
}

// placeOf returns where a frame is: in the original source, where a source map knows it.
func placeOf(f *core.Frame) (file core.Untrusted, line, column core.OptInt) {
	switch {
	case f.Source != nil:
		return f.Source.Path, f.Source.Line, f.Source.Column
	case f.AbsPath != "" && (f.Filename == "" || !strings.ContainsAny(string(f.Filename), `/\`)):
		return f.AbsPath, f.Lineno, f.Colno
	case f.Filename != "":
		return f.Filename, f.Lineno, f.Colno
	default:
		return f.Module, f.Lineno, f.Colno
	}
}

// functionOf returns the name of the function of a frame. Of a mapped one whose name is a minifier's, the frame that called it
// knows the original name, as grouping finds it.
func functionOf(frames []core.Frame, i int) core.Untrusted {
	const longestMinified = 2
	if frames[i].Source != nil && len(frames[i].Function) <= longestMinified && i+1 < len(frames) {
		if caller := frames[i+1].Source; caller != nil && caller.Name != "" {
			return caller.Name
		}
	}
	return frames[i].Function
}

// describeFrame writes the line that says which function is where.
func describeFrame(frames []core.Frame, i int) string {
	f := &frames[i]
	file, line, column := placeOf(f)
	text := cleanLine(string(functionOf(frames, i)), maxName)
	if text == "" {
		text = "(no function)"
	}
	if f.Module != "" && f.Module != file && f.Source == nil && !strings.Contains(string(f.Function), string(f.Module)) {
		text = cleanLine(string(f.Module), maxName) + " " + text
	}
	text += " at " + cleanLine(string(file), maxPath)
	if line > 0 {
		text += ":" + strconv.FormatInt(int64(line), 10)
	}
	if column > 0 && f.Source == nil {
		text += ":" + strconv.FormatInt(int64(column), 10)
	}
	if f.Source != nil {
		text += fmt.Sprintf(" (mapped from %s:%d:%d)", cleanLine(findBaseName(f), maxName), f.Lineno, f.Colno)
	}
	return text + "\n"
}

func findBaseName(f *core.Frame) string {
	file := string(f.AbsPath)
	if file == "" {
		file = string(f.Filename)
	}
	return file[strings.LastIndexByte(file, '/')+1:]
}

// renderCode writes the source around the line of a frame; nothing when there is none.
func renderCode(f *core.Frame) string {
	if f.ContextLine == "" && len(f.PreContext) == 0 && len(f.PostContext) == 0 {
		return ""
	}
	_, line, _ := placeOf(f)
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

// renderLine writes the line of a frame alone.
func renderLine(f *core.Frame) string {
	if f.ContextLine == "" {
		return ""
	}
	_, line, _ := placeOf(f)
	var text strings.Builder
	writeCode(&text, '>', numberLine(line, 0), f.ContextLine)
	return text.String()
}

// numberLine returns the number of a line near another one; 0 when that is not known.
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
