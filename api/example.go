package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"errand/core"
)

// example is an operation's example, spread over the parts of a request.
type example struct {
	path string          // with the values of its parameters, and with the query
	body json.RawMessage // nil without one
}

func newExample(op *core.Operation) example {
	values := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(op.Example), &values) // a test holds that each example is valid
	path, query, body := op.Path(), "", ""
	for _, field := range op.Fields() {
		value, given := values[field.Name]
		if !given {
			continue
		}
		switch placeOf(op, field.Name) {
		case inPath:
			path = strings.ReplaceAll(path, "{"+field.Name+"}", url.PathEscape(plain(value)))
		case inQuery:
			query += "&" + url.QueryEscape(field.Name) + "=" + url.QueryEscape(plain(value))
		case inBody:
			body += `, "` + field.Name + `": ` + string(value)
		}
	}
	made := example{path: path}
	if query != "" {
		made.path += "?" + query[1:]
	}
	if body != "" {
		made.body = json.RawMessage("{" + body[2:] + "}")
	}
	return made
}

// plain is how a value stands in a URL.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(bytes.TrimSpace(value))
}

// curl is the example as a command for a shell.
func curl(baseURL string, op *core.Operation) string {
	made := newExample(op)
	var b strings.Builder
	b.WriteString("curl")
	if method := op.Method(); method != http.MethodGet {
		b.WriteString(" -X " + method)
	}
	b.WriteString(" " + quote(baseURL+made.path))
	if op.Scope == core.NoToken {
		b.WriteString(" \\\n  -H \"X-Service-Key: $DSN_KEY\"")
	} else {
		b.WriteString(" \\\n  -H \"Authorization: Bearer $ERRAND_TOKEN\"")
	}
	if made.body != nil {
		b.WriteString(" \\\n  -d " + quote(string(made.body)))
	}
	return b.String()
}

// quote writes text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
