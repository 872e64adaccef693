package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

const (
	activityColumns = `id, at, actor_type, coalesce(actor_id, 0) AS actor_id, actor_name, action, target_type, target_id, data`
	listActivity    = `SELECT ` + activityColumns + ` FROM activity`
	// Includes the requests for approval of changes to the issue.
	listActivityOfIssue = `SELECT ` + activityColumns + ` FROM (
	SELECT * FROM activity WHERE project_id = @project_id AND target_type = 'issue' AND target_id = @issue_id
	UNION ALL
	SELECT * FROM activity WHERE project_id = @project_id AND target_type = 'approval'
		AND target_id = ANY (ARRAY(SELECT id FROM approvals WHERE project_id = @project_id AND issue_id = @issue_id))
) a`
)

// ActivityFilter selects rows of the activity. Zero values do not filter.
type ActivityFilter struct {
	ProjectID int64
	IssueID   int64
	Action    core.Action
	Actor     string // name of a token, or address of a person
	Since     core.Since
	core.Paging
}

// ListActivity lists the activity of the installation that passes the filter, most recent first. An unknown issue is not_found.
// A duration counts back from the time of the first page.
func (s *Store) ListActivity(ctx context.Context, f ActivityFilter) (core.Page[core.Activity], error) {
	l := pg.NewList(ctx, "", "at", f.Paging)
	l.Start = core.At(f.Cursor.Start(s.Now().Time))
	since, err := f.Since.Time(l.Start.Time)
	if err != nil {
		return core.Page[core.Activity]{}, err
	}
	from := listActivity
	if f.IssueID != 0 {
		owner, err := s.findShownIssueOwner(ctx, f.IssueID)
		if err != nil {
			return core.Page[core.Activity]{}, err
		}
		from = listActivityOfIssue
		l.Args["issue_id"], l.Args["project_id"] = f.IssueID, owner
	}
	if f.ProjectID != 0 {
		l.WhereArg("project_id = @project", "project", f.ProjectID)
	}
	if f.Action != "" {
		l.WhereArg("action = @action", "action", string(f.Action))
	}
	if f.Actor != "" {
		l.WhereArg("actor_name = @actor", "actor", f.Actor)
	}
	if !since.IsZero() {
		l.WhereArg("at >= @since", "since", since)
	}
	filter := f
	if filter.Paging = (core.Paging{}); filter != (ActivityFilter{}) {
		l.FilterDigest = pg.DigestFilter(filter)
	}
	return pg.ReadPage(ctx, s.db, l, from, activityKey)
}

// ListIssueActivity lists the activity of an issue, most recent first.
func (s *Store) ListIssueActivity(ctx context.Context, issueID int64, kind core.ActivityKind, page core.Paging) (
	core.Page[core.Activity], error,
) {
	project, err := s.findShownIssueOwner(ctx, issueID)
	if err != nil {
		return core.Page[core.Activity]{}, err
	}
	l := pg.NewList(ctx, "", "at", page)
	l.Args["project_id"], l.Args["issue_id"] = project, issueID
	switch kind {
	case core.OnlyNotes:
		l.Where("action = 'issue.note'")
	case core.Decisions:
		l.Where("action NOT IN ('issue.note', 'issue.claim', 'issue.release', 'issue.claim_expire', 'issue.tag', 'issue.untag')")
	}
	if kind != core.AllActivity {
		l.FilterDigest = pg.DigestFilter(kind)
	}
	return pg.ReadPage(ctx, s.db, l, listActivityOfIssue, activityKey)
}

func activityKey(a core.Activity) (core.Time, int64) { return a.At, a.ID }
