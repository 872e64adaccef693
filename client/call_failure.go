package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"errand/core"
)

// usageError is a mistake in a command line, found before any request.
type usageError string

func (e usageError) Error() string { return string(e) }

// ExitUsage is the exit code after a mistake in a command line; other failures have 1.
const ExitUsage = 2

// ExitCode is read by main.
func (usageError) ExitCode() int { return ExitUsage }

// codeOf returns the code of an API error; empty for anything else.
func codeOf(body []byte) core.Code {
	var failure struct{ Error core.Code }
	_ = json.Unmarshal(body, &failure) // not JSON: not an API error
	return failure.Error
}

// saidInWords are the members of an error that explainFailure expresses in words.
var saidInWords = []string{"error", "details", "required_scope", "reason", "hint"}

// explainFailure explains an API error, in words that follow its status: its fields, its other members, and the hint that agents get.
func explainFailure(header http.Header, body []byte) string {
	var failure struct {
		Error         core.Code
		Details       []core.Detail
		RequiredScope core.Scope `json:"required_scope"`
		Reason        string
		Hint          string
	}
	if json.Unmarshal(body, &failure) != nil || failure.Error == "" {
		return ": " + errNotErrand.Error()
	}
	text := fmt.Sprintf(": %s", failure.Error)
	for _, d := range failure.Details {
		text += fmt.Sprintf("; %s %s", d.Path, d.Message)
	}
	if failure.Error == core.Unauthorized {
		text += "; ERRAND_TOKEN is no token of this server, or was revoked"
	}
	if failure.RequiredScope != "" {
		text += fmt.Sprintf("; the token needs the scope %s", failure.RequiredScope)
	}
	if failure.Reason != "" {
		text += "; " + failure.Reason
	}
	text += listOthers(body)
	if wait := header.Get("Retry-After"); wait != "" {
		text += "; try again in " + wait + " s"
	}
	if failure.Hint == "" {
		failure.Hint = failure.Error.Info().Hint
	}
	if failure.Hint != "" {
		text += "\n" + failure.Hint
	}
	return text
}

// listOthers writes the other members of an error, such as the claim that blocks the call.
func listOthers(body []byte) (text string) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members) // it is an object
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var value bytes.Buffer
		if slices.Contains(saidInWords, name) || json.Compact(&value, members[name]) != nil {
			continue
		}
		text += "; " + name + ": " + value.String()
	}
	return text
}
