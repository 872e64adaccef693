package store

import (
	"context"

	"errand/core"
	"errand/fixes"
	"errand/store/pg"
	"errand/store/watch"
)

// MergedPullRequest is a pull request with its merge commit.
type MergedPullRequest struct {
	URL, Commit string
	Head        string // the newest commit of its branch; empty: not known
	// Named are the issues that it brings a fix of to the default branch, and Branch is its branch, if that is in the repository.
	Named      []int64
	Branch     string
	IsInferred bool // guessed from the commit's message: earlier knowledge goes first
}

// scmChange is the effect of one report in one project.
type scmChange struct {
	*tx
	project int64
	actor   core.Actor
	outcome *SCMOutcome
}

func (c scmChange) apply(ctx context.Context, d RepositoryChange) error {
	isLate, err := c.isLate(ctx, d)
	if err != nil || isLate {
		return err
	}
	if err := c.extendDeploys(ctx, d.Steps); err != nil {
		return err
	}
	for _, merge := range d.Merges { // before links, so that the merge commit of a linked pull request does not count as another fix
		if err := c.markMerged(ctx, merge); err != nil {
			return err
		}
	}
	if err := c.endReverted(ctx, d); err != nil { // before links: the push may link another fix
		return err
	}
	for _, link := range d.Links {
		if err := c.linkNamed(ctx, link); err != nil {
			return err
		}
	}
	if err := c.endLinks(ctx, d); err != nil {
		return err
	}
	if d.Deploy != nil {
		deploy := *d.Deploy
		deploy.ProjectID = c.project
		reported, err := c.createDeploy(ctx, c.actor, deploy)
		if err != nil {
			return err
		}
		c.outcome.Deploys = append(c.outcome.Deploys, reported)
	}
	return nil
}

// An issue that had the fix before keeps its state: someone may have resolved it by hand since. A fix that was given back
// can be linked again.
const issuesToLink = `
SELECT i.id,
	coalesce(latest.closed_at IS NULL AND latest.outcome IS DISTINCT FROM 'regressed'
		AND NOT (latest.linked_by_type = 'system' AND latest.linked_by = 'scm'), false) AS was_called,
	coalesce(latest.closed_at IS NULL AND latest.outcome IS DISTINCT FROM 'regressed'
		AND (latest.deployed_at IS NOT NULL OR latest.merge_commit <> '' OR latest.kind = 'commit' AND latest.branch = ''), false) AS has_landed
FROM issues i
LEFT JOIN fixes latest ON latest.project_id = i.project_id AND latest.id = i.fix_id
WHERE i.project_id = @project_id AND i.id = ANY (@ids) AND i.status <> 'merged'
	AND coalesce(latest.merge_commit, '') <> @ref
	AND NOT EXISTS (SELECT 1 FROM fixes f WHERE f.project_id = i.project_id AND f.issue_id = i.id
		AND NOT f.given_back
		AND (f.ref = @ref OR @kind = 'commit' AND f.ref >= @prefix AND f.ref < @prefix || 'g' AND starts_with(@ref, f.ref)))
ORDER BY i.id`

// A commit of a branch that was merged is on the default branch too.
const setLanded = `
UPDATE fixes SET branch = '' WHERE project_id = @project_id AND ref = @ref AND branch <> ''`

func (c scmChange) linkNamed(ctx context.Context, fix NamedFix) error {
	prefix := fix.Ref
	if fix.Kind == core.FixByCommit {
		prefix = fixes.CommitPrefix(fix.Ref)
		if fix.Branch == "" {
			if _, err := pg.Exec(ctx, c, setLanded, pg.Args{"project_id": c.project, "ref": fix.Ref}); err != nil {
				return err
			}
		}
	}
	issues, err := pg.QueryMany[struct {
		ID        int64
		WasCalled bool // its fix was linked by a call and is still valid
		HasLanded bool // its fix is deployed, merged or on the default branch, and still valid
	}](ctx, c, issuesToLink, pg.Args{
		"project_id": c.project, "ids": fix.Issues, "kind": string(fix.Kind), "ref": fix.Ref, "prefix": prefix,
	})
	if err != nil {
		return err
	}
	for _, issue := range issues {
		if issue.WasCalled && fix.KeepsCalled || issue.HasLanded && fix.KeepsLanded {
			c.outcome.Kept = append(c.outcome.Kept, issue.ID)
			continue
		}
		_, err := c.changeIssue(ctx, c.actor, c.project, issue.ID, func(change *issueChange) error { return change.linkFix(ctx, fix.NewFix) })
		if core.HasCode(err, core.NotFound) {
			continue // it was merged in the meantime
		}
		if err != nil {
			return err
		}
		c.outcome.Linked = append(c.outcome.Linked, issue.ID)
	}
	return nil
}

const (
	putMerged = `
INSERT INTO merged_pull_requests (project_id, url, commit, merged_at) VALUES (@project_id, @url, @commit, @now)
ON CONFLICT (project_id, url) DO UPDATE SET
	commit = CASE WHEN @inferred::boolean THEN merged_pull_requests.commit ELSE excluded.commit END
RETURNING commit`
	setMergeCommit = `
UPDATE fixes SET merge_commit = @commit
WHERE project_id = @project_id AND id = ANY (@ids)`
	// A commit of the branch may have been squashed: then deploys name only the merge commit of its pull request. A fix that another
	// pull request merged keeps that merge commit, which came first.
	waitingForMerge = `
SELECT ` + watch.Columns + `
FROM fixes f
JOIN issues i ON i.project_id = f.project_id AND i.id = f.issue_id AND i.fix_id = f.id AND i.status = 'fix_pending'
WHERE f.project_id = @project_id AND f.deployed_at IS NULL AND f.closed_at IS NULL
	AND (f.ref = @url OR f.kind = 'commit' AND starts_with(@head, f.ref)
		OR f.merge_commit = '' AND (f.issue_id = ANY (@named::bigint[]) OR f.branch <> '' AND f.branch = @branch))
ORDER BY i.id FOR UPDATE OF i`
)

// markMerged records the merge commit of a pull request. Fixes that wait for it count as deployed if a deploy has already
// brought that commit.
func (c scmChange) markMerged(ctx context.Context, merge MergedPullRequest) error {
	row, err := pg.QueryOne[struct{ Commit string }](ctx, c, putMerged, pg.Args{
		"project_id": c.project, "url": merge.URL, "commit": merge.Commit, "now": c.Now, "inferred": merge.IsInferred,
	})
	if err != nil {
		return err
	}
	waiting, err := pg.QueryMany[watch.Fix](ctx, c, waitingForMerge, pg.Args{
		"project_id": c.project, "url": merge.URL, "head": merge.Head, "named": merge.Named, "branch": merge.Branch,
	})
	if err != nil || len(waiting) == 0 {
		return err
	}
	ids := convertAll(waiting, func(f watch.Fix) int64 { return f.ID })
	if _, err := pg.Exec(ctx, c, setMergeCommit, pg.Args{"project_id": c.project, "ids": ids, "commit": row.Commit}); err != nil {
		return err
	}
	for _, fix := range waiting {
		fix.MergeCommit = row.Commit
		if err := c.deployIfContained(ctx, c.actor, fix); err != nil {
			return err
		}
	}
	return nil
}
