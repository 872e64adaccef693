package tools

import (
	"context"

	"errand/core"
	"errand/fixes"
	"errand/store"
)

func (t *Tools) linkFix(ctx context.Context, call core.Call, in core.LinkFixInput) (core.Data[core.IssueDetail], error) {
	fix, err := t.readFix(ctx, in)
	if err != nil {
		return wrapData(core.IssueDetail{}, err)
	}
	if fix.WorkEnd, err = t.readHandover(ctx, in.ID, in.Handover); err != nil {
		return wrapData(core.IssueDetail{}, err)
	}
	return wrapData(t.store.LinkFix(ctx, call.Actor.As(in.Worker), in.ID, fix))
}

// readFix checks the fix. A pull request must belong to the repository of the issue's project, if it has one.
func (t *Tools) readFix(ctx context.Context, in core.LinkFixInput) (store.NewFix, error) {
	if in.Commit != "" {
		commit, err := fixes.ParseCommit(in.Commit)
		if err != nil {
			return store.NewFix{}, core.RefuseField("commit", "%s", err)
		}
		return store.NewFix{Kind: core.FixByCommit, Ref: commit}, nil
	}
	repository, err := t.store.FindRepository(ctx, in.ID)
	if err != nil {
		return store.NewFix{}, err
	}
	url, err := t.scmHosts.ParsePullRequest(in.PRURL, repository)
	if err != nil {
		return store.NewFix{}, core.RefuseField("pr_url", "%s", err)
	}
	return store.NewFix{Kind: core.FixByPullRequest, Ref: url}, nil
}
