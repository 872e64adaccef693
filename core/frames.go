package core

import (
	"cmp"
	"strings"
)

// FrameView is what a frame shows to whoever reads it: where a source map was found, the place in the original source.
type FrameView struct {
	Function Untrusted // empty when it is not known, "<anonymous>" when the source gives it no name
	File     Untrusted // a path or a URL; the module where no file is known
	Line     OptInt
	Column   OptInt
	IsMapped bool // a source map led to the file, line and column
	Sent     FramePlace
}

// FramePlace is the place of a frame as the SDK sent it: of a mapped frame, the place in the minified file.
type FramePlace struct {
	File   Untrusted // the URL or the whole path, where one was sent
	Line   OptInt
	Column OptInt
}

// ViewFrame returns what frame i of a stack shows; stack has the most recent call first. Everything that shows or compares frames
// reads them here, so that a brief, a notice and a culprit never call the same frame by different names.
func ViewFrame(stack []Frame, i int) FrameView {
	f := &stack[i]
	view := FrameView{Function: findFunction(stack, i), Line: f.Lineno, Column: f.Colno, IsMapped: f.Source != nil}
	view.Sent = FramePlace{cmp.Or(f.AbsPath, f.Filename), f.Lineno, f.Colno}
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

// NameMapped gives each mapped frame the name that ViewFrame shows, for a reader who gets the frames themselves. Call it before frames
// are left out: the name of one may stand in its caller.
func (e *Event) NameMapped() {
	e.eachStack(func(frames *List[Frame]) {
		for i := range *frames {
			if f := &(*frames)[i]; f.Source != nil {
				f.Source.Function = findFunction(*frames, i)
			}
		}
	})
}

// findFunction returns the name of the function of a frame, as far as it is known. Of a mapped frame it is the name in the original
// source. An event without that name, whose source map has no sources or was read by an older server, shows what was sent, unless a
// minifier may have made it: then the caller's place says what the identifier is called that the caller calls.
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

// qualifiers are what stands between the class or package of a function and its name, by platforms.
var qualifiers = map[string]string{"java": ".", "csharp": ".", "go": ".", "php": "->"}

// QualifierOf returns what stands between the Module of a frame and its Function where the two make one name, as in "main.(*T).run"
// of Go; empty for a platform where Module names a file, or the function has its class before it.
func QualifierOf(platform string) string { return qualifiers[platform] }
