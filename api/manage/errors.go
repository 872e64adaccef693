package manage

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"errand/core"
	"errand/core/manage"
	"errand/wire"
)

// body is an error in the form of the management API. Some clients look for message, others for messages: an error
// about an input has both.
type body struct {
	Error     core.Code         `json:"error"`
	Message   string            `json:"message"`
	Messages  core.List[string] `json:"messages,omitempty"`
	RequestID string            `json:"request_id,omitempty"`
}

// writeError answers with an error.
func writeError(w http.ResponseWriter, op *core.Operation, failure *core.Error) {
	if isAboutPath(op, failure) {
		failure = core.NewError(core.NotFound)
	}
	answer := body{Error: failure.Code, Message: wordFailure(failure)}
	status := manage.V1.Errors()[failure.Code].Status
	if failure.Code == core.InvalidRequest || failure.Code == manage.ValidationFailed {
		answer.Error, answer.Messages = manage.ValidationFailed, listMessages(failure)
		answer.Message = strings.Join(answer.Messages, ", ")
	}
	if status == 0 { // the error comes from the rest of Errand and has no form here
		status, answer.Error = http.StatusUnprocessableEntity, manage.ValidationFailed
		answer.Messages = core.List[string]{answer.Message}
	}
	answer.RequestID, _ = failure.Extra["request_id"].(string)
	if failure.Code != core.Unauthorized { // WWW-Authenticate names schemes of Authorization, which this API does not use
		wire.SetErrorHeaders(w, failure)
	}
	text, err := core.MarshalPlain(answer)
	if err != nil {
		text = []byte(`{"error":"internal","message":"internal"}`)
	}
	wire.WriteJSON(w, status, text)
}

// isAboutPath reports whether all faults are in the path. Such an input is answered not_found, not validation_failed.
func isAboutPath(op *core.Operation, failure *core.Error) bool {
	if op == nil || failure.Code != core.InvalidRequest || len(failure.Details) == 0 {
		return false
	}
	params := op.PathParams()
	return !slices.ContainsFunc(failure.Details, func(d core.Detail) bool { return !slices.Contains(params, d.Path) })
}

// listMessages returns the faults of the input, one sentence each.
func listMessages(failure *core.Error) core.List[string] {
	if messages, ok := failure.Extra["messages"].([]string); ok {
		return messages
	}
	var messages core.List[string]
	for _, detail := range failure.Details {
		messages = append(messages, strings.TrimSpace(nameField(detail.Path)+" "+detail.Message))
	}
	return messages
}

// nameField writes the name of a field as the start of a sentence: problem_ids becomes Problem ids.
func nameField(field string) string {
	if field == "" {
		return ""
	}
	return strings.ToUpper(field[:1]) + strings.ReplaceAll(field[1:], "_", " ")
}

// wordFailure describes the error in one sentence.
func wordFailure(failure *core.Error) string {
	if text, ok := failure.Extra["message"].(string); ok {
		return text
	}
	switch failure.Code {
	case core.Unauthorized:
		return "Invalid or revoked API key"
	case core.Forbidden:
		return fmt.Sprintf("Missing required permission: %v", failure.Extra["required_scope"])
	case core.NotFound:
		return "Not found"
	}
	if meaning := manage.V1.Errors()[failure.Code].Meaning; meaning != "" {
		return meaning
	}
	return string(failure.Code)
}
