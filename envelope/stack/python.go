package stack

import (
	"strings"

	"errand/core"
)

const tracebackStart = "Traceback (most recent call last):"

// parsePython reads tracebacks: "  File "x.py", line 3, in f" with the line of code below, oldest call first, then the exception.
// When exceptions were raised while another was handled, the last one was reported.
func parsePython(lines []string) []Trace {
	p := pythonReader{}
	for _, line := range lines {
		p.readLine(strings.TrimPrefix(strings.TrimPrefix(line, "  | "), "  + Exception Group "))
	}
	p.closeTrace()
	return requireFrames(reverseInPlace(p.traces))
}

type pythonReader struct {
	traces  []Trace
	frames  []core.Frame
	message []string
	isDone  bool // the traceback of an exception group is over: its parts are separate exceptions
}

func (p *pythonReader) readLine(line string) {
	text := strings.TrimSpace(line)
	switch {
	case p.isDone:
	case strings.HasSuffix(text, tracebackStart), isChain(text):
		p.closeTrace()
	case strings.HasPrefix(text, "+-+--"):
		p.closeTrace()
		p.isDone = true
	case len(p.message) > 0:
		p.message = append(p.message, line)
	case strings.HasPrefix(text, `File "`):
		if f, ok := readFramePython(text); ok {
			p.frames = append(p.frames, f)
		}
	case len(p.frames) == 0 || text == "" || strings.HasPrefix(text, "[Previous line repeated"):
	case line[0] == ' ':
		if last := &p.frames[len(p.frames)-1]; last.ContextLine == "" && strings.Trim(text, "^~ ") != "" {
			last.ContextLine = asUntrusted(text)
		}
	default:
		p.message = append(p.message, line)
	}
}

// isChain reports whether a line joins an exception to the one above it.
func isChain(text string) bool {
	return text == "The above exception was the direct cause of the following exception:" ||
		text == "During handling of the above exception, another exception occurred:"
}

// closeTrace closes the current exception.
func (p *pythonReader) closeTrace() {
	if len(p.frames) > 0 {
		typ, value := splitHeader(strings.Join(p.message, "\n"))
		t := Trace{Value: value, Frames: reverseInPlace(p.frames)}
		t.Module, t.Type = splitQualified(typ)
		p.traces = append(p.traces, t)
	}
	p.frames, p.message = nil, nil
}

func readFramePython(text string) (core.Frame, bool) {
	file, rest, ok := strings.Cut(strings.TrimPrefix(text, `File "`), `", line `)
	if !ok {
		return core.Frame{}, false
	}
	digits, function, _ := strings.Cut(rest, ", in ")
	return core.Frame{
		Function: asUntrusted(function), Filename: asUntrusted(cutToImportPath(file)), AbsPath: asUntrusted(file),
		Lineno: parseLine(digits),
	}, true
}

// cutToImportPath returns the part of a path below the folder that packages are imported from.
func cutToImportPath(file string) string {
	for _, folder := range [...]string{"site-packages/", "dist-packages/"} {
		if i := strings.LastIndex(file, folder); i >= 0 {
			return file[i+len(folder):]
		}
	}
	return file
}
