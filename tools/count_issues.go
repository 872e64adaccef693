package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) countIssues(ctx context.Context, _ core.Call, in core.CountIssuesInput) (core.Data[core.IssueCounts], error) {
	project, err := t.findOptionalProject(ctx, in.Project)
	if err != nil {
		return wrapData(core.IssueCounts{}, err)
	}
	filter, err := t.followLink(ctx, makeIssueFilter(core.ListIssuesInput{IssueSearch: in.IssueSearch}, project))
	if err != nil {
		return wrapData(core.IssueCounts{}, err)
	}
	return wrapData(t.store.CountIssues(ctx, filter))
}
