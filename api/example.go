package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"errand/core"
)

// ExampleTarget is where the input of an operation goes over REST.
type ExampleTarget struct {
	Path string          // with the values of its parameters, and with the query
	Body json.RawMessage // nil if there is none
}

// TargetOf spreads a flat input over the parts of a request, in the order of the operation's fields. Fields that are
// not the operation's come last, where it takes those that are not in the path.
func TargetOf(op *core.Operation, input map[string]json.RawMessage) ExampleTarget {
	path, query, body := op.Path(), "", ""
	for _, name := range namesIn(op, input) {
		value := input[name]
		switch partOf(op, name) {
		case inPath:
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(plainText(value)))
		case inQuery:
			query += "&" + url.QueryEscape(name) + "=" + url.QueryEscape(plainText(value))
		case inBody:
			body += `, "` + name + `": ` + string(value)
		}
	}
	target := ExampleTarget{Path: path}
	if query != "" {
		target.Path += "?" + query[1:]
	}
	if body != "" {
		target.Body = json.RawMessage("{" + body[2:] + "}")
	}
	return target
}

// namesIn returns the names of the input's fields, the operation's own first.
func namesIn(op *core.Operation, input map[string]json.RawMessage) []string {
	var names []string
	for _, field := range op.Fields() {
		if _, given := input[field.Name]; given {
			names = append(names, field.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(input)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// plainText is the form of a value in a URL.
func plainText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(bytes.TrimSpace(value))
}

// newExample is an operation's example as a request.
func newExample(op *core.Operation) ExampleTarget {
	input := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(op.Example), &input) // a test checks that each example is valid
	return TargetOf(op, input)
}

// curlCommand is the example as a shell command.
func (d *dialect) curlCommand(baseURL string, op *core.Operation) string {
	made := newExample(op)
	var b strings.Builder
	b.WriteString("curl")
	if method := op.Method(); method != http.MethodGet {
		b.WriteString(" -X " + method)
	}
	b.WriteString(" " + quoteShell(baseURL+made.Path))
	if key := d.keyOf(op); key != "" {
		b.WriteString(" \\\n  -H \"" + key + "\"")
	}
	if op.Body != nil {
		b.WriteString(" \\\n  -H 'Content-Type: " + op.Body.Types[0] + "' --data-binary @FILE")
	}
	if made.Body != nil {
		b.WriteString(" \\\n  -d " + quoteShell(string(made.Body)))
	}
	return b.String()
}

// quoteShell writes text as one word of a shell.
func quoteShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
