package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
	"errand/store/watch"
)

const (
	// With LIMIT 1 each is looked up by its id, however many the planner expects.
	selectSeveralIssues = `SELECT` + issueColumns + `
FROM unnest(@ids::bigint[]) WITH ORDINALITY AS n (id, place)
CROSS JOIN LATERAL (SELECT * FROM issues WHERE id = n.id LIMIT 1) i` + issueJoins + `
WHERE (@reach::bigint[] IS NULL OR i.project_id = ANY (@reach))
ORDER BY n.place`
	selectFixesOfIssues = `
SELECT ` + watch.Columns + `
FROM unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id)
CROSS JOIN LATERAL (SELECT * FROM issues WHERE project_id = n.project_id AND id = n.id LIMIT 1) i
JOIN fixes f ON f.project_id = i.project_id AND f.id = i.fix_id`
)

// ReadIssues returns issues in the order of their ids. Those that do not exist, or not for the caller, are left out.
func (s *Store) ReadIssues(ctx context.Context, ids []int64) (core.List[core.IssueDetail], error) {
	now := s.Now()
	args := issueTimes(now)
	args["ids"], args["reach"] = ids, core.ReachOf(ctx).Projects()
	rows, err := pg.QueryMany[issueRow](ctx, s.db.Main, selectSeveralIssues, args)
	if err != nil {
		return nil, err
	}
	fixes, err := s.findFixesOf(ctx, rows)
	var issues core.List[core.IssueDetail]
	for _, row := range rows {
		issues = append(issues, row.toDetail(now, fixes[row.ID]))
	}
	return issues, err
}

// findFixesOf returns the fix that was linked last to each of the issues that have one.
func (s *Store) findFixesOf(ctx context.Context, issues []issueRow) (map[int64]*core.Fix, error) {
	projects, ids := make([]int64, len(issues)), make([]int64, len(issues))
	for i := range issues {
		projects[i], ids[i] = issues[i].ProjectID, issues[i].ID
	}
	rows, err := pg.QueryMany[watch.Fix](ctx, s.db.Main, selectFixesOfIssues, pg.Args{"projects": projects, "ids": ids})
	if err != nil {
		return nil, err
	}
	unknownOf, err := findUnknownReleasesOf(ctx, s.db.Main, rows, func(r watch.Fix) (placeOfDeploy, bool) {
		return findUnseenPlace(r.ProjectID, r.DeployNumber, r.RegressedAt)
	})
	fixes := make(map[int64]*core.Fix, len(rows))
	for _, row := range rows {
		fix := showFix(row)
		fix.UnknownReleases = unknownOf(row)
		fixes[row.IssueID] = &fix
	}
	return fixes, err
}
