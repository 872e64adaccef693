package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) resolveIssue(ctx context.Context, call core.Call, in core.ResolveIssueInput) (core.Data[core.Issue], error) {
	handover, err := t.readHandover(ctx, in.ID, in.Handover)
	if err != nil {
		return wrapData(core.Issue{}, err)
	}
	return wrapData(t.store.ResolveIssue(ctx, call.Actor.As(in.Worker), in.ID, handover))
}

// readHandover cleans the note of what ends the work on an issue.
func (t *Tools) readHandover(ctx context.Context, issueID int64, in core.Handover) (store.WorkEnd, error) {
	note, err := t.cleanOptionalNote(ctx, issueID, in.Note)
	return store.WorkEnd{Note: note, Releases: in.Release}, err
}
