package tools

import (
	"context"
	"slices"

	"errand/core"
	"errand/store"
)

// CarryOut does an action, or requests approval of it where the deployment holds it. No caller of an API is exempt (primary API,
// Approvals).
func (t *Tools) CarryOut(ctx context.Context, call core.Call, action store.HoldableChange) (store.ActionOutcome, error) {
	if t.holdsAction(action.Word()) {
		return t.store.RequestApproval(ctx, call.Actor, action)
	}
	return t.store.CarryOut(ctx, call.Actor, action)
}

// holdsAction reports whether the deployment holds an action.
func (t *Tools) holdsAction(word core.HeldAction) bool {
	return !t.holdsNone && slices.Contains(t.store.Settings().RequireApproval, word)
}

// issueOrHeld is the output of an action that changes an issue.
func issueOrHeld(outcome store.ActionOutcome, err error) (core.OrHeld[core.Data[core.Issue]], error) {
	return core.OrHeld[core.Data[core.Issue]]{Done: core.Data[core.Issue]{Data: outcome.Issue}, ApprovalID: outcome.ApprovalID}, err
}
