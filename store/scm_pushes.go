package store

import (
	"context"
	"time"

	"errand/fixes"
	"errand/store/pg"
)

const (
	// keepPushes is how long the order of commits is kept, and stepsKept how much of it for one repository.
	keepPushes = 90 * 24 * time.Hour
	stepsKept  = 10_000
)

const (
	addSteps = `
INSERT INTO pushed_commits (repository, commit, before, pushed_at)
SELECT @repository, n.commit, n.before, @now FROM unnest(@commits::text[], @befores::text[]) AS n (commit, before)
ON CONFLICT DO NOTHING`

	// commitsBrought are the commits that were pushed before the given ones, except those that an earlier deploy brought. A
	// deploy that brought a commit this way also brought everything pushed before it, so the search ends there. A deploy
	// may name its commit by its beginning.
	commitsBrought = `
WITH RECURSIVE of AS (
	SELECT repository FROM projects WHERE id = @project_id
), brought AS (
	SELECT p.before AS commit
	FROM of, unnest(@commits::text[]) AS n (commit), pushed_commits p
	WHERE p.repository = of.repository
		AND p.commit >= left(n.commit, @prefix) AND p.commit < left(n.commit, @prefix) || 'g'
		AND (starts_with(p.commit, n.commit) OR starts_with(n.commit, p.commit))
		AND NOT EXISTS (SELECT 1 FROM deploy_commits c
			WHERE c.project_id = @project_id AND c.commit = n.commit AND c.with_pushed AND c.number < @number)
	UNION
	SELECT p.before
	FROM of, brought b JOIN pushed_commits p ON p.commit = b.commit
	WHERE p.repository = of.repository
		AND NOT EXISTS (SELECT 1 FROM deploy_commits c
			WHERE c.project_id = @project_id AND c.commit = b.commit AND c.with_pushed AND c.number <= @number)
)
SELECT commit FROM brought LIMIT @most`

	// deploysWithPushed are the first deploys that brought commits together with everything pushed before them.
	deploysWithPushed = `
SELECT d.number, d.release, d.environment, d.commit, d.deployed_at, array_agg(first.commit) AS commits
FROM (
	SELECT c.commit, min(c.number) AS number
	FROM unnest(@commits::text[]) AS n (commit)
	JOIN deploy_commits c ON c.commit >= left(n.commit, @prefix) AND c.commit < left(n.commit, @prefix) || 'g'
		AND (starts_with(c.commit, n.commit) OR starts_with(n.commit, c.commit))
	WHERE c.project_id = @project_id AND c.with_pushed
	GROUP BY c.commit
) first
JOIN deploys d ON d.project_id = @project_id AND d.number = first.number
GROUP BY d.number, d.release, d.environment, d.commit, d.deployed_at
ORDER BY d.number`

	deleteOldSteps = `
DELETE FROM pushed_commits WHERE ctid = ANY (ARRAY(SELECT ctid FROM pushed_commits WHERE pushed_at < @before LIMIT @chunk))`
	// Pushes that came at the same time all stay.
	deleteManySteps = `
WITH many AS MATERIALIZED (
	SELECT m.repository, (SELECT n.pushed_at FROM pushed_commits n WHERE n.repository = m.repository
		ORDER BY n.pushed_at DESC OFFSET @kept - 1 LIMIT 1) AS last_kept
	FROM (SELECT repository FROM pushed_commits GROUP BY repository HAVING count(*) > @kept) m
)
DELETE FROM pushed_commits p USING many
WHERE p.repository = many.repository AND p.pushed_at < many.last_kept`
)

// keepSteps stores the order of commits of a repository.
func (t *tx) keepSteps(ctx context.Context, repository string, steps []fixes.Step) error {
	if len(steps) == 0 {
		return nil
	}
	commits, befores := make([]string, len(steps)), make([]string, len(steps))
	for i, step := range steps {
		commits[i], befores[i] = step.Commit, step.Before
	}
	_, err := pg.Exec(ctx, t, addSteps, pg.Args{"repository": repository, "commits": commits, "befores": befores, "now": t.Now})
	return err
}

// findBrought returns the commits that a deploy, given by number, brings with its own: those pushed before them that no
// deploy brought before.
func (t *tx) findBrought(ctx context.Context, project, number int64, commits []string) ([]string, error) {
	rows, err := pg.QueryMany[struct{ Commit string }](ctx, t, commitsBrought, pg.Args{
		"project_id": project, "number": number, "commits": commits, "prefix": fixes.PrefixLength, "most": stepsKept,
	})
	var brought []string
	for _, r := range rows {
		brought = append(brought, r.Commit)
	}
	return brought, err
}

// extendDeploys adds a push's commits to the deploys that were reported before it.
func (c scmChange) extendDeploys(ctx context.Context, steps []fixes.Step) error {
	if len(steps) == 0 {
		return nil
	}
	commits := make([]string, len(steps))
	for i, step := range steps {
		commits[i] = step.Commit
	}
	deploys, err := pg.QueryMany[struct {
		foundDeploy
		Commits []string
	}](ctx, c, deploysWithPushed, pg.Args{"project_id": c.project, "commits": sortOnce(commits), "prefix": fixes.PrefixLength})
	if err != nil {
		return err
	}
	for _, d := range deploys {
		brought, err := c.findBrought(ctx, c.project, d.Number, d.Commits)
		if err != nil {
			return err
		}
		if err := c.addDeployCommits(ctx, c.project, d.Number, brought, true); err != nil {
			return err
		}
		deploy := d.asDeploy()
		deploy.Commits = brought
		if _, err := c.deployFixes(ctx, c.actor, c.project, deploy); err != nil {
			return err
		}
	}
	return nil
}

// dropPushes deletes the order of commits that were pushed long ago, or before many others.
func (s *Store) dropPushes(ctx context.Context) error {
	err := s.deleteInChunks(ctx, deleteOldSteps, s.Now().Add(-keepPushes))
	if err != nil {
		return err
	}
	_, err = pg.Exec(ctx, s.db.Main, deleteManySteps, pg.Args{"kept": stepsKept})
	return err
}
