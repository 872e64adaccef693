package stack

import (
	"strings"

	"errand/core"
)

// parseGecko reads Error.stack of Firefox and Safari: lines of function@file:line:column without a message, though some code puts
// one above.
func parseGecko(lines []string) []Trace {
	var trace Trace
	var message []string
	for _, raw := range lines {
		line := strings.TrimSpace(raw)
		if frame, ok := readFrameGecko(line); ok {
			trace.Frames = append(trace.Frames, frame)
		} else if len(trace.Frames) == 0 {
			message = append(message, raw)
		}
	}
	if len(trace.Frames) == 0 {
		return nil
	}
	trace.Type, trace.Value = splitHeader(strings.Join(message, "\n"))
	return []Trace{trace}
}

func readFrameGecko(line string) (core.Frame, bool) {
	if line == "[native code]" {
		return core.Frame{Filename: "[native code]"}, true
	}
	function, location, found := cutGecko(line)
	if !found {
		function, location = "", line
	}
	if strings.HasSuffix(function, ")") { // old Firefox shows the arguments
		function, _, _ = strings.Cut(function, "(")
	}
	if location == "[native code]" {
		return core.Frame{Function: asUntrusted(function), Filename: "[native code]"}, true
	}
	if i := strings.Index(location, " > "); i > 0 {
		return readEvalGecko(function, location[:i])
	}
	file, lineno, column := cutPosition(location)
	if lineno == 0 || !found && (strings.ContainsAny(file, " \"'`") || column == 0 && !strings.Contains(file, "://")) {
		return core.Frame{}, false
	}
	return core.Frame{Function: asUntrusted(function), Filename: asUntrusted(file), Lineno: lineno, Colno: column}, true
}

// cutGecko cuts a line at the @ before the location. Functions and URLs may contain another @.
func cutGecko(line string) (function, location string, found bool) {
	for from := 0; ; {
		i := strings.IndexByte(line[from:], '@')
		if i < 0 {
			return "", "", false
		}
		i += from
		rest := line[i+1:]
		if startsLocation(rest) || strings.IndexByte(rest, '@') < 0 {
			return line[:i], rest, true
		}
		from = i + 1
	}
}

// startsLocation reports whether a text starts like a URL, an absolute path or a native location.
func startsLocation(text string) bool {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "[native") {
		return true
	}
	for i := range len(text) {
		char := text[i]
		if char == ':' {
			return i > 0 && strings.HasPrefix(text[i:], "://")
		}
		if char|0x20 < 'a' || char|0x20 > 'z' {
			if char != '-' && char != '+' && char != '.' && (char < '0' || char > '9') {
				return false
			}
		}
	}
	return false
}

// readEvalGecko reads "file line N", the location that called eval.
func readEvalGecko(function, location string) (core.Frame, bool) {
	i := strings.LastIndex(location, " line ")
	if i < 0 {
		return core.Frame{}, false
	}
	if function == "" {
		function = "eval"
	}
	return core.Frame{
		Function: asUntrusted(function), Filename: asUntrusted(location[:i]), Lineno: parseLine(location[i+len(" line "):]),
	}, true
}
