package web

import (
	"fmt"
	"slices"
	"strings"

	"errand/core"
)

// These many frames of an event are shown without asking for all.
const (
	openFrames       = 4  // frames of the app that stand open
	maxAppFrames     = 60 // of one stack
	maxLibraryFrames = 40 // of one fold
)

// frameList makes the frames of one stack as a page shows them.
type frameList struct {
	event       *core.Event
	list        string // exceptions or threads
	owner       int    // the place there
	isRaw, all  bool
	oldestFirst bool
	open        *int // how many frames may still stand open
}

// makeGroups groups the frames of a stack, so that libraries can be folded.
func (l frameList) makeGroups(frames []core.Frame) []frameGroup {
	hasApp := slices.ContainsFunc(frames, func(f core.Frame) bool { return f.InApp })
	var groups []frameGroup
	var libraries [][]string
	shown := 0
	for i := range frames {
		isLibrary := hasApp && !frames[i].InApp
		if len(groups) == 0 || groups[len(groups)-1].IsLibrary != isLibrary {
			groups, libraries = append(groups, frameGroup{IsLibrary: isLibrary, IsOpen: isLibrary && l.all}), append(libraries, nil)
		}
		last := len(groups) - 1
		group := &groups[last]
		group.Count++
		if isLibrary {
			libraries[last] = append(libraries[last], libraryOf(core.ViewFrame(frames, i), &frames[i]))
		}
		if !l.all && (isLibrary && len(group.Frames) == maxLibraryFrames || !isLibrary && shown == maxAppFrames) {
			group.Left++
			continue
		}
		if !isLibrary {
			shown++
		}
		group.Frames = append(group.Frames, l.makeFrame(frames, i, isLibrary))
	}
	for i := range groups {
		if groups[i].IsLibrary {
			groups[i].Summary = writePlural(groups[i].Count, "frame", "frames") + " of " + nameLibraries(libraries[i])
		}
		if l.oldestFirst {
			slices.Reverse(groups[i].Frames)
		}
	}
	if l.oldestFirst {
		slices.Reverse(groups)
	}
	return groups
}

// makeFrame makes frame i of a stack. Of a library's frame only its place is shown, unless all is.
func (l frameList) makeFrame(frames []core.Frame, i int, isLibrary bool) stackFrame {
	f, view := &frames[i], core.ViewFrame(frames, i)
	frame := stackFrame{Function: cutName(view.Function), Place: writePlace(view.File, view.Line, view.Column)}
	if l.isRaw {
		frame.Function, frame.Place = cutName(view.Sent.Function), writePlace(view.Sent.File, view.Sent.Line, view.Sent.Column)
	} else if view.IsMapped {
		frame.Sent = writePlace(view.Sent.File[strings.LastIndexByte(string(view.Sent.File), '/')+1:], view.Sent.Line, view.Sent.Column)
	}
	if isLibrary && !l.all {
		return frame
	}
	if problem := l.event.FindMapProblem(l.list, l.owner, i); problem != "" {
		frame.Problem = "not mapped to its source: " + problem
	}
	if !l.isRaw || !view.IsMapped { // the lines are those of the original source
		frame.Source = makeSource(f, int64(view.Line))
	}
	most, count := maxValue, maxVars
	if l.all {
		most, count = allOfValue, len(f.Vars.Kids)
	}
	frame.Vars = listMembers(f.Vars, most, writeJSON)
	if left := len(frame.Vars) - count; left > 0 {
		frame.Vars = append(frame.Vars[:count], variable{"…", writeCount(left) + " more"})
	}
	if (len(frame.Source) > 0 || len(frame.Vars) > 0) && *l.open > 0 {
		*l.open--
		frame.IsOpen = true
	}
	return frame
}

// cutName cuts a name that is too long to be one.
func cutName(name core.Untrusted) core.Untrusted {
	return core.Untrusted(cutText(string(name), maxName))
}

// writePlace writes where a frame is: file, line and column, as far as they are known.
func writePlace(file core.Untrusted, line, column core.OptInt) core.Untrusted {
	place := cutText(string(file), maxValue)
	if line > 0 {
		place += fmt.Sprintf(":%d", line)
	}
	if line > 0 && column > 0 {
		place += fmt.Sprintf(":%d", column)
	}
	return core.Untrusted(place)
}

// makeSource makes the lines of source around the line of a frame. A line without a known number has none.
func makeSource(f *core.Frame, line int64) []sourceLine {
	const around = 5
	if f.ContextLine == "" {
		return nil
	}
	var lines []sourceLine
	add := func(by int, text core.Untrusted) {
		number := int64(0)
		if line > 0 {
			number = max(0, line+int64(by))
		}
		lines = append(lines, sourceLine{number, core.Untrusted(cutText(string(text), maxCode)), by == 0})
	}
	before := f.PreContext[max(0, len(f.PreContext)-around):]
	for i, text := range before {
		add(i-len(before), text)
	}
	add(0, f.ContextLine)
	for i, text := range f.PostContext[:min(len(f.PostContext), around)] {
		add(i+1, text)
	}
	return lines
}

// libraryOf names the library of a frame: its package, where the path or the module names one.
func libraryOf(view core.FrameView, f *core.Frame) string {
	for _, folder := range []string{"node_modules/", "site-packages/", "dist-packages/", "/vendor/", "/gems/"} {
		_, behind, isThere := strings.Cut(string(view.File), folder)
		if !isThere {
			continue
		}
		name, rest, _ := strings.Cut(behind, "/")
		if strings.HasPrefix(name, "@") {
			next, _, _ := strings.Cut(rest, "/")
			name += "/" + next
		}
		return strings.TrimSuffix(name, ".py")
	}
	const parts = 2
	if module := strings.SplitN(string(f.Module), ".", parts+1); len(module) > 1 {
		return strings.Join(module[:parts], ".")
	}
	if f.Module != "" {
		return string(f.Module)
	}
	return string(view.File[strings.LastIndexAny(string(view.File), `/\`)+1:])
}

// nameLibraries names up to three libraries, each once.
func nameLibraries(names []string) string {
	const most = 3
	var shown []string
	hasMore := false
	for _, name := range names {
		if name = cutText(name, maxName); name == "" || slices.Contains(shown, name) {
			continue
		}
		hasMore = hasMore || len(shown) == most
		if len(shown) < most {
			shown = append(shown, name)
		}
	}
	last := len(shown) - 1
	switch {
	case last < 0:
		return "libraries"
	case hasMore:
		return strings.Join(shown, ", ") + " and others"
	case last == 0:
		return shown[0]
	}
	return strings.Join(shown[:last], ", ") + " and " + shown[last]
}
