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
	if call.ForModel && in.Sort == core.ByPriority { // a model works on the issues it sees first
		in.Sort = core.ByWork
	}
	filter := makeIssueFilter(in, project)
	if filter, err = t.followLink(ctx, filter); err != nil {
		return core.IssuePage{}, err
	}
	page, err := t.store.ListIssues(ctx, filter)
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

// makeIssueFilter returns the filter for the input, with the id of the project in place of its name.
func makeIssueFilter(in core.ListIssuesInput, project int64) store.IssueFilter {
	return store.IssueFilter{
		ProjectID: project, Status: in.Status, Release: in.Release, Environment: in.Environment, Since: in.Since,
		Search: in.Search, Tag: in.Tag, Claimed: in.Claimed, Test: in.Test, Noise: in.Noise, Sort: in.Sort,
		Paging: in.Paging,
	}
}

// followLink turns a search for the URL of an issue or an event into a filter by the issue's id. An unknown event matches no issue.
func (t *Tools) followLink(ctx context.Context, f store.IssueFilter) (store.IssueFilter, error) {
	link, isLink := core.ParseLink(f.Search, t.store.Settings().BaseURL)
	if !isLink {
		return f, nil
	}
	f.Search, f.IssueID = "", link.Issue
	if link.Event == "" {
		return f, nil
	}
	id, err := t.store.FindEvent(ctx, link.Event)
	if err == nil {
		var event core.EventDetail
		event, err = t.store.ReadEvent(ctx, id)
		f.IssueID = event.IssueID
	}
	if core.HasCode(err, core.NotFound) {
		f.IssueID, err = store.NoIssue, nil
	}
	return f, err
}

// findOptionalProject returns the id of the named project: 0 when no project is named, project_not_found for an unknown one.
func (t *Tools) findOptionalProject(ctx context.Context, ref core.ProjectRef) (int64, error) {
	if ref == "" {
		return 0, nil
	}
	return t.store.FindProject(ctx, ref)
}
