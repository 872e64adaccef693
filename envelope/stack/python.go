package stack

import (
	"strings"

	"errand/core"
)

const tracebackStart = "Traceback (most recent call last):"

// parsePython reads tracebacks: "  File "x.py", line 3, in f" with the line of code below, oldest call first, then the
// exception. Of exceptions that were raised while another was handled, the last one was reported.
func parsePython(lines []string) []Trace {
	p := python{}
	for _, line := range lines {
		p.line(strings.TrimPrefix(strings.TrimPrefix(line, "  | "), "  + Exception Group "))
	}
	p.end()
	return withFrames(reversed(p.traces))
}

type python struct {
	traces  []Trace
	frames  []core.Frame
	message []string
	done    bool // the traceback of an exception group is over: its parts are exceptions of their own
}

func (p *python) line(line string) {
	text := strings.TrimSpace(line)
	switch {
	case p.done:
	case strings.HasSuffix(text, tracebackStart), isChain(text):
		p.end()
	case strings.HasPrefix(text, "+-+--"):
		p.end()
		p.done = true
	case len(p.message) > 0:
		p.message = append(p.message, line)
	case strings.HasPrefix(text, `File "`):
		if f, ok := framePython(text); ok {
			p.frames = append(p.frames, f)
		}
	case len(p.frames) == 0 || text == "" || strings.HasPrefix(text, "[Previous line repeated"):
	case line[0] == ' ':
		if last := &p.frames[len(p.frames)-1]; last.ContextLine == "" && strings.Trim(text, "^~ ") != "" {
			last.ContextLine = untrusted(text)
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

// end closes the exception that is being read.
func (p *python) end() {
	if len(p.frames) > 0 {
		typ, value := header(strings.Join(p.message, "\n"))
		t := Trace{Value: value, Frames: reversed(p.frames)}
		t.Module, t.Type = qualified(typ)
		p.traces = append(p.traces, t)
	}
	p.frames, p.message = nil, nil
}

func framePython(text string) (core.Frame, bool) {
	file, rest, ok := strings.Cut(strings.TrimPrefix(text, `File "`), `", line `)
	if !ok {
		return core.Frame{}, false
	}
	digits, function, _ := strings.Cut(rest, ", in ")
	return core.Frame{
		Function: untrusted(function), Filename: untrusted(importPath(file)), AbsPath: untrusted(file), Lineno: atoi(digits),
	}, true
}

// importPath gives the part of a path below the folder that packages are imported from.
func importPath(file string) string {
	for _, folder := range [...]string{"site-packages/", "dist-packages/"} {
		if i := strings.LastIndex(file, folder); i >= 0 {
			return file[i+len(folder):]
		}
	}
	return file
}
