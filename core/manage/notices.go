package manage

import (
	"errand/core"
)

var noticeOperations = []*core.Operation{ListNotices.Operation, GetNotice.Operation}

// Notice is a stored event of Errand.
type Notice struct {
	ID           int64           `json:"id"`
	ProblemID    int64           `json:"problem_id"`
	ErrorClass   string          `json:"error_class"`
	ErrorMessage AppText         `json:"error_message"`
	OccurredAt   Time            `json:"occurred_at" always:"true"`
	CreatedAt    Time            `json:"created_at" always:"true"`
	UpdatedAt    Time            `json:"updated_at" always:"true"`
	Context      Object          `json:"context" doc:"Extra data, contexts and tags of the event."`
	Request      Object          `json:"request"`
	UserInfo     Object          `json:"user_info"`
	Notifier     Object          `json:"notifier" doc:"The program that sent it: name, version, language."`
	Backtrace    core.List[Line] `json:"backtrace" doc:"The most recent call first."`
}

// Line is one line of a backtrace.
type Line struct {
	File   string `json:"file"`
	Line   int64  `json:"line"`
	Method string `json:"method"`
}

// Object is a JSON object with any members. It is {} when empty, never null.
type Object map[string]any

// JSONSchema is an object.
func (Object) JSONSchema() core.Schema { return core.Schema{"type": "object"} }

// MarshalJSON writes the object without the escapes that only pages need.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("{}"), nil
	}
	return core.MarshalPlain(map[string]any(o))
}

// ListNoticesInput chooses the notices of a problem to list.
type ListNoticesInput struct {
	ProblemPartInput
	DateFrom Date `json:"date_from,omitempty" doc:"The first day on which it occurred."`
	DateTo   Date `json:"date_to,omitempty" doc:"The last day on which it occurred."`
	Numbering
}

// ListNotices declares GET /api/v1/apps/{app}/problems/{problem}/notices.
var ListNotices = core.DefineOperation[ListNoticesInput, Pages[Notice]](core.Operation{
	Name: "list_notices", Route: "GET /api/v1/apps/{app}/problems/{problem}/notices", Scope: core.AnyToken,
	Summary: "List notices", Description: "Lists the notices of a problem in full, newest first. It needs the permission notices:read.",
	Example: `{"app": "web-shop", "problem": 7}`, Errors: []core.Code{core.NotFound, core.Forbidden, ValidationFailed},
})

// NoticeInput names a notice of a problem in the path.
type NoticeInput struct {
	ProblemPartInput
	ID int64 `json:"id" doc:"Id of the notice." min:"1"`
}

// GetNotice declares GET /api/v1/apps/{app}/problems/{problem}/notices/{id}.
var GetNotice = core.DefineOperation[NoticeInput, Notice](core.Operation{
	Name: "get_notice", Route: "GET /api/v1/apps/{app}/problems/{problem}/notices/{id}", Scope: core.AnyToken,
	Summary: "Show a notice", Description: "Shows one notice. It needs the permission notices:read.",
	Example: `{"app": "web-shop", "problem": 7, "id": 9}`, Errors: []core.Code{core.NotFound, core.Forbidden},
})
