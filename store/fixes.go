package store

import (
	"context"

	"errand/core"
)

const selectFixOfIssue = `
SELECT ` + fixColumns + `
FROM issues i JOIN fixes f ON f.project_id = i.project_id AND f.id = i.fix_id
WHERE i.project_id = @project_id AND i.id = @issue_id`

// fixOfIssue returns the fix that was linked to an issue last, or nil.
func fixOfIssue(ctx context.Context, q querier, project, issue int64) (*core.Fix, error) {
	row, err := one[fixRow](ctx, q, selectFixOfIssue, args{"project_id": project, "issue_id": issue})
	if core.HasCode(err, core.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	fix := row.fix()
	return &fix, nil
}

func (r fixRow) fix() core.Fix {
	fix := core.Fix{
		Kind: r.Kind, LinkedBy: r.LinkedBy, LinkedAt: r.LinkedAt, Release: core.Untrusted(r.Release), Environment: core.Untrusted(r.Environment),
		DeployedAt: r.DeployedAt, VerifyAfter: r.VerifyAfter, VerifiedAt: r.VerifiedAt, RegressedAt: r.RegressedAt,
		RegressedIn: core.Untrusted(r.RegressedIn),
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
