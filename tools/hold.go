package tools

import (
	"context"
	"slices"

	"errand/core"
	"errand/store"
)

// carryOut carries an action out, or requests approval of it where the deployment holds it: the error is approval_required
// then. No caller is exempt (primary API, Approvals).
func (t *Tools) carryOut(ctx context.Context, call core.Call, a store.Action) (core.Issue, error) {
	if slices.Contains(t.store.Settings().RequireApproval, a.Held()) {
		return t.store.Ask(ctx, call.Actor, a)
	}
	return t.store.Do(ctx, call.Actor, a)
}
