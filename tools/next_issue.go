package tools

import (
	"context"
	"time"

	"errand/brief"
	"errand/core"
	"errand/store"
)

// nextIssue looks in all projects unless one is named or the token is bound to one, as findSimilar does.
func (t *Tools) nextIssue(ctx context.Context, call core.Call, in core.NextIssueInput) (core.Data[core.NextIssue], error) {
	var next core.NextIssue
	project, err := t.findOptionalProject(ctx, in.Project)
	if err != nil {
		return wrapData(next, err)
	}
	if in.Project == "" {
		project = int64(call.Actor.ProjectID)
	}
	if next.Ingest, err = t.store.ReadIngestState(ctx, project); err != nil {
		return wrapData(next, err)
	}
	wanted, asker := store.NextWanted{ProjectID: project, Minutes: in.Minutes}, call.Actor.As(in.Worker)
	issue, passed, err := t.store.ClaimNext(ctx, asker, wanted)
	if err != nil {
		return wrapData(next, err)
	}
	next.Yours, next.Now = passed.Yours, t.store.Now()
	if issue == nil {
		next.Why = "no open issue"
		if left := passed.String(); left != "" {
			next.Why = core.Text("of the open issues " + left)
		}
		return wrapData(next.WithBrief(core.Brief{}), nil)
	}
	next.Issue = issue
	o := brief.Options{Budget: next.BriefBudget(in.Budget), Reader: asker, Random: t.random}
	b, err := brief.BuildBrief(ctx, t.store, issue.ID, o)
	if err != nil && !issue.Renewed { // an earlier claim stays
		t.giveBack(ctx, asker, issue.ID)
	}
	return wrapData(next.WithBrief(b), err)
}

// giveBackWithin bounds giveBack, since the caller may be gone.
const giveBackWithin = 5 * time.Second

// giveBack releases an issue whose brief failed: the caller does not know about the claim. If this fails too, the claim runs out.
func (t *Tools) giveBack(ctx context.Context, holder core.Actor, issue int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackWithin)
	defer cancel()
	_, _ = t.store.ReleaseIssue(ctx, holder, issue, "")
}
