package stack

import (
	"strings"

	"errand/core"
)

// parsePHP reads an uncaught exception, or Exception::getTraceAsString: lines of "#0 file(12): Class->method(args)". The
// file of a line is where its function was called, so each function belongs to the place above it. A previous exception
// is printed first, the one that was reported last, after "Next".
func parsePHP(lines []string) []Trace {
	p := php{}
	for _, raw := range lines {
		p.line(strings.TrimSpace(raw))
	}
	p.end()
	return withFrames(reversed(p.traces))
}

type php struct {
	traces  []Trace
	current Trace
	place   core.Frame // where the next function was called from, or the exception thrown
	message []string
	calls   bool
}

func (p *php) line(line string) {
	switch {
	case strings.HasPrefix(line, "#") && p.call(line):
	case line == "Stack trace:" || line == "thrown in":
	case p.calls && strings.HasPrefix(line, "Next "):
		p.end()
		p.message = []string{line[len("Next "):]}
	case !p.calls:
		p.message = append(p.message, line)
	}
}

// call reads one line of calls.
func (p *php) call(line string) bool {
	digits, rest, ok := strings.Cut(line[1:], " ")
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	if !p.calls {
		p.header()
	}
	p.calls = true
	if rest == "{main}" {
		return true
	}
	place, call, ok := strings.Cut(rest, ": ")
	if !ok {
		return false
	}
	p.function(call)
	p.place = placePHP(place)
	return true
}

// function closes the frame of the last place with its function.
func (p *php) function(call string) {
	name, _, _ := strings.Cut(call, "(")
	if strings.HasPrefix(call, "{closure") {
		name = "{closure}"
	} else if strings.HasSuffix(name, "{closure") {
		name += "}"
	}
	f := p.place
	for _, sep := range [...]string{"->", "::"} {
		if class, method, ok := strings.Cut(name, sep); ok {
			f.Module, name = untrusted(class), method
			break
		}
	}
	f.Function = untrusted(name)
	p.current.Frames = append(p.current.Frames, f)
	p.place = core.Frame{}
}

// placePHP reads "file(12)" or "[internal function]".
func placePHP(text string) core.Frame {
	open := strings.LastIndexByte(text, '(')
	if open < 0 || !strings.HasSuffix(text, ")") {
		return core.Frame{Filename: untrusted(text)}
	}
	return core.Frame{
		AbsPath: untrusted(text[:open]), Filename: untrusted(text[:open]), Lineno: atoi(text[open+1 : len(text)-1]),
	}
}

// header reads "PHP Fatal error:  Uncaught Type: text in file:12".
func (p *php) header() {
	text := strings.TrimSpace(strings.Join(p.message, "\n"))
	if i := strings.Index(text, "Uncaught "); i >= 0 {
		text = text[i+len("Uncaught "):]
	}
	if before, place, ok := cutLast(text, " in "); ok {
		if file, line, _ := position(place); line != 0 {
			p.place = core.Frame{AbsPath: untrusted(file), Filename: untrusted(file), Lineno: line}
			text = before
		}
	}
	p.current.Type, p.current.Value = header(text)
}

// end closes the exception that is being read; its last place has no function but the script itself.
func (p *php) end() {
	if p.place.Filename != "" {
		p.current.Frames = append(p.current.Frames, p.place)
	}
	if len(p.current.Frames) > 0 {
		p.traces = append(p.traces, p.current)
	}
	*p = php{traces: p.traces}
}
