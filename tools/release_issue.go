package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) releaseIssue(ctx context.Context, call core.Call, in core.ReleaseIssueInput) (core.Data[core.Issue], error) {
	note, err := t.cleanOptionalNote(ctx, in.ID, in.Note)
	if err != nil {
		return wrapData(core.Issue{}, err)
	}
	return wrapData(t.store.ReleaseIssue(ctx, call.Actor.As(in.Worker), in.ID, note))
}
