package stack

import (
	"strings"

	"errand/core"
)

// parsePHP reads an uncaught exception, or Exception::getTraceAsString: lines of "#0 file(12): Class->method(args)". The file of
// a line is where its function was called, so each function belongs to the file and line above it. A previous exception is
// printed first; the reported one comes last, after "Next".
func parsePHP(lines []string) []Trace {
	p := phpReader{}
	for _, raw := range lines {
		p.readLine(strings.TrimSpace(raw))
	}
	p.closeTrace()
	return requireFrames(reverseInPlace(p.traces))
}

type phpReader struct {
	traces     []Trace
	current    Trace
	calledFrom core.Frame // where the next function was called, or the exception thrown
	message    []string
	sawCalls   bool
}

func (p *phpReader) readLine(line string) {
	switch {
	case strings.HasPrefix(line, "#") && p.readCall(line):
	case line == "Stack trace:" || line == "thrown in":
	case p.sawCalls && strings.HasPrefix(line, "Next "):
		p.closeTrace()
		p.message = []string{line[len("Next "):]}
	case !p.sawCalls:
		p.message = append(p.message, line)
	}
}

// readCall reads one line of a call.
func (p *phpReader) readCall(line string) bool {
	digits, rest, ok := strings.Cut(line[1:], " ")
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	if !p.sawCalls {
		p.readHeader()
	}
	p.sawCalls = true
	if rest == "{main}" {
		return true
	}
	location, call, ok := strings.Cut(rest, ": ")
	if !ok {
		return false
	}
	p.closeFrame(call)
	p.calledFrom = readLocationPHP(location)
	return true
}

// closeFrame adds a frame: the function of this line, in the file and line of the one above.
func (p *phpReader) closeFrame(call string) {
	name, _, _ := strings.Cut(call, "(")
	if strings.HasPrefix(call, "{closure") {
		name = "{closure}"
	} else if strings.HasSuffix(name, "{closure") {
		name += "}"
	}
	frame := p.calledFrom
	for _, sep := range [...]string{"->", "::"} {
		if class, method, ok := strings.Cut(name, sep); ok {
			frame.Module, name = asUntrusted(class), method
			break
		}
	}
	frame.Function = asUntrusted(name)
	p.current.Frames = append(p.current.Frames, frame)
	p.calledFrom = core.Frame{}
}

// readLocationPHP reads "file(12)" or "[internal function]".
func readLocationPHP(text string) core.Frame {
	open := strings.LastIndexByte(text, '(')
	if open < 0 || !strings.HasSuffix(text, ")") {
		return core.Frame{Filename: asUntrusted(text)}
	}
	return core.Frame{
		AbsPath: asUntrusted(text[:open]), Filename: asUntrusted(text[:open]), Lineno: parseLine(text[open+1 : len(text)-1]),
	}
}

// readHeader reads "PHP Fatal error:  Uncaught Type: text in file:12".
func (p *phpReader) readHeader() {
	text := strings.TrimSpace(strings.Join(p.message, "\n"))
	if i := strings.Index(text, "Uncaught "); i >= 0 {
		text = text[i+len("Uncaught "):]
	}
	if before, location, ok := cutLast(text, " in "); ok {
		if file, line, _ := cutPosition(location); line != 0 {
			p.calledFrom = core.Frame{AbsPath: asUntrusted(file), Filename: asUntrusted(file), Lineno: line}
			text = before
		}
	}
	p.current.Type, p.current.Value = splitHeader(text)
}

// closeTrace closes the current exception; its last frame has no function, because it is the script itself.
func (p *phpReader) closeTrace() {
	if p.calledFrom.Filename != "" {
		p.current.Frames = append(p.current.Frames, p.calledFrom)
	}
	if len(p.current.Frames) > 0 {
		p.traces = append(p.traces, p.current)
	}
	*p = phpReader{traces: p.traces}
}
