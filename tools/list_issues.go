package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) listIssues(ctx context.Context, call core.Call, in core.ListIssuesInput) (core.IssuePage, error) {
	project, err := t.findOptionalProject(ctx, in.Project)
	if err != nil {
		return core.IssuePage{}, err
	}
	if call.ForModel && in.Sort == core.ByPriority { // what a model is shown first, it works on
		in.Sort = core.ByWork
	}
	page, err := t.store.ListIssues(ctx, makeIssueFilter(in, project))
	if err != nil {
		return core.IssuePage{}, err
	}
	state, err := t.store.ReadIngestState(ctx, project)
	listed := core.Page[core.ListedIssue]{NextCursor: page.NextCursor}
	for _, issue := range page.Data {
		listed.Data = append(listed.Data, core.ListedIssue{Issue: issue, Fields: in.Fields})
	}
	return core.IssuePage{Page: listed, Ingest: state}, err
}

// makeIssueFilter returns the filter of the input, in whose place of the project's name stands its id.
func makeIssueFilter(in core.ListIssuesInput, project int64) store.IssueFilter {
	return store.IssueFilter{
		ProjectID: project, Status: in.Status, Release: in.Release, Environment: in.Environment, Since: in.Since,
		Search: in.Search, Claimed: in.Claimed, Test: in.Test, Sort: in.Sort, Paging: in.Paging,
	}
}

// findOptionalProject returns the id of the named project: 0 when no project is named, project_not_found for an unknown one.
func (t *Tools) findOptionalProject(ctx context.Context, ref core.ProjectRef) (int64, error) {
	if ref == "" {
		return 0, nil
	}
	return t.store.FindProject(ctx, ref)
}
