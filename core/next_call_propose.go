package core

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// maxNextCalls bounds the calls that an answer proposes.
const maxNextCalls = 2

// NextCalls returns the calls that usually follow the operation, without arguments, since no answer is known.
func (o *Operation) NextCalls() []NextCall {
	var calls []NextCall
	for _, name := range o.Next {
		calls = append(calls, NextCall{Tool: name})
	}
	return calls
}

// workArguments are the arguments of list_issues that show the available work.
var workArguments = map[string]any{"status": "open", "claimed": false, "sort": "priority"}

// proposeCalls returns calls of those tools that the actor may use. The issue and the worker of the call before are
// passed on to the tools that take them.
func (c *Catalogue) proposeCalls(actor Actor, tools []string, before map[string]any) []NextCall {
	var calls []NextCall
	for _, name := range tools {
		i := slices.IndexFunc(c.operations, func(op *Operation) bool { return op.Name == name && op.NotATool == "" })
		if i < 0 || len(calls) == maxNextCalls || c.operations[i].AuthorizeActor(actor) != nil {
			continue
		}
		call := NextCall{Tool: name, Arguments: Arguments{}}
		for _, field := range c.operations[i].Fields() {
			if value, given := before[field.Name]; given && (field.isIssue || field.Name == "worker") {
				call.Arguments[field.Name] = value
			}
		}
		if name == "list_issues" {
			call.Arguments = workArguments
		}
		calls = append(calls, call)
	}
	return calls
}

// proposeAfterError adds to an error the calls to make instead.
func (c *Catalogue) proposeAfterError(op *Operation, actor Actor, failure *Error, before map[string]any) {
	isOfIssue := slices.ContainsFunc(op.Fields(), func(f Field) bool { return f.isIssue })
	var calls []NextCall
	switch into, isMerged := failure.told["merged_into"]; {
	case isMerged:
		calls = proposeForTarget(op, before, into)
	case failure.Code == NotFound && op.Name == GetEvent.Operation.Name:
		_ = failure.Tell("hint", "An event is named by latest_event_id of an issue, or by id in list_issue_events; old events are deleted.")
		calls = c.proposeCalls(actor, c.errors[failure.Code].Next, before)
	case failure.Code != NotFound || isOfIssue:
		calls = c.proposeCalls(actor, c.errors[failure.Code].Next, before)
	}
	if calls != nil {
		_ = failure.Tell("next", calls)
	}
}

// proposeForTarget returns the same call for the issue that a merged one went into.
func proposeForTarget(op *Operation, before map[string]any, into any) []NextCall {
	if op.NotATool != "" {
		return nil
	}
	call := NextCall{Tool: op.Name, Arguments: maps.Clone(before)}
	for _, field := range op.Fields() {
		switch value := before[field.Name]; {
		case value == nil:
		case field.isIssue:
			call.Arguments[field.Name] = into
		case fmt.Sprint(value) == fmt.Sprint(field.Schema["default"]): // nobody asked for it
			delete(call.Arguments, field.Name)
		}
	}
	return []NextCall{call}
}

// proposeAfterWrite adds to the answer of a write the calls to make next. If the action was held, it says who decides.
func (c *Catalogue) proposeAfterWrite(op *Operation, actor Actor, answer *Answer, before map[string]any) error {
	if answer.Body == nil || op.derive().isProse || op.ReadOnly() {
		return nil
	}
	var err error
	tools := op.Next
	if answer.IsHeld {
		tools = []string{"get_issue", "next_issue"}
		if answer.Body, err = appendMember(answer.Body, "pending_approval", heldForModels); err != nil {
			return err
		}
	}
	if op.Name == CreateDeploy.Operation.Name {
		return c.proposeForWaiting(actor, answer)
	}
	tools = slices.DeleteFunc(slices.Clone(tools), func(name string) bool { return !answer.standing.allowsNext(name) })
	if calls := c.proposeCalls(actor, tools, before); calls != nil {
		answer.Body, err = appendMember(answer.Body, "next", calls)
	}
	return err
}

// proposeForWaiting says what to do about fixes that a deploy did not name, since they would wait forever.
func (c *Catalogue) proposeForWaiting(actor Actor, answer *Answer) error {
	var reported struct {
		Data struct {
			FixesWaiting []struct {
				IssueID int64 `json:"issue_id"`
			} `json:"fixes_waiting"`
		}
	}
	err := json.Unmarshal(answer.Body, &reported)
	waiting := reported.Data.FixesWaiting
	if err != nil || len(waiting) == 0 {
		return err
	}
	if answer.Body, err = appendMember(answer.Body, "waiting", fmt.Sprintf(waitingForModels, len(waiting))); err != nil {
		return err
	}
	if calls := c.proposeCalls(actor, []string{GetIssue.Operation.Name}, map[string]any{"id": waiting[0].IssueID}); calls != nil {
		answer.Body, err = appendMember(answer.Body, "next", calls)
	}
	return err
}

// waitingForModels tells a model about fixes that a deploy did not bring.
const waitingForModels = "%d linked fixes still wait for a deploy that names them (fixes_waiting). If this one has them, report it " +
	"again with all commits since the deploy before in commits, and the pull requests that were squashed in pull_requests."

// heldForModels tells a model about an action that was held.
const heldForModels = "Nothing has changed. An admin other than who asked decides; until then the issue shows the request as " +
	"approval. Go on with something else."
