package stack

import (
	"slices"
	"strings"

	"errand/core"
)

// parseRust reads a panic with its backtrace: "thread 'main' panicked at src/main.rs:4:5:", the message, then calls as "  12:
// app::run" with "at ./src/main.rs:4:5" below. Inlined calls have their own number.
func parseRust(lines []string) []Trace {
	var trace Trace
	var message []string
	for _, raw := range lines {
		line := strings.TrimSpace(raw)
		if name, ok := readCallRust(line); ok {
			trace.Frames = append(trace.Frames, splitFrameRust(name))
			continue
		}
		if len(trace.Frames) == 0 {
			message = append(message, line)
			continue
		}
		last := &trace.Frames[len(trace.Frames)-1]
		if location, ok := strings.CutPrefix(line, "at "); ok && last.Filename == "" {
			file, lineno, column := cutPosition(location)
			last.Filename, last.AbsPath, last.Lineno, last.Colno = asUntrusted(file), asUntrusted(file), lineno, column
		}
	}
	placed := func(f core.Frame) bool { return f.Module != "" || f.Lineno != 0 }
	if !slices.ContainsFunc(trace.Frames, placed) {
		return nil // any list with numbers looks like calls
	}
	trace.Type, trace.Value = readPanicRust(message)
	return []Trace{trace}
}

// readCallRust reads "12: app::run" or "12: 0x55 - app::run".
func readCallRust(line string) (string, bool) {
	digits, name, ok := strings.Cut(line, ": ")
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, "0x") {
		_, name, _ = strings.Cut(name, " - ")
	}
	if name == "" || strings.Contains(name, ":in `") || strings.Contains(name, ": from ") {
		return "", false
	}
	return name, true
}

// splitFrameRust splits "app::module::function" before the function, outside of type parameters.
func splitFrameRust(name string) core.Frame {
	depth := 0
	for i := len(name) - 1; i > 0; i-- {
		switch name[i] {
		case '>':
			depth++
		case '<':
			depth--
		case ':':
			isHash := strings.HasPrefix(name[i+1:], "h") && len(name)-i == 18 // ::h and 16 digits
			if depth == 0 && name[i-1] == ':' && !isHash {
				return core.Frame{Function: asUntrusted(name[i+1:]), Module: asUntrusted(name[:i-1])}
			}
		}
	}
	return core.Frame{Function: asUntrusted(name)}
}

// readPanicRust reads the message: either after the location, or before it in quotes as Rust did until 2023. The first line of an
// error that main returned starts with Error.
func readPanicRust(lines []string) (typ, value string) {
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	for _, end := range [...]string{"stack backtrace:", "Stack backtrace:"} {
		text = strings.TrimSpace(strings.TrimSuffix(text, end))
	}
	i := strings.Index(text, " panicked at ")
	if i < 0 {
		return splitHeader(text)
	}
	text = text[i+len(" panicked at "):]
	if quoted, ok := strings.CutPrefix(text, "'"); ok {
		value, _, _ = cutLast(quoted, "', ")
		return "panic", value
	}
	if _, message, ok := strings.Cut(text, ":\n"); ok {
		return "panic", message
	}
	return "panic", text
}
