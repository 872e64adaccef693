package core

import (
	"maps"
	"reflect"
	"slices"
)

// ErrorForm is what an error means to a client of an API, and what its body looks like.
type ErrorForm struct {
	Status  int      // of HTTP
	Meaning string   // one line, for the API's documentation
	Hint    string   // the next call that would work, for agents; empty where the error says it all
	Next    []string // tools that help after it, as Operation.Next; nil for none
	// Members is a struct of what the body has beside the code; nil for nothing. Error.With adds these members and no others.
	// Those that are tagged omitempty are not always there.
	Members any
}

// ErrorForms are the errors of one API.
type ErrorForms map[Code]ErrorForm

// BodySchema returns the JSON Schema of the bodies that errors with the codes have.
func (f ErrorForms) BodySchema(codes ...Code) Schema {
	var kinds []reflect.Type
	codesOf := map[reflect.Type][]any{}
	for _, code := range codes {
		kind := reflect.TypeOf(f[code].Members) // nil for a code without members
		if codesOf[kind] == nil {
			kinds = append(kinds, kind)
		}
		codesOf[kind] = append(codesOf[kind], string(code))
	}
	bodies := make([]any, len(kinds))
	for i, kind := range kinds {
		bodies[i] = errorBody(kind, codesOf[kind])
	}
	if len(bodies) == 1 {
		return bodies[0].(Schema)
	}
	return Schema{"oneOf": bodies}
}

// errorBody is the schema of codes that have the same members.
func errorBody(members reflect.Type, codes []any) Schema {
	body := Schema{"type": "object", "properties": Schema{}}
	if members != nil {
		body = reflector{}.objectSchema(members)
	}
	required, _ := body["required"].([]string)
	body["properties"].(Schema)["error"] = Schema{"type": "string", "enum": codes}
	body["required"] = append([]string{"error"}, required...)
	return body
}

// MembersOf returns the names and schemas of what an error with the code has beside it, the names sorted.
func (f ErrorForms) MembersOf(code Code) (names []string, schemas Schema) {
	if f[code].Members == nil {
		return nil, nil
	}
	schemas = reflector{}.objectSchema(reflect.TypeOf(f[code].Members))["properties"].(Schema)
	return slices.Sorted(maps.Keys(schemas)), schemas
}
