package sourcemap

import (
	"bytes"
	"strings"
)

// Links are the references to a source map in an emitted JavaScript file.
type Links struct {
	MapURL  string // of //# sourceMappingURL=, relative to the file or absolute, or a data: URL; empty when there is none
	DebugID string // of //# debugId=, a UUID in lower case with hyphens; empty when there is none
}

// maxTail is how much of the end of a file FindLinks reads, beyond a map in the comment itself.
const maxTail = 64 << 10

// FindLinks reads the comments at the end of an emitted file. As in ECMA-426 (JavaScriptExtractSourceMapURL, without parsing),
// only comment lines count, from the end up to the first other line, and a comment with a quote ends the search: it may be part
// of a string.
func FindLinks(file []byte) Links {
	var links Links
	for seen := 0; len(file) > 0 && seen < maxTail; {
		start := lastLineStart(file)
		line := string(bytes.TrimSpace(file[start:]))
		file = file[:max(0, start-1)]
		comment, isComment := strings.CutPrefix(line, "//")
		if line != "" && (!isComment || strings.ContainsAny(comment, "\"'`") || strings.Contains(comment, "*/")) {
			break
		}
		if !strings.Contains(comment, "=data:") {
			seen += len(line) + 1
		}
		if value, ok := matchComment(comment, "sourceMappingURL="); ok && links.MapURL == "" {
			links.MapURL = value
		}
		if value, ok := matchComment(comment, "debugId="); ok && links.DebugID == "" {
			if id, ok := parseDebugID(value); ok {
				links.DebugID = formatDebugID(id)
			}
		}
	}
	return links
}

// lastLineStart returns where the last line of a file begins.
func lastLineStart(file []byte) int {
	start := bytes.LastIndexAny(file, "\n\r") + 1
	for _, separator := range []string{"\u2028", "\u2029"} {
		if at := bytes.LastIndex(file[start:], []byte(separator)); at >= 0 {
			start += at + len(separator)
		}
	}
	return start
}

// matchComment returns the value of a comment such as "# debugId=...". The older form with @ counts too.
func matchComment(comment, name string) (value string, ok bool) {
	if comment == "" || comment[0] != '#' && comment[0] != '@' {
		return "", false
	}
	value, ok = strings.CutPrefix(strings.TrimSpace(comment[1:]), name)
	return value, ok && value != "" && !strings.ContainsAny(value, " \t\v\f")
}
