package core

import (
	"maps"
	"reflect"
	"slices"
)

// members declares what the body of an error has beside its code: With adds these members and no others. A code that is
// not here has none. Members tagged omitempty are not always there.
var members = map[Code]any{
	InvalidRequest: struct {
		Details List[Detail] `json:"details" doc:"What is wrong with each field."`
	}{},
	Forbidden: struct {
		RequiredScope Scope  `json:"required_scope,omitempty" enum:"issues:read|issues:write|releases:write|admin" doc:"The scope that the token lacks."`
		Reason        string `json:"reason,omitempty" doc:"Why not, where it is not for want of a scope: nobody decides a request of their own."`
	}{},
	ForbiddenProject: reasonMember{},
	NotClaimHolder:   claimMember{},
	Claimed:          claimMember{},
	ApprovalRequired: Held{},
	ApprovalFailed:   reasonMember{},
	PayloadTooLarge: struct {
		MaxBytes int64 `json:"max_bytes" doc:"How large a body may be."`
	}{},
	Quota: struct {
		DailyQuota int64 `json:"daily_quota,omitempty" doc:"How many events a UTC day the project takes."`
	}{},
	Limit: struct {
		Message string `json:"message" doc:"What is done too often."`
	}{},
	HeadersTooLarge: struct {
		MaxBytes   int64 `json:"max_bytes" doc:"How long the request line and the headers may be together."`
		MaxHeaders int64 `json:"max_headers" doc:"How many headers a request may have."`
	}{},
	UnsupportedMedia: struct {
		Supported List[string] `json:"supported" doc:"The types that are taken."`
	}{},
	Unavailable: struct {
		Message string `json:"message,omitempty" doc:"Of taking events in: whether the event may be stored all the same."`
		Reason  string `json:"reason,omitempty" doc:"Of readyz: what the server is waiting for."`
	}{},
	Internal: struct {
		RequestID string `json:"request_id" doc:"The X-Request-Id of the answer, under which the log says what happened."`
	}{},
}

type claimMember struct {
	Claim Claim `json:"claim" doc:"Who holds the issue, and until when."`
}

type reasonMember struct {
	Reason string `json:"reason" doc:"Why not, in words."`
}

// ErrorSchema is the JSON Schema of the bodies that errors with the codes have.
func ErrorSchema(codes ...Code) Schema {
	var kinds []reflect.Type
	byKind := map[reflect.Type][]any{}
	for _, code := range codes {
		kind := reflect.TypeOf(members[code]) // nil for a code without members
		if byKind[kind] == nil {
			kinds = append(kinds, kind)
		}
		byKind[kind] = append(byKind[kind], string(code))
	}
	bodies := make([]any, len(kinds))
	for i, kind := range kinds {
		bodies[i] = errorBody(kind, byKind[kind])
	}
	if len(bodies) == 1 {
		return bodies[0].(Schema)
	}
	return Schema{"oneOf": bodies}
}

// errorBody is the schema of codes that have the same members.
func errorBody(kind reflect.Type, codes []any) Schema {
	body := Schema{"type": "object", "properties": Schema{}}
	if kind != nil {
		body = reflector{}.object(kind)
	}
	word := codeMember(Code(codes[0].(string)))
	body["properties"].(Schema)[word] = Schema{"type": "string", "enum": codes}
	required, _ := body["required"].([]string)
	if !slices.Contains(required, word) {
		body["required"] = append([]string{word}, required...)
	}
	return body
}

// codeMember is the member of the body that has the code. An action that is held did not fail: it has a status (primary
// API, Errors).
func codeMember(code Code) string {
	if code == ApprovalRequired {
		return "status"
	}
	return "error"
}

// HeldSchema is the JSON Schema of the answer to an action that waits for approval.
func HeldSchema() Schema { return ErrorSchema(ApprovalRequired) }

// ErrorMembers returns the names and schemas of what an error with the code has beside it, the names sorted.
func ErrorMembers(code Code) (names []string, schemas Schema) {
	if members[code] == nil {
		return nil, nil
	}
	schemas = reflector{}.object(reflect.TypeOf(members[code]))["properties"].(Schema)
	delete(schemas, codeMember(code))
	return slices.Sorted(maps.Keys(schemas)), schemas
}
