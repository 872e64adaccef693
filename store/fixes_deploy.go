package store

import (
	"context"

	"errand/core"
	"errand/fixes"
	"errand/store/pg"
	"errand/store/watch"
)

// fixesToCompare finds the fixes that a deploy may contain; the rules decide which ones it does. The deploy brings those
// that are waiting. Their issues are locked.
const fixesToCompare = `
SELECT ` + watch.Columns + `,
	i.status = 'fix_pending' AND f.deployed_at IS NULL AS is_waiting
FROM fixes f
JOIN issues i ON i.project_id = f.project_id AND i.id = f.issue_id AND i.fix_id = f.id
WHERE f.project_id = @project_id AND f.closed_at IS NULL
	AND (left(f.ref, @prefix) = ANY (@prefixes) OR left(f.merge_commit, @prefix) = ANY (@prefixes) OR f.ref = ANY (@urls))
ORDER BY i.id FOR UPDATE OF i`

// fixToCompare is the fix of an issue.
type fixToCompare struct {
	watch.Fix
	IsWaiting bool // for a deploy
}

// deployFixes marks the waiting fixes that the deploy brings as deployed. It returns the issues of all fixes that it
// contains: in a second environment they may be deployed already.
func (t *tx) deployFixes(ctx context.Context, actor core.Actor, project int64, d fixes.Deploy) ([]int64, error) {
	prefixes := []string{fixes.CommitPrefix(d.Commit)}
	for _, commit := range d.Commits {
		prefixes = append(prefixes, fixes.CommitPrefix(commit))
	}
	found, err := pg.QueryMany[fixToCompare](ctx, t, fixesToCompare, pg.Args{
		"project_id": project, "prefix": fixes.PrefixLength, "prefixes": sortOnce(prefixes), "urls": d.PullRequests,
	})
	if err != nil {
		return nil, err
	}
	var issues []int64
	for _, fix := range found {
		if !d.Contains(fix.Link()) {
			continue
		}
		issues = append(issues, fix.IssueID)
		if !fix.IsWaiting {
			continue
		}
		if err := t.deployFix(ctx, actor, fix.Fix, d); err != nil {
			return nil, err
		}
	}
	return issues, nil
}

const (
	// Events in the same five minutes are one burst. If only the number of an hour's events is known, each counts as a burst, up to 12.
	burstsBefore = `
SELECT coalesce(sum(CASE WHEN fives = 0 THEN least(events, 12) ELSE bit_count(fives::bit(12)) END), 0)::bigint AS bursts
FROM issue_hours
WHERE project_id = @project_id AND issue_id = @issue_id AND hour >= @after AND hour < @before`
	setFixDeployed = `
UPDATE fixes SET deploy_number = @number, release = @release, environment = @environment, deploy_commit = @commit,
	deployed_at = @deployed_at, verify_after = @verify_after, verify_by = @verify_by
WHERE project_id = @project_id AND id = @id`
	setIssueDeployed = `UPDATE issues SET fix_deployed_at = @deployed_at WHERE project_id = @project_id AND id = @id`
)

const waitingFixes = `
SELECT f.issue_id, f.kind, f.ref, f.linked_at
FROM fixes f JOIN issues i ON i.project_id = f.project_id AND i.id = f.issue_id AND i.fix_id = f.id AND i.status = 'fix_pending'
WHERE f.project_id = @project_id AND f.deployed_at IS NULL AND f.closed_at IS NULL
ORDER BY f.id DESC LIMIT @rows`

// maxFixesWaiting is how many waiting fixes the answer to a reported deploy names (decisions 6).
const maxFixesWaiting = 100

// listWaitingFixes returns the fixes of a project that no deploy has brought, the last linked first.
func (t *tx) listWaitingFixes(ctx context.Context, project int64) ([]core.WaitingFix, error) {
	return pg.QueryMany[core.WaitingFix](ctx, t, waitingFixes, pg.Args{"project_id": project, "rows": maxFixesWaiting})
}

// deployFix begins the watch over a fix. Its issue is locked.
func (t *tx) deployFix(ctx context.Context, actor core.Actor, fix watch.Fix, d fixes.Deploy) error {
	before, err := pg.QueryOne[struct{ Bursts int64 }](ctx, t, burstsBefore, pg.Args{
		"project_id": fix.ProjectID, "issue_id": fix.IssueID, "after": d.At.Add(-fixes.RateWindow), "before": d.At,
	})
	if err != nil {
		return err
	}
	window := t.store.verify.Watch(d.At, before.Bursts)
	_, err = pg.Exec(ctx, t, setFixDeployed, pg.Args{
		"project_id": fix.ProjectID, "id": fix.ID,
		"number": d.Number, "release": d.Release, "environment": d.Environment, "commit": d.Commit,
		"deployed_at": window.DeployedAt, "verify_after": window.VerifyAfter, "verify_by": window.VerifyBy,
	})
	if err != nil {
		return err
	}
	if _, err := pg.Exec(ctx, t, setIssueDeployed, pg.Args{"project_id": fix.ProjectID, "id": fix.IssueID, "deployed_at": d.At}); err != nil {
		return err
	}
	return t.recordOfIssue(ctx, actor, fix.ProjectID, fix.IssueID, core.ActionIssueFixDeployed,
		fixDeployedData{core.ShowName(d.Release), core.ShowName(d.Environment), fix.ID})
}

// fixDeployedData is the data of a deployed fix in the activity of its issue.
type fixDeployedData struct {
	Release     string `json:"release"`
	Environment string `json:"environment"`
	FixID       int64  `json:"fix_id"`
}
