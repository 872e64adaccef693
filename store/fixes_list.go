package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
	"errand/store/watch"
)

const selectFixes = `
SELECT ` + watch.Columns + `, f.linked_worker, i.title, p.slug
FROM fixes f
JOIN issues i ON i.project_id = f.project_id AND i.id = f.issue_id
JOIN projects p ON p.id = f.project_id AND p.deleted_at IS NULL`

// FixFilter selects fixes.
type FixFilter struct {
	ProjectID int64 // 0: all
	State     core.FixState
	Since     core.Since
	core.Paging
}

// fixOfIssue is a fix with the title and the project of its issue.
type fixOfIssue struct {
	watch.Fix
	LinkedWorker string
	Title        core.Untrusted
	Slug         string
}

// ListFixes lists the open fixes by their link, or those whose error came back by its return, latest first.
func (s *Store) ListFixes(ctx context.Context, f FixFilter) (core.Page[core.ListedFix], error) {
	sort, condition := "linked_at", "f.outcome IS NULL AND f.closed_at IS NULL"
	if f.State == core.ReturnedFixes {
		sort, condition = "regressed_at", "f.regressed_at IS NOT NULL"
	}
	l := pg.NewList(ctx, "f.", sort, f.Paging)
	l.Start = core.At(f.Cursor.Start(s.Now().Time))
	since, err := f.Since.Time(l.Start.Time)
	if err != nil {
		return core.Page[core.ListedFix]{}, err
	}
	l.Where(condition)
	if f.ProjectID != 0 {
		l.WhereArg("f.project_id = @project_id", "project_id", f.ProjectID)
	}
	if !since.IsZero() {
		l.WhereArg("f."+sort+" >= @since", "since", since)
	}
	filter := f
	filter.Paging = core.Paging{}
	l.FilterDigest = pg.DigestFilter(filter)
	rows, err := pg.ReadPage(ctx, s.db, l, selectFixes, func(r fixOfIssue) (core.Time, int64) {
		if f.State == core.ReturnedFixes {
			return r.RegressedAt, r.ID
		}
		return r.LinkedAt, r.ID
	})
	if err != nil {
		return core.Page[core.ListedFix]{}, err
	}
	unknownOf, err := findUnknownReleasesOf(ctx, s.db, s.db.Main, rows.Data, func(r fixOfIssue) (placeOfDeploy, bool) {
		return findUnseenPlace(r.ProjectID, r.DeployNumber, r.RegressedAt)
	})
	return pg.ConvertPage(rows, func(r fixOfIssue) core.ListedFix {
		fix := showFix(r.Fix)
		fix.UnknownReleases = unknownOf(r)
		return core.ListedFix{
			IssueID: r.IssueID, Title: r.Title, ProjectID: r.ProjectID, Project: r.Slug, Worker: core.Text(r.LinkedWorker), Fix: fix,
		}
	}), err
}
