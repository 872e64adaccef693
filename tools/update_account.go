package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) updateAccount(ctx context.Context, call core.Call, in core.UpdateAccountInput) (core.Data[core.Account], error) {
	change := store.PreferenceChange{Zone: in.Zone}
	if in.SingleKeys != nil {
		without := !*in.SingleKeys
		change.WithoutKeys = &without
	}
	if in.Frames != nil {
		oldest := *in.Frames == core.OldestFirst
		change.OldestFirst = &oldest
	}
	if err := t.store.ChangePreferences(ctx, int64(call.Actor.ID), change); err != nil {
		return core.Data[core.Account]{}, err
	}
	return wrapData(t.readAccount(ctx, call.Actor))
}
