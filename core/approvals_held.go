package core

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// HeldAction is an action that a deployment can hold until a second admin approves it, such as merge.
// REQUIRE_APPROVAL lists such words (primary API, Approvals).
type HeldAction string

// The actions that can be held.
const (
	HoldIgnore        HeldAction = "ignore"
	HoldMerge         HeldAction = "merge"
	HoldDeleteProject HeldAction = "delete_project"
)

// heldActions is the one table of the actions that can be held. The schemas, the messages, the help and the
// documentation take the names from it. store/actions.go has the code that carries them out.
var heldActions = []struct {
	word         HeldAction
	changesIssue bool   // the request for it is shown with the issue
	payload      string // what the request says besides the issue
	right        Right  // the right that a person needs to do it
}{
	{HoldIgnore, true, "{until, after_events, after_users}", WriteRight},
	{HoldMerge, true, "{source_ids}", WriteRight},
	{HoldDeleteProject, false, "{project_id, name}", SiteRight},
}

// Right returns the right that a person needs for the action. Only people who may do it themselves decide about it.
func (a HeldAction) Right() Right {
	for _, action := range heldActions {
		if action.word == a {
			return action.right
		}
	}
	return SiteRight
}

// HeldActions returns the actions that can be held.
func HeldActions() []HeldAction {
	words := make([]HeldAction, len(heldActions))
	for i, action := range heldActions {
		words[i] = action.word
	}
	return words
}

// ListHeldActions returns the actions that can be held as one text, such as "ignore, merge".
func ListHeldActions() string {
	var words []string
	for _, word := range HeldActions() {
		words = append(words, string(word))
	}
	return strings.Join(words, ", ")
}

// CheckHeldActions returns an error for a word that is not an action which can be held. The error lists the actions that are.
func CheckHeldActions(words []HeldAction) error {
	for _, word := range words {
		if !slices.Contains(HeldActions(), word) {
			return fmt.Errorf("%q is not one of %s", word, ListHeldActions())
		}
	}
	return nil
}

// JSONSchema is one of the words.
func (HeldAction) JSONSchema() Schema {
	return Schema{"type": "string", "enum": enumOf(HeldActions())}
}

// HeldIssueAction is a HeldAction that changes an issue.
type HeldIssueAction HeldAction

// JSONSchema is one of the words.
func (HeldIssueAction) JSONSchema() Schema {
	var words []HeldAction
	for _, action := range heldActions {
		if action.changesIssue {
			words = append(words, action.word)
		}
	}
	return Schema{"type": "string", "enum": enumOf(words)}
}

func enumOf(words []HeldAction) []any {
	enum := make([]any, len(words))
	for i, word := range words {
		enum[i] = string(word)
	}
	return enum
}

// HeldPayload is what a request for approval says besides the issue: a JSON object. The same action always has the same text.
type HeldPayload string

// MarshalJSON writes the object.
func (p HeldPayload) MarshalJSON() ([]byte, error) { return []byte(p), nil }

// UnmarshalJSON reads the object.
func (p *HeldPayload) UnmarshalJSON(text []byte) error {
	*p = HeldPayload(text)
	return nil
}

// JSONSchema is any JSON, described for each action.
func (HeldPayload) JSONSchema() Schema {
	var payloads []string
	for _, action := range heldActions {
		payloads = append(payloads, fmt.Sprintf("%s for %s", action.payload, action.word))
	}
	return Schema{"description": "What else the action says: " + strings.Join(payloads, ", ") + "."}
}

// Held is the answer of an operation whose action waits for approval. It is sent without the wrapper data (primary API, Errors).
type Held struct {
	Status     string `json:"status" enum:"approval_required"`
	ApprovalID int64  `json:"approval_id" doc:"The request; list_approvals shows what becomes of it."`
}

// The values that every held answer has.
const (
	HeldStatus     = "approval_required"
	HeldHTTPStatus = http.StatusAccepted
	HeldMeaning    = "The action waits for the approval of another admin; nothing has changed yet."
)

// HeldSchema is the JSON Schema of a held answer.
func HeldSchema() Schema { return reflector{}.objectSchema(reflect.TypeFor[Held]()) }

// OrHeld is the output of an operation whose action can be held for approval: the output of the action when it was
// done, or the request for approval that was made instead.
type OrHeld[T any] struct {
	Done       T
	ApprovalID int64 // of the request; 0 when the action is done
}

// outputType is the type of the answer when the action is done.
func (OrHeld[T]) outputType() reflect.Type { return reflect.TypeFor[T]() }

// answer returns the output to send.
func (o OrHeld[T]) answer() (output any, held bool) {
	if o.ApprovalID != 0 {
		return Held{Status: HeldStatus, ApprovalID: o.ApprovalID}, true
	}
	return o.Done, false
}

// holdable is OrHeld of any type.
type holdable interface {
	outputType() reflect.Type
	answer() (output any, held bool)
}
