package store

import (
	"context"

	"errand/core"
	"errand/fixes"
	"errand/store/pg"
	"errand/store/watch"
)

// NewFix is a fix to link: a commit or a pull request, in the form that the rules of fixes return.
type NewFix struct {
	Kind core.FixKind
	Ref  string
	// Branch is where a report found the commit, unless that is the default branch.
	Branch string
	WorkEnd
}

const (
	// Afterwards the row exists, whether or not the project has had a deploy.
	lockDeployOrder = `
INSERT INTO deploy_order (project_id, deploys) VALUES (@project_id, 0)
ON CONFLICT (project_id) DO UPDATE SET deploys = deploy_order.deploys`
	addFix = `
INSERT INTO fixes (project_id, id, issue_id, kind, ref, merge_commit, linked_by_type, linked_by, linked_worker, linked_at,
	linked_after, status_before, replaced_fix_id, branch)
SELECT i.project_id, @id, @issue_id, @kind, @ref,
	coalesce((SELECT m.commit FROM merged_pull_requests m WHERE m.project_id = @project_id AND m.url = @ref), ''),
	@linked_by_type, @linked_by, @linked_worker, @now,
	(SELECT o.deploys FROM deploy_order o WHERE o.project_id = @project_id), i.status, r.id, @branch
FROM issues i LEFT JOIN fixes r ON r.project_id = i.project_id AND r.id = i.fix_id AND r.closed_at IS NULL
WHERE i.project_id = @project_id AND i.id = @issue_id
RETURNING merge_commit`
	setIssueFix = `
UPDATE issues SET status = 'fix_pending', status_at = @now, fix_id = @fix_id, fix_deployed_at = NULL
WHERE project_id = @project_id AND id = @id`
)

// LinkFix links a fix to an issue and replaces its open one. It counts as deployed immediately if a deploy that contains it
// has been reported. An unknown or merged issue is not_found.
func (s *Store) LinkFix(ctx context.Context, actor core.Actor, id int64, fix NewFix) (core.IssueDetail, error) {
	var issue core.IssueDetail
	project, err := s.findIssueOwner(ctx, id)
	if err != nil {
		return issue, err
	}
	err = s.inTx(ctx, func(t *tx) error {
		if _, err := pg.Exec(ctx, t, lockDeployOrder, pg.Args{"project_id": project}); err != nil { // before issues, in the order of a deploy
			return err
		}
		issue, err = t.changeDetail(ctx, actor, project, id, func(c *issueChange) error {
			if err := c.linkFix(ctx, fix); err != nil {
				return err
			}
			return c.handOver(ctx, fix.WorkEnd)
		})
		return err
	})
	return issue, err
}

func (c *issueChange) linkFix(ctx context.Context, fix NewFix) error {
	id, err := c.store.db.IDs.TakeOne(ctx, fixIDs)
	if err != nil {
		return err
	}
	added, err := pg.QueryOne[struct{ MergeCommit string }](ctx, c, addFix, pg.Args{
		"project_id": c.project, "id": id, "issue_id": c.id, "kind": string(fix.Kind), "ref": fix.Ref,
		"linked_by_type": string(c.actor.Type), "linked_by": c.actor.Name, "linked_worker": c.actor.Worker, "now": c.Now,
		"branch": fix.Branch,
	})
	if err != nil {
		return err
	}
	if err := c.closeFix(ctx, c.project, c.id); err != nil { // the previous fix; the new one has noted which that was
		return err
	}
	if _, err := pg.Exec(ctx, c, setIssueFix, pg.Args{"project_id": c.project, "id": c.id, "fix_id": id, "now": c.Now}); err != nil {
		return err
	}
	if _, err := c.recordChange(ctx, core.ActionIssueFix, linkData{fix.Kind, fix.Ref, c.before.Status, core.FixPending}); err != nil {
		return err
	}
	return c.deployIfContained(ctx, c.actor, watch.Fix{
		ProjectID: c.project, ID: id, IssueID: c.id, Kind: fix.Kind, Ref: fix.Ref, MergeCommit: added.MergeCommit,
	})
}

