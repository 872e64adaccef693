package store

import (
	"context"

	"errand/core"
	"errand/fixes"
)

// fixRow is a fix as it is stored.
type fixRow struct {
	ID           int64
	IssueID      int64
	Kind         core.FixKind
	Ref          string
	MergeCommit  string
	LinkedBy     string
	LinkedAt     core.Time
	DeployNumber *int64
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
}

const fixColumns = `f.id, f.issue_id, f.kind, f.ref, f.merge_commit, f.linked_by, f.linked_at, f.deploy_number, f.release, f.environment,
	f.deploy_commit, f.deployed_at, f.verify_after, f.verify_by, f.outcome, f.verified_at, f.regressed_at, f.regressed_in`

// link is by what the fix is recognised.
func (r fixRow) link() fixes.Link {
	if r.Kind == core.FixByCommit {
		return fixes.Link{Commit: r.Ref}
	}
	return fixes.Link{PullRequest: r.Ref, MergeCommit: r.MergeCommit}
}

// firstDeploy is the first deploy that contains the fix, which must be deployed.
func (r fixRow) firstDeploy() fixes.Deploy {
	return fixes.Deploy{Number: *r.DeployNumber, Release: r.Release, Environment: r.Environment, Commit: r.DeployCommit, At: r.DeployedAt.Time}
}

// waitingFixes are those that a deploy may bring: the rules decide which it does. Their issues are locked.
const waitingFixes = `
SELECT ` + fixColumns + `
FROM fixes f
JOIN issues i ON i.project_id = f.project_id AND i.id = f.issue_id AND i.fix_id = f.id AND i.status = 'fix_pending'
WHERE f.project_id = @project_id AND f.deployed_at IS NULL AND f.closed_at IS NULL
	AND (left(f.ref, @prefix) = ANY (@prefixes) OR left(f.merge_commit, @prefix) = ANY (@prefixes) OR f.ref = ANY (@urls))
ORDER BY i.id FOR UPDATE OF i`

// deployFixes has a deploy bring the fixes that it contains, and returns their issues.
func (t *tx) deployFixes(ctx context.Context, actor core.Actor, project int64, d fixes.Deploy) ([]int64, error) {
	prefixes := []string{fixes.CommitPrefix(d.Commit)}
	for _, commit := range d.Commits {
		prefixes = append(prefixes, fixes.CommitPrefix(commit))
	}
	waiting, err := many[fixRow](ctx, t, waitingFixes, args{
		"project_id": project, "prefix": fixes.PrefixLength, "prefixes": sortedOnce(prefixes), "urls": d.PullRequests,
	})
	if err != nil {
		return nil, err
	}
	var issues []int64
	for _, fix := range waiting {
		if !d.Contains(fix.link()) {
			continue
		}
		if err := t.deployFix(ctx, actor, project, fix, d); err != nil {
			return nil, err
		}
		issues = append(issues, fix.IssueID)
	}
	return issues, nil
}

const (
	eventsBefore = `
SELECT coalesce(sum(events), 0)::bigint AS events FROM issue_hours
WHERE project_id = @project_id AND issue_id = @issue_id AND hour >= @after AND hour < @before`
	setFixDeployed = `
UPDATE fixes SET deploy_number = @number, release = @release, environment = @environment, deploy_commit = @commit,
	deployed_at = @deployed_at, verify_after = @verify_after, verify_by = @verify_by
WHERE project_id = @project_id AND id = @id`
	setIssueDeployed = `UPDATE issues SET fix_deployed_at = @deployed_at WHERE project_id = @project_id AND id = @id`
)

// deployFix begins the watch over a fix, whose issue is locked.
func (t *tx) deployFix(ctx context.Context, actor core.Actor, project int64, fix fixRow, d fixes.Deploy) error {
	before, err := one[struct{ Events int64 }](ctx, t, eventsBefore, args{
		"project_id": project, "issue_id": fix.IssueID, "after": d.At.Add(-fixes.RateWindow), "before": d.At,
	})
	if err != nil {
		return err
	}
	watch := t.store.verify.Watch(d.At, before.Events)
	_, err = exec(ctx, t, setFixDeployed, args{
		"project_id": project, "id": fix.ID, "number": d.Number, "release": d.Release, "environment": d.Environment, "commit": d.Commit,
		"deployed_at": watch.DeployedAt, "verify_after": watch.VerifyAfter, "verify_by": watch.VerifyBy,
	})
	if err != nil {
		return err
	}
	if _, err := exec(ctx, t, setIssueDeployed, args{"project_id": project, "id": fix.IssueID, "deployed_at": d.At}); err != nil {
		return err
	}
	return t.recordOfIssue(ctx, actor, project, fix.IssueID, core.ActionIssueFixDeployed, fixDeployedData{d.Release, d.Environment, fix.ID})
}

// fixDeployedData is the data of a deployed fix in the activity of its issue.
type fixDeployedData struct {
	Release     string `json:"release"`
	Environment string `json:"environment"`
	FixID       int64  `json:"fix_id"`
}
