package grouping

import (
	"strings"

	"errand/core"
)

// frameContent is what the key of a frame holds.
type frameContent uint8

const (
	holdsNothing  frameContent = iota
	holdsLocation              // a file or module, but not where in it
	holdsCode                  // a function or a line of code
)

// longestLine is the longest context line that is taken for written code; longer ones are minified.
const longestLine = 120

// longestMinifiedName is the length up to which the name of a function in a file with a URL (of a page, or app:// in an app) is
// taken for a minifier's, who gives it to another function in the next build.
const longestMinifiedName = 2

// writeFrame writes the key of one frame: where it is and which function or line, without numbers of lines and without
// the folders that the application happens to be installed in.
func (d *digest) writeFrame(f *core.Frame, lang language) frameContent {
	lang = lang.ofFrame(f)
	if lang == goLang || lang == dotNet {
		return d.writeQualifiedName(f, lang)
	}
	isPage := f.Source == nil && hasURLOrigin(f)
	place := d.openPart()
	if !isPage {
		d.writeLocation(f, lang)
	}
	d.closePart(place)
	what := len(d.buf)
	if f.Source != nil {
		d.writeMappedCode(f)
	} else {
		d.writeFunctionOrLine(f, lang)
	}
	switch {
	case len(d.buf) > what:
		return holdsCode
	case what > place:
		return holdsLocation
	}
	return holdsNothing
}

// writeFunctionOrLine writes the function of a frame, or its line of code where the function has no name.
func (d *digest) writeFunctionOrLine(f *core.Frame, lang language) {
	start := len(d.buf)
	d.buf = lang.appendFunction(d.buf, string(f.Function))
	if len(d.buf)-start <= longestMinifiedName && strings.Contains(frameFile(f), "://") {
		d.buf = d.buf[:start]
	}
	if len(d.buf) == start {
		d.buf = appendLine(d.buf, string(f.ContextLine))
	}
}

// writeQualifiedName writes the key of a frame of a language whose compiler spreads the name of a function over module and
// function in several ways.
func (d *digest) writeQualifiedName(f *core.Frame, lang language) frameContent {
	start := len(d.buf)
	if function := string(f.Function); !isUnknownName(function) {
		d.buf = lang.appendQualified(d.buf, string(f.Module), function)
	}
	if len(d.buf) == start {
		d.buf = appendLine(d.buf, string(f.ContextLine))
	}
	if len(d.buf) > start {
		return holdsCode
	}
	if d.writeLocation(f, lang); len(d.buf) > start {
		return holdsLocation
	}
	return holdsNothing
}

// writeLocation writes the module of a frame, else the name of its file.
func (d *digest) writeLocation(f *core.Frame, lang language) {
	switch module := clipTo(string(f.Module), maxNameRead); {
	case f.Source != nil:
		d.buf = appendFileName(d.buf, string(f.Source.Path), javaScript)
	case isUnknownName(module) || module == "__main__": // __main__ is any script of Python
		d.buf = appendFileName(d.buf, frameFile(f), lang)
	case lang == native || isAbsolute(module):
		d.buf = appendFileName(d.buf, module, lang)
	case lang == jvm:
		d.buf = appendJVM(d.buf, module)
	case lang == javaScript:
		folder := strings.LastIndexByte(module, '/') + 1
		d.buf = append(d.buf, module[:folder]...)
		d.buf = appendClean(d.buf, module[folder:], lang)
	default:
		d.buf = append(d.buf, module...)
	}
}

// writeMappedCode writes the line of code that a source map led to. The function of such a frame still has the minifier's name.
func (d *digest) writeMappedCode(f *core.Frame) {
	start := len(d.buf)
	if d.buf = appendLine(d.buf, string(f.ContextLine)); len(d.buf) > start {
		return
	}
	if d.buf = appendJavaScript(d.buf, string(f.Source.Name)); len(d.buf) > start {
		return
	}
	d.buf = appendJavaScript(d.buf, string(f.Function))
}

// appendLine appends a context line with its space made even, unless it is cut, minified, or the text of a page.
func appendLine(b []byte, line string) []byte {
	line = strings.TrimSpace(line)
	if len(line) > longestLine || strings.Contains(line, "{snip}") || isMarkup(line) {
		return b
	}
	for i := range len(line) {
		switch {
		case line[i] > ' ':
			b = append(b, line[i])
		case i > 0 && line[i-1] > ' ': // the first of some white space
			b = append(b, ' ')
		}
	}
	return b
}

func isMarkup(line string) bool {
	for _, tag := range [...]string{"<!doctype", "<html", "<head", "<body"} {
		if len(line) >= len(tag) && strings.EqualFold(line[:len(tag)], tag) {
			return true
		}
	}
	return false
}

// frameFile is the file of a frame, as far as it is known.
func frameFile(f *core.Frame) string {
	if f.Filename != "" {
		return string(f.Filename)
	}
	return string(f.AbsPath)
}

// hasURLOrigin reports whether the code came from the web: such a file is named by deployments, not by programmers.
func hasURLOrigin(f *core.Frame) bool {
	return isURL(string(f.AbsPath)) || isURL(string(f.Filename))
}

func isURL(path string) bool {
	if path == "" || path[0] == '/' { // by far the most
		return false
	}
	for _, scheme := range [...]string{"http://", "https://", "blob:", "data:", "about:"} {
		if strings.HasPrefix(path, scheme) {
			return true
		}
	}
	return false
}

// isRuntimeFrame reports whether frames[i] is a part of the JavaScript engine, or of code that a text was evaluated as: one
// browser shows such frames, another does not. Dart marks the gaps of asynchronous stacks in the same way.
func isRuntimeFrame(frames []core.Frame, i int, lang language) bool {
	if lang == javaScript && isEvaluated(frames, i) {
		return true
	}
	switch frameFile(&frames[i]) {
	case "[native code]", "native code", "native", "eval code":
		return lang == javaScript || lang == unknownLanguage
	case "<anonymous>":
		return lang == javaScript
	case "<asynchronous suspension>":
		return true
	}
	return false
}

// isDecoratorWrapper reports whether a frame is only a Python decorator's wrapper around the function of the next frame. The
// names are those that such wrappers have by convention.
func isDecoratorWrapper(f *core.Frame, lang language) bool {
	if lang != python {
		return false
	}
	name := string(f.Function)
	name = name[strings.LastIndexByte(name, '.')+1:]
	return name == "inner" || name == "_inner" || strings.Contains(name, "wrapper") || strings.Contains(name, "wrapped") ||
		strings.Contains(name, "decorat")
}
