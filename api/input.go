package api

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"errand/core"
	"errand/wire"
)

// inputPart is a part of a request that can contain fields of the input.
type inputPart string

const (
	inPath  inputPart = "path"
	inQuery inputPart = "query"
	inBody  inputPart = "body"
)

// partOf returns the part of the request for a field of the operation. Unknown fields belong in the part for fields outside the path.
func partOf(op *core.Operation, field string) inputPart {
	switch {
	case slices.Contains(op.PathParams(), field):
		return inPath
	case op.HasBody():
		return inBody
	default:
		return inQuery
	}
}

// inputReader gathers the flat input of one call from the parts of its request.
type inputReader struct {
	op      *core.Operation
	args    map[string]any
	details []core.Detail
}

// readInput returns the flat input of the call. A field in the wrong part of the request is an invalid_request that
// says where it belongs. The registry checks whether the fields are known and their values valid.
func readInput(op *core.Operation, request huma.Context) (map[string]any, error) {
	r, w := humachi.Unwrap(request)
	var body []byte
	var err error
	if op.Body == nil { // otherwise a file, which the handler reads
		if body, err = wire.ReadBody(w, r); err != nil {
			return nil, err
		}
	}
	// The content type does not matter: curl -d claims to send a form.
	members, err := core.DecodeArgs(bytes.TrimSpace(body))
	if err != nil {
		return nil, err
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, core.RefuseField("", "the query must be name=value pairs joined by &, with %%XX for special characters")
	}
	in := &inputReader{op: op, args: map[string]any{}}
	for name, value := range members {
		in.takeValue(inBody, name, value)
	}
	for name, values := range query {
		in.takeTexts(inQuery, name, values...)
	}
	for _, name := range op.PathParams() {
		in.takeTexts(inPath, name, request.Param(name))
	}
	if in.details != nil {
		slices.SortFunc(in.details, func(a, b core.Detail) int { return strings.Compare(a.Path, b.Path) })
		return nil, &core.Error{Code: core.InvalidRequest, Details: in.details}
	}
	return in.args, nil
}

func (in *inputReader) refuseField(name, message string) {
	in.details = append(in.details, core.Detail{Path: name, Message: message})
}

func (in *inputReader) findField(name string) (core.Field, bool) {
	fields := in.op.Fields()
	at := slices.IndexFunc(fields, func(f core.Field) bool { return f.Name == name })
	if at < 0 {
		return core.Field{}, false
	}
	return fields[at], true
}

// takeValue adds one field, unless it is in the wrong part of the request.
func (in *inputReader) takeValue(from inputPart, name string, value any) {
	right := partOf(in.op, name)
	_, known := in.findField(name)
	switch {
	case right == from:
		in.args[name] = value
	case known:
		in.refuseField(name, "stands in the "+string(right)+", not in the "+string(from))
	default:
		in.refuseField(name, "is not a known field; this operation takes its fields from the "+string(right))
	}
}

// takeTexts adds a field from the path or the query. A repeated field in the query becomes a list, if the field is one.
func (in *inputReader) takeTexts(from inputPart, name string, texts ...string) {
	if slices.ContainsFunc(texts, func(text string) bool { return !utf8.ValidString(text) }) {
		in.refuseField(name, "must be valid UTF-8")
		return
	}
	if len(texts) == 1 {
		in.takeValue(from, name, texts[0])
		return
	}
	if field, known := in.findField(name); known && field.Schema["type"] != "array" {
		in.refuseField(name, "must be given once")
		return
	}
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	in.takeValue(from, name, list)
}
