package core

import (
	"cmp"
	"strings"
)

// FrameView is what readers see of a frame. With a source map it is the place in the original source.
type FrameView struct {
	Function Untrusted // empty when unknown, "<anonymous>" when the source has no name for it
	File     Untrusted // a path or a URL; the module when no file is known
	Line     OptInt
	Column   OptInt
	IsMapped bool // a source map led to the file, line and column
	Sent     FramePlace
}

// FramePlace is the place of a frame as the SDK sent it: for a mapped frame, the place in the minified file.
type FramePlace struct {
	Function Untrusted
	File     Untrusted // the URL or the whole path, if one was sent
	Line     OptInt
	Column   OptInt
}

// ViewFrame returns what readers see of frame i of a stack, which has the most recent call first. Everything that shows or compares
// frames calls it, so that a brief, a notice and a culprit never call the same frame by different names.
func ViewFrame(stack []Frame, i int) FrameView {
	f := &stack[i]
	view := FrameView{Function: findFunction(stack, i), Line: f.Lineno, Column: f.Colno, IsMapped: f.Source != nil}
	view.Sent = FramePlace{f.Function, cmp.Or(f.AbsPath, f.Filename), f.Lineno, f.Colno}
	switch {
	case f.Source != nil:
		view.File, view.Line, view.Column = f.Source.Path, f.Source.Line, f.Source.Column
	case f.AbsPath != "" && !strings.ContainsAny(string(f.Filename), `/\`):
		view.File = f.AbsPath
	default:
		view.File = cmp.Or(f.Filename, f.Module)
	}
	return view
}

// NameMapped sets the name that ViewFrame shows in each mapped frame, for readers of the frames themselves. Call it
// before frames are left out: the name of a frame may come from its caller.
func (e *Event) NameMapped() {
	e.eachStack(func(frames *List[Frame]) {
		for i := range *frames {
			if f := &(*frames)[i]; f.Source != nil {
				f.Source.Function = findFunction(*frames, i)
			}
		}
	})
}

// findFunction returns the name of a frame's function, as far as it is known. For a mapped frame it is the name in the original source.
// Without that name, as when a source map has no sources or an older server read it, the sent name is shown unless a minifier may have
// made it. Such a name is replaced by the identifier that the caller's source has at the call, if its map names one.
func findFunction(stack []Frame, i int) Untrusted {
	f := &stack[i]
	switch {
	case f.Source == nil:
		return f.Function
	case f.Source.Function != "":
		return f.Source.Function
	}
	function, name := splitFunction(f.Function)
	if len(name) > longestMinifiedName {
		return Untrusted(function)
	}
	if i+1 < len(stack) && stack[i+1].Source != nil && stack[i+1].Source.Name != "" {
		return stack[i+1].Source.Name
	}
	return Untrusted(function)
}

// qualifiers separate the class or package of a function from its name, by platform.
var qualifiers = map[string]string{"java": ".", "csharp": ".", "go": ".", "php": "->"}

// QualifierOf returns the separator between the Module of a frame and its Function, as in "main.(*T).run" of Go. It
// is empty for platforms where Module names a file, or where the function already includes its class.
func QualifierOf(platform string) string { return qualifiers[platform] }

// VisitMinified calls visit with each frame that a source map was found for, or should have been: whyNot says why there was none,
// without NotMapped, and is empty for a mapped frame.
func (e *Event) VisitMinified(visit func(f *Frame, whyNot string)) {
	reasons := map[string]string{}
	for _, p := range e.Problems {
		if reason, isOfMap := strings.CutPrefix(p.Reason, NotMapped); isOfMap {
			reasons[p.Path] = reason
		}
	}
	walk := func(list string, owner int, frames []Frame) {
		for i := range frames {
			whyNot := ""
			if len(reasons) > 0 {
				whyNot = reasons[framePath(list, owner, i)]
			}
			if whyNot != "" || frames[i].Source != nil {
				visit(&frames[i], whyNot)
			}
		}
	}
	for i := range e.Exceptions {
		walk("exceptions", i, e.Exceptions[i].Frames)
	}
	for i := range e.Threads {
		walk("threads", i, e.Threads[i].Frames)
	}
}

// FindDebugID returns the debug id of a file of the event; empty for none.
func (e *Event) FindDebugID(file Untrusted) Untrusted {
	for i := range e.DebugImages {
		if image := &e.DebugImages[i]; image.CodeFile == file && image.DebugID != "" {
			return image.DebugID
		}
	}
	return ""
}
