package stack

import (
	"strings"

	"errand/core"
)

// parseJava reads the output of Throwable.printStackTrace: the exception, lines of "at class.method(File.java:12)", then its
// causes with "Caused by:". Suppressed exceptions are left out.
func parseJava(lines []string) []Trace {
	var traces []Trace
	var message []string
	open := true     // lines belong to the message until a frame comes
	suppressed := -1 // indentation of the suppressed exception that is being skipped
	for _, raw := range lines {
		line := strings.TrimSpace(raw)
		indent := len(raw) - len(strings.TrimLeft(raw, " \t"))
		if suppressed >= 0 && indent >= suppressed {
			continue
		}
		suppressed = -1
		if strings.HasPrefix(line, "Suppressed: ") {
			suppressed = indent
			continue
		}
		if cause, ok := strings.CutPrefix(line, "Caused by: "); ok {
			message, open = []string{cause}, true
			continue
		}
		frame, ok := readFrameJava(line)
		switch {
		case ok && open:
			traces = append(traces, makeTraceJava(message))
			open = false
			fallthrough
		case ok:
			last := &traces[len(traces)-1]
			last.Frames = append(last.Frames, frame)
		case open:
			message = append(message, raw)
		default:
			traces = addCommonFrames(traces, line)
		}
	}
	return requireFrames(traces)
}

func makeTraceJava(message []string) Trace {
	text := strings.TrimSpace(strings.Join(message, "\n"))
	if rest, ok := strings.CutPrefix(text, `Exception in thread "`); ok {
		if _, after, found := strings.Cut(rest, `" `); found {
			text = after
		}
	}
	typ, value := splitHeader(text)
	t := Trace{Value: value}
	t.Module, t.Type = splitQualified(typ)
	return t
}

// addCommonFrames adds to a cause the frames that it shares with the exception above it, written as "... 12 more".
func addCommonFrames(traces []Trace, line string) []Trace {
	rest, ok := strings.CutPrefix(line, "... ")
	if !ok || len(traces) < 2 {
		return traces
	}
	digits, _, ok := strings.Cut(rest, " ")
	n := int(parseLine(digits))
	outer := traces[len(traces)-2].Frames
	if ok && n > 0 && n <= len(outer) && countFrames(traces)+n <= maxLines {
		last := &traces[len(traces)-1]
		last.Frames = append(last.Frames, outer[len(outer)-n:]...)
	}
	return traces
}

// readFrameJava reads "at java.base/java.lang.Thread.run(Thread.java:833)".
func readFrameJava(line string) (core.Frame, bool) {
	call, ok := strings.CutPrefix(line, "at ")
	if !ok {
		return core.Frame{}, false
	}
	if i := strings.LastIndexByte(call, ')'); i > 0 { // some loggers append the archive
		call = call[:i+1]
	}
	open := strings.IndexByte(call, '(')
	if open < 0 {
		return core.Frame{}, false
	}
	location, _, _ := strings.Cut(call[open+1:], ")")
	name := cutClassLoader(call[:open])
	class, method := splitQualified(name)
	if class == "" || method == "" || strings.ContainsAny(name, " @:[") {
		return core.Frame{}, false
	}
	frame := core.Frame{Function: asUntrusted(method), Module: asUntrusted(class)}
	if location == "Native Method" || location == "Unknown Source" {
		return frame, true
	}
	file, lineno, column := cutPosition(location)
	if column != 0 || !isJavaFile(file) {
		return core.Frame{}, false
	}
	frame.Filename, frame.Lineno = asUntrusted(file), lineno
	return frame, true
}

// cutClassLoader drops the class loader and module before a class: app//com.example.Cart.add, java.base/java.lang.Thread.run. A
// slash after the name of a hidden class stays, with its number: com.example.Cart$$Lambda$1/1324119927.run.
func cutClassLoader(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' && (i+1 == len(name) || name[i+1] < '0' || name[i+1] > '9') {
			return name[i+1:]
		}
	}
	return name
}

// isJavaFile reports whether a name is a source file for the Java machine, without a folder.
func isJavaFile(name string) bool {
	if strings.ContainsAny(name, `/\ `) {
		return false
	}
	switch name {
	case "SourceFile", "Source", "NO_SOURCE_FILE", "R8":
		return true
	}
	for _, end := range [...]string{".java", ".kt", ".kts", ".scala", ".groovy", ".clj", ".cljc", ".jsp"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.HasPrefix(name, "r8-map-id-")
}
