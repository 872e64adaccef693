package core

import (
	"maps"
	"reflect"
	"slices"
)

// ErrorForm is the meaning of an error to a client of an API, and the shape of its body.
type ErrorForm struct {
	Status  int      // of HTTP
	Meaning string   // one line, for the API's documentation
	Hint    string   // the next call that would work, for agents; empty where the error says it all
	Next    []string // tools that help after it, as Operation.Next; nil for none
	// Members is a struct of the members beside the code; nil for none. Error.With adds these members and no others.
	// Members that are tagged omitempty may be absent.
	Members any
}

// ErrorForms are the errors of one API.
type ErrorForms map[Code]ErrorForm

// BodySchema returns the JSON Schema of the bodies of errors with the codes.
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

// errorBody is the schema for codes that have the same members.
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

// MembersOf returns the names, sorted, and the schemas of the members that an error with the code has beside it.
func (f ErrorForms) MembersOf(code Code) (names []string, schemas Schema) {
	if f[code].Members == nil {
		return nil, nil
	}
	schemas = reflector{}.objectSchema(reflect.TypeOf(f[code].Members))["properties"].(Schema)
	return slices.Sorted(maps.Keys(schemas)), schemas
}
