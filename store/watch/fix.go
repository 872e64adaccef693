// Package watch is shared by the write path of events and the verification of fixes: it reads a stored fix, finds out
// whether its error returned, and writes down that it did.
package watch

import (
	"context"

	"errand/core"
	"errand/fixes"
	"errand/store/pg"
)

// Fix is a fix as it is stored.
type Fix struct {
	ProjectID    int64
	ID           int64
	IssueID      int64
	Kind         core.FixKind
	Ref          string
	MergeCommit  string
	LinkedBy     string
	LinkedAt     core.Time
	DeployNumber *int64 // nil: no deploy contains it
	Release      string
	Environment  string
	DeployCommit string
	DeployedAt   core.Time
	VerifyAfter  core.Time
	VerifyBy     core.Time
	Outcome      *string
	VerifiedAt   core.Time
	RegressedAt  core.Time
	RegressedIn  string

	OverdueSince   core.Time // zero: it is not overdue
	OverdueDeploys int64
	OverdueEvents  int64
}

// Columns are the columns of a Fix, from a table of fixes named f.
const Columns = `f.project_id, f.id, f.issue_id, f.kind, f.ref, f.merge_commit, f.linked_by, f.linked_at, f.deploy_number,
	f.release, f.environment, f.deploy_commit, f.deployed_at, f.verify_after, f.verify_by, f.outcome, f.verified_at,
	f.regressed_at, f.regressed_in,
	CASE WHEN f.deployed_at IS NULL AND f.closed_at IS NULL THEN f.overdue_since END AS overdue_since, f.overdue_deploys, f.overdue_events`

const oneFix = `
SELECT ` + Columns + `
FROM fixes f WHERE f.project_id = @project_id AND f.id = @id`

// ReadFix returns a fix.
func ReadFix(ctx context.Context, q pg.Querier, project, id int64) (Fix, error) {
	return pg.QueryOne[Fix](ctx, q, oneFix, pg.Args{"project_id": project, "id": id})
}

// Link returns how the fix is identified.
func (f Fix) Link() fixes.Link {
	if f.Kind == core.FixByCommit {
		return fixes.Link{Commit: f.Ref, MergeCommit: f.MergeCommit}
	}
	return fixes.Link{PullRequest: f.Ref, MergeCommit: f.MergeCommit}
}

// Watch returns the watch over the fix. The fix must be deployed.
func (f Fix) Watch() fixes.Watch {
	return fixes.Watch{DeployedAt: f.DeployedAt.Time, VerifyAfter: f.VerifyAfter.Time, VerifyBy: f.VerifyBy.Time}
}

// firstDeploy returns the first deploy that contains the fix. The fix must be deployed.
func (f Fix) firstDeploy() fixes.Deploy {
	return fixes.Deploy{
		Number: *f.DeployNumber, Release: f.Release, Environment: f.Environment, Commit: f.DeployCommit, At: f.DeployedAt.Time,
	}
}
