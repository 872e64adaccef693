package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
	"errand/store/watch"
)

const (
	// findProjectsOfIssues is for statements with marks (pg.QueryEach).
	findProjectsOfIssues = `SELECT DISTINCT project_id FROM issues WHERE id = ANY (@ids)`

	// selectSeveralAnywhere is selectSeveralIssues where the tables are distributed over nodes.
	selectSeveralAnywhere = `SELECT` + issueColumns + `
FROM unnest(@ids::bigint[]) WITH ORDINALITY AS n (id, place)
JOIN issues i ON i.id = n.id` + issueJoins + inGivenOrder
	inGivenOrder = `
WHERE (@reach::bigint[] IS NULL OR i.project_id = ANY (@reach))
ORDER BY n.place`

	// With LIMIT 1 each is looked up by its id, however many the planner expects.
	selectSeveralIssues = `SELECT` + issueColumns + `
FROM unnest(@ids::bigint[]) WITH ORDINALITY AS n (id, place)
CROSS JOIN LATERAL (SELECT * FROM issues WHERE id = n.id LIMIT 1) i` + issueJoins + inGivenOrder
	selectFixesOfIssues = `
SELECT ` + watch.Columns + `
FROM unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id)
CROSS JOIN LATERAL (SELECT * FROM issues WHERE project_id = n.project_id AND id = n.id AND /* of some projects: issues */ true LIMIT 1) i
JOIN fixes f ON f.project_id = i.project_id AND f.id = i.fix_id AND /* of some projects: f */ true`
)

// findProjectsOf returns the projects of issues for pg.QueryEach.
func (s *Store) findProjectsOf(ctx context.Context, ids []int64) ([]int64, error) {
	return pg.FindProjects(ctx, s.db, s.db.Main, findProjectsOfIssues, pg.Args{"ids": ids})
}

// ReadIssues returns issues in the order of their ids. Those that do not exist, or not for the caller, are left out.
func (s *Store) ReadIssues(ctx context.Context, ids []int64) (core.List[core.IssueDetail], error) {
	now := s.Now()
	args := issueTimes(now)
	args["ids"], args["reach"] = ids, core.ReachOf(ctx).Projects()
	rows, err := pg.QueryMany[issueRow](ctx, s.db.Main, s.db.ChooseForm(selectSeveralIssues, selectSeveralAnywhere), args)
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
	rows, err := pg.QueryEach[watch.Fix](ctx, s.db, s.db.Main, selectFixesOfIssues, pg.Args{"projects": projects, "ids": ids}, projects)
	if err != nil {
		return nil, err
	}
	unknownOf, err := findUnknownReleasesOf(ctx, s.db, s.db.Main, rows, func(r watch.Fix) (placeOfDeploy, bool) {
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
