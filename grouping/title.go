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

// Title returns the title of an event: "Type: value" of the exception that was reported, else its message; one line of
// at most 200 characters, never empty. A type that the SDK made up gives way to the function that crashed, unless the
// program threw a value, which says more.
func Title(e *core.Event) string {
	title := shorten(exceptionTitle(e))
	if title == "" {
		title = shorten(string(e.Message))
	}
	if title == "" && e.Report != nil {
		title = shorten("Blocked '" + e.Report.Subject + "' from '" + blockedHost(e.Report.Detail) + "'")
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
	if isMadeUp(x) && !isThrownValue(x, languageOf(e.Platform)) {
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

// Type returns the type of the exception that names the event, the one in its title; empty for a message.
func Type(e *core.Event) core.Untrusted {
	if i := mainException(e); i >= 0 {
		return e.Exceptions[i].Type
	}
	return ""
}

// TypeOfStored returns the type of an event that was read from the store, which keeps neither how exceptions belong
// together nor what the SDK made up: the type that its title names.
func TypeOfStored(e *core.Event) core.Untrusted {
	if isMessage(e) || e.Message != "" && string(e.Title) == shorten(string(e.Message)) {
		return ""
	}
	for i := range e.Exceptions {
		kind := e.Exceptions[i].Type
		rest, found := strings.CutPrefix(string(e.Title), firstLine(string(kind)))
		if kind != "" && found && (rest == "" || strings.HasPrefix(rest, ": ")) {
			return kind
		}
	}
	return e.Exceptions[0].Type
}

// Culprit returns where an event happened: its transaction, else the frame of the application that is nearest the
// crash, as "module in function". A script without a module is "function(file)". Without a stack it is the template or
// the URL of the request, if there was one. At most 200 characters; empty when nothing is known.
func Culprit(e *core.Event) string {
	if e.Transaction != "" {
		return shorten(string(e.Transaction))
	}
	if f, stack := crashFrame(e); f != nil {
		return shorten(frameName(f, stack, languageOf(e.Platform).of(f)))
	}
	if e.Report != nil && e.Report.Kind == core.ReportTemplate {
		return shorten(e.Report.Subject)
	}
	if e.Request != nil {
		return shorten(string(e.Request.URL))
	}
	return ""
}

func frameName(f *core.Frame, stack []core.Frame, lang language) string {
	function, module := string(f.Function), string(f.Module)
	if lang == native {
		function = withoutSuffix(clip(function))
	}
	if f.Source != nil {
		function, module = mappedFunction(f, stack), sourceModule(string(f.Source.Path))
	}
	file := module
	switch {
	case module != "":
	case lang == native:
		file = sourceModule(fileName(path(f)))
	default:
		file = withoutOrigin(path(f))
	}
	switch {
	case isUnknown(function) && file == "":
		return ""
	case file == "":
		return function
	case function == "":
		function = "?"
	}
	if lang == javaScript && (module == "" || isUnknown(function)) {
		return function + "(" + file + ")"
	}
	return file + " in " + function
}

// fileName returns the last part of a path.
func fileName(path string) string {
	path = path[strings.LastIndexByte(path, '/')+1:]
	return path[strings.LastIndexByte(path, '\\')+1:]
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

// shorten returns the first line of a text, cut to maxTitle characters, the last of which then say so.
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
