package stack

import (
	"strings"

	"errand/core"
)

const (
	endOfInner = "--- End of inner exception stack trace ---"
	// otherInner starts the further exceptions inside an AggregateException. The first of them is told like any inner exception.
	otherInner = "---> (Inner Exception #"
)

// parseDotnet reads Exception.ToString: "Type: text ---> Inner: text", then the frames, the innermost exception's first. A line
// ends the frames of each exception.
func parseDotnet(lines []string) []Trace {
	var traces []Trace // outermost first
	var frames []core.Frame
	var message []string
	level := -1 // the exception that owns the frames
	for _, raw := range lines {
		line := strings.TrimSpace(raw)
		if level >= 0 && strings.HasPrefix(line, otherInner) {
			break
		}
		frame, ok := readFrameDotnet(line)
		if (ok || line == endOfInner) && level < 0 {
			traces = splitMessagesDotnet(strings.Join(message, "\n"))
			level = len(traces) - 1
		}
		switch {
		case ok:
			frames = append(frames, frame)
		case line == endOfInner:
			traces[level].Frames, frames = frames, nil
			level = max(level-1, 0)
		case level < 0:
			message = append(message, raw)
		}
	}
	if level >= 0 {
		traces[level].Frames = append(traces[level].Frames, frames...)
	}
	return requireFrames(traces)
}

// splitMessagesDotnet splits the chain of messages.
func splitMessagesDotnet(text string) []Trace {
	text = strings.TrimPrefix(strings.TrimSpace(text), "Unhandled exception. ")
	text = strings.TrimPrefix(text, "Unhandled Exception: ")
	var traces []Trace
	for part := range strings.SplitSeq(text, "---> ") {
		typ, value := splitHeader(part)
		traces = append(traces, Trace{Type: typ, Value: value})
	}
	return traces
}

// readFrameDotnet reads "at Namespace.Class.Method(String text) in /path/File.cs:line 12".
func readFrameDotnet(line string) (core.Frame, bool) {
	call, ok := strings.CutPrefix(line, "at ")
	if !ok {
		return core.Frame{}, false
	}
	var frame core.Frame
	if i := strings.LastIndex(call, " in "); i > 0 {
		file, digits, ok := cutLast(call[i+len(" in "):], ":line ")
		if ok {
			frame.AbsPath, frame.Filename, frame.Lineno = asUntrusted(file), asUntrusted(file), parseLine(digits)
			call = call[:i]
		}
	}
	open := strings.IndexByte(call, '(')
	if open <= 0 || !strings.HasSuffix(call, ")") || !areParameters(call[open+1:len(call)-1]) {
		return core.Frame{}, false
	}
	name := call[:open]
	if strings.ContainsAny(name, " @/\\:") {
		return core.Frame{}, false
	}
	method := strings.LastIndexByte(name, '.')
	if method > 0 && name[method-1] == '.' { // ..ctor
		method--
	}
	if method > 0 {
		frame.Module, name = asUntrusted(name[:method]), name[method+1:]
	}
	frame.Function = asUntrusted(name)
	return frame, true
}

// areParameters reports whether a text may be a list of types and names; a file does not follow such a list.
func areParameters(text string) bool {
	if _, line, _ := cutPosition(text); line != 0 {
		return false
	}
	return !strings.Contains(text, "://") && (text == "" || strings.Contains(text, " "))
}

func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}
