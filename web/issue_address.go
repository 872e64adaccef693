package web

import (
	"fmt"
	"net/url"
	"slices"
)

// Fields of the address of an issue page, beside eventFilters.
const (
	eventField    = "event"    // which event is shown; the latest one when absent
	threadField   = "thread"   // its thread, by the place in the list of its threads; the exceptions when absent
	rawField      = "raw"      // "1": frames as they were sent
	framesField   = "frames"   // "all": those of libraries too, and long values
	activityField = "activity" // cursor of the activity
)

// eventFilters are the filters of events that the address of an issue page may have.
var eventFilters = []string{"release", "environment", "user", "tag", "since", "until"}

// issueAddress is what the address of an issue page says: which event, among which others, and how its stack is shown.
type issueAddress struct {
	id    int64
	query url.Values // the fields that are known, each once
}

// readIssueAddress reads the address of the page. The operations check the values.
func (v *visit) readIssueAddress(id int64) issueAddress { return readIssueAddress(id, v.r.URL.Query()) }

// readIssueAddress reads the query of an address.
func readIssueAddress(id int64, query url.Values) issueAddress {
	a := issueAddress{id, url.Values{}}
	for _, name := range slices.Concat(eventFilters, []string{eventField, threadField, rawField, framesField, activityField}) {
		if value := query.Get(name); value != "" {
			a.query.Set(name, value)
		}
	}
	return a
}

// path returns the path of the issue with more behind it.
func (a issueAddress) path(more string) string { return fmt.Sprintf("/issues/%d%s", a.id, more) }

// with returns the address with some fields changed, as name, value; an empty value leaves one out.
func (a issueAddress) with(changes ...string) string {
	query := url.Values{}
	for name := range a.query {
		query.Set(name, a.query.Get(name))
	}
	for i := 0; i+1 < len(changes); i += 2 {
		query.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			query.Del(changes[i])
		}
	}
	if len(query) == 0 {
		return a.path("")
	}
	return a.path("?" + query.Encode())
}

// isRaw reports whether frames are shown as they were sent.
func (a issueAddress) isRaw() bool { return a.query.Get(rawField) == "1" }

// showsAll reports whether everything of an event is shown, however long it is.
func (a issueAddress) showsAll() bool { return a.query.Get(framesField) == "all" }

// hasFilter reports whether the events are filtered.
func (a issueAddress) hasFilter() bool { return slices.ContainsFunc(eventFilters, a.query.Has) }

// eventArgs returns the filters as arguments of an operation on the issue.
func (a issueAddress) eventArgs() map[string]any {
	args := map[string]any{"id": a.id}
	for _, name := range eventFilters {
		if a.query.Has(name) {
			args[name] = a.query.Get(name)
		}
	}
	return args
}
