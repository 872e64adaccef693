// Package stack reads the stack traces that languages print, for events that carry one as text instead of frames (decisions 3:
// the native format's `stack`).
//
// The parsers are written by hand and read the text once. They never fail: they leave out lines that they do not know.
package stack

import (
	"strconv"
	"strings"

	"errand/core"
)

// Trace is one exception of a text, with its frames.
type Trace struct {
	Type   string // such as TypeError; empty when the text does not say
	Value  string // the message
	Module string // where the type is declared, for languages that write it before the type
	Frames []core.Frame
}

// maxLines is how many lines of a text are read, half from each end.
const maxLines = 20_000

// ParseStack reads a stack trace: the reported exception first, then its causes. It tries the formats of the platform (a Sentry
// platform such as node or csharp), and all formats when the platform is unknown or does not fit. It also returns the platform of
// the format that it found. A text that is not a stack trace has no traces and no platform.
//
// Frames have the most recent call first. The caller decides whether they are in_app.
func ParseStack(text, platform string) (traces []Trace, found string) {
	lines := splitLines(text)
	family := platformFamilies[platform]
	best := 0
	for pass := 0; pass < 2 && best == 0; pass++ {
		for _, f := range formats {
			if pass == 0 && f.platform != family {
				continue
			}
			candidate := f.parse(lines)
			if n := countFrames(candidate); n > best {
				best, traces, found = n, candidate, f.platform
			}
		}
	}
	return traces, found
}

// format is one way to print a stack.
type format struct {
	platform string
	parse    func(lines []string) []Trace
}

// formats are ordered by strictness: when two read the same number of frames, the first one wins.
var formats = []format{
	{"java", parseJava},
	{"python", parsePython},
	{"go", parseGo},
	{"csharp", parseDotnet},
	{"ruby", parseRuby},
	{"php", parsePHP},
	{"rust", parseRust},
	{"javascript", parseV8},
	{"javascript", parseGecko},
}

// platformFamilies maps platforms to the platforms of the formats.
var platformFamilies = map[string]string{
	"javascript": "javascript", "node": "javascript", "bun": "javascript", "deno": "javascript", "react-native": "javascript",
	"java": "java", "android": "java", "kotlin": "java", "scala": "java", "groovy": "java", "clojure": "java",
	"csharp": "csharp", "dotnet": "csharp", "fsharp": "csharp", "vb": "csharp",
	"python": "python", "go": "go", "ruby": "ruby", "php": "php", "rust": "rust",
}

func countFrames(traces []Trace) int {
	n := 0
	for i := range traces {
		n += len(traces[i].Frames)
	}
	return n
}

// splitLines cuts a text into lines, without the middle of a text that is too long.
func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	if len(lines) > maxLines {
		lines = append(lines[:maxLines/2:maxLines/2], lines[len(lines)-maxLines/2:]...)
	}
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// cutPosition takes ":line" or ":line:column" off the end of a text. Both are 0 when there is none.
func cutPosition(text string) (location string, line, column core.OptInt) {
	location, last := cutNumber(text)
	if last == 0 {
		return text, 0, 0
	}
	if rest, first := cutNumber(location); first != 0 {
		return rest, first, last
	}
	return location, last, 0
}

// cutNumber takes ":digits" off the end of a text.
func cutNumber(text string) (string, core.OptInt) {
	i := len(text)
	for i > 0 && text[i-1] >= '0' && text[i-1] <= '9' {
		i--
	}
	if i < 2 || i == len(text) || text[i-1] != ':' {
		return text, 0
	}
	return text[:i-1], parseLine(text[i:])
}

// parseLine reads a line number; digits that cannot be one are 0.
func parseLine(digits string) core.OptInt {
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return 0
	}
	return core.OptInt(n)
}

// splitHeader splits "Type: message". A text that does not start with the name of a type is a message.
func splitHeader(text string) (typ, value string) {
	text = strings.TrimSpace(text)
	name, rest, found := strings.Cut(text, ":")
	name, _, _ = strings.Cut(name, " [") // Node adds a code: TypeError [ERR_X]
	name = cutCode(name)
	if !isType(name) || found && rest != "" && rest[0] != ' ' && rest[0] != '\n' {
		return "", text
	}
	return name, strings.TrimSpace(rest)
}

// cutCode cuts the code that .NET writes behind a type: "SocketException (111)", "COMException (0x80040154)".
func cutCode(name string) string {
	typ, code, _ := strings.Cut(name, " (")
	code, isClosed := strings.CutSuffix(code, ")")
	if _, err := strconv.ParseUint(strings.TrimPrefix(code, "-"), 0, 64); !isClosed || err != nil {
		return name
	}
	return typ
}

// isType reports whether a text may name a type: letters, digits, dots and similar.
func isType(name string) bool {
	if name == "" {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80
		if !letter && (i == 0 || (c < '0' || c > '9') && strings.IndexByte(".`+/\\<>", c) < 0) {
			return false
		}
	}
	return true
}

// splitQualified splits "package.Type" into its parts.
func splitQualified(name string) (module, typ string) {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}

// reverseInPlace reverses a list, and returns it.
func reverseInPlace[T any](list []T) []T {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// requireFrames returns no traces unless one of them has frames: a text with only messages is not a stack trace.
func requireFrames(traces []Trace) []Trace {
	if countFrames(traces) == 0 {
		return nil
	}
	return traces
}

func asUntrusted(s string) core.Untrusted { return core.Untrusted(s) }
