package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
	"errand/store/watch"
)

const selectFixOfIssue = `
SELECT ` + watch.Columns + `
FROM issues i JOIN fixes f ON f.project_id = i.project_id AND f.id = i.fix_id
WHERE i.project_id = @project_id AND i.id = @issue_id`

// findFix returns the fix that was linked last to an issue, or nil.
func findFix(ctx context.Context, db *pg.DB, q pg.Querier, project, issue int64) (*core.Fix, error) {
	rows, err := pg.QueryMany[watch.Fix](ctx, q, selectFixOfIssue, pg.Args{"project_id": project, "issue_id": issue})
	if err != nil {
		return nil, err
	}
	return showFirst(ctx, db, q, rows)
}

// showFirst returns the first of the fixes with the releases that it needs, or nil without any.
func showFirst(ctx context.Context, db *pg.DB, q pg.Querier, rows []watch.Fix) (*core.Fix, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	fix := showFix(rows[0])
	return &fix, addUnknownReleases(ctx, db, q, rows[0], &fix)
}

func showFix(r watch.Fix) core.Fix {
	fix := core.Fix{
		Kind: r.Kind, LinkedBy: r.LinkedBy, LinkedAt: r.LinkedAt,
		Release: core.Untrusted(core.ShowName(r.Release)), Environment: core.Untrusted(core.ShowName(r.Environment)),
		DeployedAt: r.DeployedAt, VerifyAfter: r.VerifyAfter, VerifiedAt: r.VerifiedAt, RegressedAt: r.RegressedAt,
		RegressedIn: core.Untrusted(core.ShowName(r.RegressedIn)),
	}
	if !r.OverdueSince.IsZero() {
		fix.Overdue = &core.Overdue{Since: r.OverdueSince, Deploys: r.OverdueDeploys, Events: r.OverdueEvents}
	}
	if r.Outcome != nil {
		fix.Outcome = core.Text(*r.Outcome)
	}
	if r.Kind == core.FixByCommit {
		fix.Commit = core.Text(r.Ref)
	} else {
		fix.PRURL = core.Text(r.Ref)
	}
	return fix
}
