package grouping

import (
	"strings"
	"unicode/utf8"

	"errand/core"
)

// maxTitle is the length of titles and culprits in characters (decisions 4).
const maxTitle = 200

// unlabeled is the title of an event that says nothing.
const unlabeled = "<unlabeled event>"

// Title gives the title of an event: "Type: value" of the exception that was reported, else its message; one line of
// at most 200 characters, never empty. A type that the SDK made up gives way to the function that crashed.
func Title(e *core.Event) string {
	title := shorten(exceptionTitle(e))
	if title == "" {
		title = shorten(string(e.Message))
	}
	if title == "" && e.CSP != nil {
		title = shorten("Blocked '" + e.CSP.Directive + "' from '" + blockedHost(e.CSP.BlockedURI) + "'")
	}
	if title == "" {
		title = crashFunction(e)
	}
	if title == "" {
		title = unlabeled
	}
	return title
}

func exceptionTitle(e *core.Event) string {
	i := mainException(e)
	if i < 0 {
		return ""
	}
	x := &e.Exceptions[i]
	if x.Mechanism != nil && x.Mechanism.Synthetic {
		if function := crashFunction(e); function != "" {
			return function
		}
	}
	kind, value := firstLine(string(x.Type)), firstLine(string(x.Value))
	if kind == "" || value == "" {
		return kind + value
	}
	return kind + ": " + value
}

// crashFunction is the name of the function that crashed, as far as it is known.
func crashFunction(e *core.Event) string {
	if f := crashFrame(e); f != nil && !isUnknown(string(f.Function)) {
		return shorten(string(f.Function))
	}
	return ""
}

// Culprit gives where an event happened: its transaction, else the frame of the application that is nearest the
// crash, as "module in function", or as "function(file)" for JavaScript and "function" for native code. Without a
// stack it is the URL of the request, if there was one. At most 200 characters; empty when nothing is known.
func Culprit(e *core.Event) string {
	if e.Transaction != "" {
		return shorten(string(e.Transaction))
	}
	if f := crashFrame(e); f != nil {
		return shorten(frameName(f, crashStack(e), languageOf(e.Platform)))
	}
	if e.Request != nil {
		return shorten(string(e.Request.URL))
	}
	return ""
}

func frameName(f *core.Frame, stack []core.Frame, lang language) string {
	function, place := string(f.Function), string(f.Module)
	if f.Source != nil {
		function, place = mappedFunction(f, stack), sourceModule(string(f.Source.Path))
	} else if place == "" {
		place = withoutOrigin(path(f))
	}
	if function == "" {
		function = "?"
	}
	switch {
	case lang == native:
		return function
	case place == "":
		return ""
	case lang == javaScript:
		return function + "(" + place + ")"
	}
	return place + " in " + function
}

// mappedFunction is the name of a function that a source map led to. Where a minifier renamed it, the map knows how
// the caller calls it: that is the name at the position of the next frame.
func mappedFunction(f *core.Frame, stack []core.Frame) string {
	function := string(f.Function)
	if len(function) > maxMinified {
		return function
	}
	for i := range stack[:len(stack)-1] {
		if caller := stack[i+1].Source; &stack[i] == f && caller != nil && caller.Name != "" {
			return string(caller.Name)
		}
	}
	return function
}

// crashFrame gives the frame of the application that is nearest the crash, else the nearest of all; nil without a stack.
func crashFrame(e *core.Event) *core.Frame {
	frames := crashStack(e)
	for i := range frames {
		if frames[i].InApp {
			return &frames[i]
		}
	}
	if len(frames) > 0 {
		return &frames[0]
	}
	return nil
}

// crashStack gives the stack that the event is about: that of the main exception, else of the first that has one, else
// of a thread.
func crashStack(e *core.Event) []core.Frame {
	if i := mainException(e); i >= 0 && len(e.Exceptions[i].Frames) > 0 {
		return e.Exceptions[i].Frames
	}
	for i := range e.Exceptions {
		if len(e.Exceptions[i].Frames) > 0 {
			return e.Exceptions[i].Frames
		}
	}
	if t := mainThread(e.Threads); t != nil {
		return t.Frames
	}
	return nil
}

// withoutOrigin is the path of a URL, or the path itself.
func withoutOrigin(path string) string {
	if !isURL(path) {
		return path
	}
	_, rest, _ := strings.Cut(path, "://")
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		return rest[slash:]
	}
	return rest
}

// sourceModule is a source's path as a module: "webpack://shop/./src/cart.ts?a1" is "src/cart".
func sourceModule(path string) string {
	if _, rest, found := strings.Cut(path, "://"); found {
		_, path, _ = strings.Cut(rest, "/")
	}
	path, _, _ = strings.Cut(path, "?")
	for strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || strings.HasPrefix(path, "/") {
		_, path, _ = strings.Cut(path, "/")
	}
	if dot := strings.LastIndexByte(path, '.'); dot > strings.LastIndexByte(path, '/')+1 {
		path = path[:dot]
	}
	return path
}

// shorten gives the first line of a text, cut to maxTitle characters, the last of which then say so.
func shorten(s string) string {
	s = firstLine(s)
	if len(s) <= maxTitle || utf8.RuneCountInString(s) <= maxTitle {
		return s
	}
	const more = "..."
	end, n := 0, 0
	for i := range s {
		if n == maxTitle-len(more) {
			end = i
			break
		}
		n++
	}
	return strings.TrimRight(s[:end], " ") + more
}
