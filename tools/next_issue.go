package tools

import (
	"context"

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
	wanted := store.NextWanted{ProjectID: project, Minutes: in.Minutes}
	issue, passed, err := t.store.ClaimNext(ctx, call.Actor.As(in.Worker), wanted)
	if err != nil {
		return wrapData(next, err)
	}
	if next.Ingest, err = t.store.ReadIngestState(ctx, project); err != nil {
		return wrapData(next, err)
	}
	if issue == nil {
		next.Why = "no open issue"
		if left := passed.String(); left != "" {
			next.Why = core.Text("of the open issues " + left)
		}
		return wrapData(next.WithBrief(core.Brief{}), nil)
	}
	next.Issue = issue
	o := brief.Options{Budget: next.BriefBudget(in.Budget), Reader: call.Actor, Random: t.random}
	b, err := brief.BuildBrief(ctx, t.store, issue.ID, o)
	return wrapData(next.WithBrief(b), err)
}
