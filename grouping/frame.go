package grouping

import (
	"strings"

	"errand/core"
)

// frameContent is the content of a frame's key.
type frameContent uint8

const (
	holdsNothing  frameContent = iota
	holdsLocation              // a file or module, but no position in it
	holdsCode                  // a function or a line of code
)

// longestLine is the greatest length of a context line that people write; longer lines are minified.
const longestLine = 120

// writeFrame writes the key of frame i of a stack: its module or file, and its function or line of code. Line numbers and the
// folders of the installation are left out.
func (d *digest) writeFrame(frames []core.Frame, i int, lang language) frameContent {
	frame, function := &frames[i], string(core.ViewFrame(frames, i).Function)
	lang = lang.ofFrame(frame)
	if lang == goLang || lang == dotNet {
		return d.writeQualifiedName(frame, function, lang)
	}
	isPage := frame.Source == nil && hasURLOrigin(frame)
	locationStart := d.openPart()
	if !isPage {
		d.writeLocation(frame, lang)
	}
	d.closePart(locationStart)
	codeStart := len(d.buf)
	if frame.Source != nil {
		d.writeMappedCode(frame, function)
	} else {
		d.writeFunctionOrLine(frame, function, lang)
	}
	switch {
	case len(d.buf) > codeStart:
		return holdsCode
	case codeStart > locationStart:
		return holdsLocation
	}
	return holdsNothing
}

// writeFunctionOrLine writes the function of a frame, or its line of code when the function has no name, or a name that may come
// from a minifier. Only files with a URL are minified: files of pages, and app:// in an app.
func (d *digest) writeFunctionOrLine(frame *core.Frame, function string, lang language) {
	start := len(d.buf)
	d.buf = lang.appendFunction(d.buf, function)
	if core.IsShortName(string(d.buf[start:])) && strings.Contains(frameFile(frame), "://") {
		d.buf = d.buf[:start]
	}
	if len(d.buf) == start {
		d.buf = appendLine(d.buf, string(frame.ContextLine))
	}
}

// writeQualifiedName writes the key of a frame of Go or .NET. Their SDKs cut a function's full name into module and function at
// different places, so both are read as one name.
func (d *digest) writeQualifiedName(frame *core.Frame, function string, lang language) frameContent {
	start := len(d.buf)
	if !isUnknownName(function) {
		d.buf = lang.appendQualified(d.buf, string(frame.Module), function)
	}
	if len(d.buf) == start {
		d.buf = appendLine(d.buf, string(frame.ContextLine))
	}
	if len(d.buf) > start {
		return holdsCode
	}
	if d.writeLocation(frame, lang); len(d.buf) > start {
		return holdsLocation
	}
	return holdsNothing
}

// writeLocation writes the module of a frame, or else the name of its file.
func (d *digest) writeLocation(frame *core.Frame, lang language) {
	switch module := clipTo(string(frame.Module), maxNameRead); {
	case frame.Source != nil:
		d.buf = appendFileName(d.buf, string(frame.Source.Path), javaScript)
	case isUnknownName(module) || module == "__main__": // __main__ is any script of Python
		d.buf = appendFileName(d.buf, frameFile(frame), lang)
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

// writeMappedCode writes the line of code from a source map, or else the name of the called function there, or else the name of
// the function. So a better name for a function changes only the keys of frames without a line and a call, and only if the old
// name came from a minifier: such a key changed with each build anyway.
func (d *digest) writeMappedCode(frame *core.Frame, function string) {
	start := len(d.buf)
	if d.buf = appendLine(d.buf, string(frame.ContextLine)); len(d.buf) > start {
		return
	}
	if d.buf = appendJavaScript(d.buf, string(frame.Source.Name)); len(d.buf) > start {
		return
	}
	d.buf = appendJavaScript(d.buf, function)
}

// appendLine appends a context line, with white space in it as one space. It leaves out a line that is cut, minified or part of
// an HTML page.
func appendLine(buf []byte, line string) []byte {
	line = strings.TrimSpace(line)
	if len(line) > longestLine || strings.Contains(line, "{snip}") || isMarkup(line) {
		return buf
	}
	for i := range len(line) {
		switch {
		case line[i] > ' ':
			buf = append(buf, line[i])
		case i > 0 && line[i-1] > ' ': // the first white space of a run
			buf = append(buf, ' ')
		}
	}
	return buf
}

func isMarkup(line string) bool {
	for _, tag := range [...]string{"<!doctype", "<html", "<head", "<body"} {
		if len(line) >= len(tag) && strings.EqualFold(line[:len(tag)], tag) {
			return true
		}
	}
	return false
}

// frameFile returns the file of a frame, empty when unknown.
func frameFile(f *core.Frame) string {
	if f.Filename != "" {
		return string(f.Filename)
	}
	return string(f.AbsPath)
}

// hasURLOrigin reports whether the code came from the web. Deployments name such files, not programmers.
func hasURLOrigin(f *core.Frame) bool {
	return isURL(string(f.AbsPath)) || isURL(string(f.Filename))
}

func isURL(path string) bool {
	if path == "" || path[0] == '/' { // most paths
		return false
	}
	for _, scheme := range [...]string{"http://", "https://", "blob:", "data:", "about:"} {
		if strings.HasPrefix(path, scheme) {
			return true
		}
	}
	return false
}

// isRuntimeFrame reports whether frames[i] belongs to the JavaScript engine or to a text that was evaluated as code: some
// browsers show such frames, others do not. Dart marks the gaps in asynchronous stacks in the same way.
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

// isDecoratorWrapper reports whether a frame is a Python decorator's wrapper around the function of the next frame, judging by
// the conventional names of such wrappers.
func isDecoratorWrapper(f *core.Frame, lang language) bool {
	if lang != python {
		return false
	}
	name := string(f.Function)
	name = name[strings.LastIndexByte(name, '.')+1:]
	return name == "inner" || name == "_inner" || strings.Contains(name, "wrapper") || strings.Contains(name, "wrapped") ||
		strings.Contains(name, "decorat")
}
