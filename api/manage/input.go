package manage

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"errand/core"
	"errand/core/manage"
	"errand/wire"
)

// readInput returns the flat input of a call: the names in the path, and the known fields of the query or the body.
// Unknown fields are dropped (management API, 1.1).
func readInput(w http.ResponseWriter, r *http.Request, op *core.Operation, path map[string]string) (map[string]any, error) {
	args := map[string]any{}
	var err error
	if op.HasBody() {
		err = addBody(args, w, r, op)
	} else {
		err = addQuery(args, r, op)
	}
	if err != nil {
		return nil, err
	}
	for name, text := range path {
		args[name] = text
	}
	return args, nil
}

// readPath returns the values of the path, by the operation's names. A value that cannot be a name is not found.
func readPath(r *http.Request, op *core.Operation) (map[string]string, error) {
	path := map[string]string{}
	for _, name := range op.PathParams() {
		text := chi.URLParam(r, name)
		if r.URL.RawPath != "" { // chi matches it, as it was sent
			var err error
			if text, err = url.PathUnescape(text); err != nil {
				return nil, core.NewError(core.NotFound)
			}
		}
		if !isText(text) {
			return nil, core.NewError(core.NotFound)
		}
		path[name] = text
	}
	return path, nil
}

// isText reports whether the database can hold the text.
func isText(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// addBody adds the known fields of the body, which the wrapper of their resource may surround.
func addBody(args map[string]any, w http.ResponseWriter, r *http.Request, op *core.Operation) error {
	text, err := wire.ReadBody(w, r)
	if err != nil {
		return err
	}
	members, err := core.DecodeArgs(bytes.TrimSpace(text))
	if err != nil {
		return err
	}
	if wrapped, ok := members[manage.FindWrapper(op)].(map[string]any); ok {
		members = wrapped
	}
	for _, field := range op.Fields() {
		if value, given := members[field.Name]; given {
			args[field.Name] = value
		}
	}
	return nil
}

// addQuery adds the known fields of the query. An empty field counts as absent. A list is name[]=a&name[]=b, or name=a.
func addQuery(args map[string]any, r *http.Request, op *core.Operation) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return core.RefuseField("", "the query must be name=value pairs joined by &, with %%XX for special characters")
	}
	for _, field := range op.Fields() {
		isList := field.Schema["type"] == "array"
		texts := query[field.Name]
		if isList {
			texts = append(texts, query[field.Name+"[]"]...)
		}
		texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
		switch {
		case len(texts) == 0:
		case slices.ContainsFunc(texts, func(text string) bool { return !isText(text) }):
			return core.RefuseField(field.Name, "must be valid UTF-8 without NUL")
		case isList:
			list := make([]any, len(texts))
			for i, text := range texts {
				list[i] = text
			}
			args[field.Name] = list
		default:
			args[field.Name] = texts[len(texts)-1] // the last of repeated values counts
		}
	}
	return nil
}