const repositoryOfIssue = `
SELECT p.repository FROM issues i JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
WHERE i.project_id = @project_id AND i.id = @issue_id`

// FindRepository returns the repository of an issue's project, empty for none. An unknown issue is not_found.
func (s *Store) FindRepository(ctx context.Context, issue int64) (string, error) {
	project, err := s.findIssueOwner(ctx, issue)
	if err != nil {
		return "", err
	}
	row, err := pg.QueryOne[struct{ Repository string }](ctx, s.db.Main, repositoryOfIssue, pg.Args{"project_id": project, "issue_id": issue})
	return row.Repository, err
}

// linkData is the data of a link in the activity.
type linkData struct {
	Kind core.FixKind `json:"kind"`
	Ref  string       `json:"ref"`
	From core.Status  `json:"from"`
	To   core.Status  `json:"to"`
}

const (
	// The same rule as fixes.Deploy.Contains. The range holds the commits with the same beginning.
	firstDeployOfCommit = `
SELECT d.number, d.release, d.environment, d.commit, d.deployed_at
FROM deploy_commits c JOIN deploys d ON d.project_id = c.project_id AND d.number = c.number
WHERE c.project_id = @project_id AND c.commit >= @prefix AND c.commit < @prefix || 'g'
	AND (starts_with(c.commit, @commit) OR starts_with(@commit, c.commit))
ORDER BY d.number LIMIT 1`
	firstDeployOfPullRequest = `
SELECT d.number, d.release, d.environment, d.commit, d.deployed_at
FROM deploy_pull_requests p JOIN deploys d ON d.project_id = p.project_id AND d.number = p.number
WHERE p.project_id = @project_id AND p.url = @url
ORDER BY d.number LIMIT 1`
)

// foundDeploy is a deploy without its commits.
type foundDeploy struct {
	Number      int64
	Release     string
	Environment string
	Commit      string
	DeployedAt  core.Time
}

func (d foundDeploy) asDeploy() fixes.Deploy {
	return fixes.Deploy{Number: d.Number, Release: d.Release, Environment: d.Environment, Commit: d.Commit, At: d.DeployedAt.Time}
}

// deployIfContained marks a fix as deployed if a deploy contains it already. Its issue is locked.
func (t *tx) deployIfContained(ctx context.Context, actor core.Actor, fix watch.Fix) error {
	link := fix.Link()
	var first *foundDeploy
	for _, commit := range []string{link.Commit, link.MergeCommit} {
		if commit == "" {
			continue
		}
		a := pg.Args{"project_id": fix.ProjectID, "commit": commit, "prefix": fixes.CommitPrefix(commit)}
		if err := t.findEarlierDeploy(ctx, &first, firstDeployOfCommit, a); err != nil {
			return err
		}
	}
	if link.PullRequest != "" {
		a := pg.Args{"project_id": fix.ProjectID, "url": link.PullRequest}
		if err := t.findEarlierDeploy(ctx, &first, firstDeployOfPullRequest, a); err != nil {
			return err
		}
	}
	if first == nil {
		return nil
	}
	return t.deployFix(ctx, actor, fix, first.asDeploy())
}

// findEarlierDeploy replaces first with the deploy that the statement finds, if that is earlier.
func (t *tx) findEarlierDeploy(ctx context.Context, first **foundDeploy, sql string, a pg.Args) error {
	d, err := pg.QueryOne[foundDeploy](ctx, t, sql, a)
	if core.HasCode(err, core.NotFound) {
		return nil
	}
	if err == nil && (*first == nil || d.Number < (*first).Number) {
		*first = &d
	}
	return err
}

const closeFix = `
UPDATE fixes f SET closed_at = @now FROM issues i
WHERE i.project_id = @project_id AND i.id = @issue_id AND f.project_id = i.project_id AND f.id = i.fix_id AND f.closed_at IS NULL`

// closeFix ends the watch over the fix of a locked issue. The fix stays visible.
func (t *tx) closeFix(ctx context.Context, project, issue int64) error {
	_, err := pg.Exec(ctx, t, closeFix, pg.Args{"project_id": project, "issue_id": issue, "now": t.Now})
	return err
}
