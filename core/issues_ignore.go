package core

import (
	"errors"
	"time"
)

// Deadline is a point in time given as a duration from now (30m, 24h, 7d) or as an ISO date or time.
type Deadline string

// JSONSchema is a text.
func (Deadline) JSONSchema() Schema { return Since("").JSONSchema() }

// Check refuses a text that is neither a duration nor a time.
func (d Deadline) Check() error {
	_, err := d.Time(time.Unix(0, 0))
	return err
}

// Time returns the instant that is meant, seen from now; the zero time for an empty text.
func (d Deadline) Time(now time.Time) (time.Time, error) {
	if length, err := ParseDuration(string(d)); err == nil {
		return now.Add(length), nil
	}
	t, err := Since(d).Time(now)
	if year := t.Year(); err == nil && d != "" && (year < 1970 || year > 9999) {
		return time.Time{}, errors.New("must be a time from 1970 to 9999")
	}
	return t, err
}

// IgnoreTerm says until when an issue is ignored: what comes first. The zero value is for good.
type IgnoreTerm struct {
	Until       Deadline `json:"until,omitempty" doc:"7d, or an ISO time."`
	AfterEvents int64    `json:"after_events,omitempty" doc:"Ignored until it has so many more events." plain:"true" min:"1" max:"1000000000"`
	AfterUsers  int64    `json:"after_users,omitempty" doc:"@ignoreTerm.after_users" plain:"true" min:"1" max:"1000"`
}

// IsForGood reports whether the term never ends.
func (term IgnoreTerm) IsForGood() bool { return term == IgnoreTerm{} }

// IgnoreEnd is when an ignored issue returns: when the first of its terms is reached.
type IgnoreEnd struct {
	At            Time   `json:"at" doc:"When it returns; null for never."`
	TimesSeen     OptInt `json:"times_seen" doc:"With how many events it returns; null for never."`
	UsersAffected OptInt `json:"users_affected" doc:"With how many users it returns; null for never."`
}

// IgnoreReason is why an ignored issue has returned.
type IgnoreReason string

// The reasons.
const (
	IgnoredUntil       IgnoreReason = "until"
	IgnoredAfterEvents IgnoreReason = "after_events"
	IgnoredAfterUsers  IgnoreReason = "after_users"
)

// IgnoreIssueInput is the body of POST /v1/issues/{id}/ignore.
type IgnoreIssueInput struct {
	ID int64 `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	IgnoreTerm
}

// IgnoreIssue declares POST /v1/issues/{id}/ignore.
var IgnoreIssue = DefineOperation[IgnoreIssueInput, OrHeld[Data[Issue]]](Operation{
	Name: "ignore_issue", Route: "POST /v1/issues/{id}/ignore", Scope: IssuesWrite, Warns: true,
	Summary: "Ignore an issue",
	Description: "Marks an issue as not worth work. It keeps counting and stays ignored: for good, or until a time, or so many more " +
		"events or users.",
	Example: `{"id": 42, "until": "7d", "after_users": 10}`,
	Errors:  []Code{NotFound}, Idempotent: true,
	Next: []string{"next_issue"},
})
