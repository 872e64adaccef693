package stack

import (
	"strings"

	"errand/core"
)

// parseV8 reads Error.stack of V8 (Chrome, Node), old Edge and Hermes: the message, then lines of "    at function
// (file:line:column)". Causes follow as "[cause]: Error: text" with their own lines.
func parseV8(lines []string) []Trace {
	var traces []Trace
	message := []string{} // of the next trace
	open := true          // lines belong to the message until a frame comes
	for i := 0; i < len(lines); i++ {
		raw := lines[i]
		line := strings.TrimSpace(raw)
		if line == "[errors]: [" && !open { // of an AggregateError: each has frames of its own
			i = findListEnd(lines, i)
			continue
		}
		if cause, ok := cutCauseV8(line); ok && len(traces) > 0 {
			message, open = []string{cause}, true
			continue
		}
		frame, ok := readFrameV8(line)
		switch {
		case ok && open:
			typ, value := splitHeader(joinMessageV8(message))
			traces = append(traces, Trace{Type: typ, Value: value, Frames: []core.Frame{frame}})
			open = false
		case ok:
			last := &traces[len(traces)-1]
			last.Frames = append(last.Frames, frame)
		case open:
			message = append(message, raw)
		}
	}
	return traces
}

// findListEnd returns the index of the line that closes the list which the line i opens: the next one with its indentation. Without
// one it is the last line.
func findListEnd(lines []string, i int) int {
	indent := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " \t"))]
	for k := i + 1; k < len(lines); k++ {
		if strings.TrimRight(lines[k], ", \t") == indent+"]" {
			return k
		}
	}
	return len(lines) - 1
}

func cutCauseV8(line string) (string, bool) {
	if cause, ok := strings.CutPrefix(line, "[cause]: "); ok {
		return cause, true
	}
	return strings.CutPrefix(line, "Caused by: ")
}

// joinMessageV8 returns the message before the frames. Node prints the failing line and a caret above it when it crashes.
func joinMessageV8(lines []string) string {
	for i := len(lines) - 1; i > 0; i-- {
		if strings.TrimLeft(lines[i], " \t^") == "" && strings.Contains(lines[i], "^") {
			lines = lines[i+1:]
			break
		}
	}
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	return strings.TrimPrefix(text, "Uncaught ")
}

func readFrameV8(line string) (core.Frame, bool) {
	call, ok := strings.CutPrefix(line, "at ")
	if !ok {
		return core.Frame{}, false
	}
	call = strings.TrimSpace(strings.TrimSuffix(call, " {")) // Node prints an error's own properties after its last frame
	function, location := "", strings.TrimPrefix(call, "async ")
	if open := findOpenParenthesis(call); open >= 0 {
		function, location = strings.TrimSpace(call[:open]), call[open+1:len(call)-1]
	}
	if scheme, found := strings.CutSuffix(function, ":"); found && strings.HasPrefix(location, "//") {
		// Safari writes the functions of extensions as name@safari-extension:(//id/file)
		at := strings.LastIndexByte(scheme, '@')
		function, location = scheme[:max(at, 0)], scheme[at+1:]+":"+location
	}
	return makeFrameV8(function, location)
}

// findOpenParenthesis returns the index of the parenthesis that the last character closes, or -1.
func findOpenParenthesis(text string) int {
	if !strings.HasSuffix(text, ")") {
		return -1
	}
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// makeFrameV8 makes a frame from a function and the text in the parentheses after it.
func makeFrameV8(function, location string) (core.Frame, bool) {
	if function == "?" || function == "<anonymous>" {
		function = ""
	}
	location = strings.TrimPrefix(strings.TrimPrefix(location, "async "), "address at ")
	if strings.HasPrefix(location, "eval at ") {
		if location = cutInnermost(location); location == "" {
			return core.Frame{}, false
		}
	}
	if mime, ok := strings.CutPrefix(location, "data:"); ok { // the whole script
		mime, _, _ = strings.Cut(mime, ",")
		return core.Frame{Function: asUntrusted(function), Filename: asUntrusted("<data:" + mime + ">")}, true
	}
	file, line, column := cutPosition(location)
	if line == 0 {
		if i := strings.Index(file, ":wasm-function["); i > 0 {
			return core.Frame{Function: asUntrusted(function), Filename: asUntrusted(file[:i])}, true
		}
		if !isBuiltinV8(file) && (!strings.Contains(file, "://") || strings.ContainsAny(file, ` "`)) {
			return core.Frame{}, false
		}
	}
	return core.Frame{Function: asUntrusted(function), Filename: asUntrusted(file), Lineno: line, Colno: column}, true
}

// cutInnermost returns the file and line in the innermost parentheses: the code that called eval.
func cutInnermost(text string) string {
	open := strings.LastIndexByte(text, '(')
	if open < 0 {
		return ""
	}
	end := strings.IndexByte(text[open:], ')')
	if end < 0 {
		return ""
	}
	return text[open+1 : open+end]
}

// isBuiltinV8 reports whether a file without a line is a name that engines write for built-in code.
func isBuiltinV8(location string) bool {
	switch location {
	case "native", "native code", "[native code]", "<anonymous>", "eval code":
		return true
	}
	return strings.HasPrefix(location, "index ") // of Promise.all
}
