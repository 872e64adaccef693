package stack

import (
	"strings"

	"errand/core"
)

// parseRuby reads Exception#full_message and joined backtraces: "app.rb:3:in `foo': text (Type)", then lines of "from". Ruby 2.5
// to 2.7 print the oldest call first on terminals, under a line that says so. A cause follows as another first line.
func parseRuby(lines []string) []Trace {
	var traces []Trace
	oldestFirst := false
	for _, raw := range lines {
		line := strings.TrimSpace(raw)
		if line == tracebackStart {
			oldestFirst = true
			continue
		}
		line, from := cutFrom(line)
		frame, rest, ok := readFrameRuby(line)
		if !ok {
			continue
		}
		value, typ := splitMessageRuby(rest)
		if len(traces) == 0 || typ != "" && !from && !oldestFirst {
			traces = append(traces, Trace{})
		}
		t := &traces[len(traces)-1]
		t.Frames = append(t.Frames, frame)
		if typ != "" && t.Type == "" {
			t.Type, t.Value = typ, value
		}
	}
	if oldestFirst {
		for i := range traces {
			reverseInPlace(traces[i].Frames)
		}
	}
	return traces
}

// cutFrom drops "from ", or "12: from " when the oldest call is first.
func cutFrom(line string) (string, bool) {
	digits := strings.TrimLeft(line, "0123456789")
	if rest, ok := strings.CutPrefix(digits, ": from "); ok && len(digits) < len(line) {
		return rest, true
	}
	return strings.CutPrefix(line, "from ")
}

// readFrameRuby reads "app.rb:3:in `foo'" and returns the text after it. Ruby 3.4 writes 'Class#foo'.
func readFrameRuby(line string) (frame core.Frame, rest string, ok bool) {
	i := strings.Index(line, ":in ")
	if i < 0 || i+5 >= len(line) || line[i+4] != '`' && line[i+4] != '\'' {
		return frame, "", false
	}
	file, lineno, column := cutPosition(line[:i])
	if lineno == 0 || column != 0 {
		return frame, "", false
	}
	label, rest, ok := strings.Cut(line[i+5:], "'")
	if !ok {
		return frame, "", false
	}
	frame = core.Frame{AbsPath: asUntrusted(file), Filename: asUntrusted(file), Lineno: lineno}
	module, function := splitLabelRuby(label)
	frame.Module, frame.Function = asUntrusted(module), asUntrusted(function)
	return frame, rest, true
}

// splitLabelRuby splits "block in Shop::Cart#add" into Shop::Cart and "block in add".
func splitLabelRuby(label string) (module, function string) {
	space := strings.LastIndexByte(label, ' ') + 1
	name := label[space:]
	i := strings.IndexAny(name, "#.")
	if i <= 0 || i+1 == len(name) || name[0] < 'A' || name[0] > 'Z' {
		return "", label
	}
	return name[:i], label[:space] + name[i+1:]
}

// splitMessageRuby reads ": text (Type)".
func splitMessageRuby(rest string) (value, typ string) {
	rest, ok := strings.CutPrefix(rest, ": ")
	if !ok || !strings.HasSuffix(rest, ")") {
		return rest, ""
	}
	open := strings.LastIndexByte(rest, '(')
	if open < 0 || strings.ContainsAny(rest[open+1:], " ") {
		return rest, ""
	}
	return strings.TrimSpace(rest[:open]), rest[open+1 : len(rest)-1]
}
