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

// ListActivity lists the activity of the whole installation, most recent first.
func (s *Store) ListActivity(ctx context.Context, page core.Paging) (core.Page[core.Activity], error) {
	return pg.ReadPage(ctx, s.db, pg.NewList(ctx, "", "at", page), listActivity, activityKey)
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
