package store

import (
	"context"
	"time"
)

// keepBrought is how long it is known what a deploy brought: for a fix that is linked after its deploy.
const keepBrought = 400 * 24 * time.Hour

const (
	dropDeployCommits = `
DELETE FROM deploy_commits WHERE (project_id, commit, number) IN (
	SELECT c.project_id, c.commit, c.number FROM deploy_commits c JOIN deploys d ON d.project_id = c.project_id AND d.number = c.number
	WHERE d.deployed_at < @before LIMIT @chunk)`
	dropDeployPullRequests = `
DELETE FROM deploy_pull_requests WHERE (project_id, url, number) IN (
	SELECT p.project_id, p.url, p.number FROM deploy_pull_requests p JOIN deploys d ON d.project_id = p.project_id AND d.number = p.number
	WHERE d.deployed_at < @before LIMIT @chunk)`
	// A fix that no deploy has brought yet still needs the commit of its merge.
	dropMergedPullRequests = `
DELETE FROM merged_pull_requests WHERE (project_id, url) IN (
	SELECT m.project_id, m.url FROM merged_pull_requests m
	WHERE m.merged_at < @before AND NOT EXISTS (
		SELECT 1 FROM fixes f WHERE f.project_id = m.project_id AND f.ref = m.url AND f.deployed_at IS NULL AND f.closed_at IS NULL)
	LIMIT @chunk)`
)

// DropBrought deletes the commits and pull requests of deploys from more than 400 days ago. The deploys and their releases stay.
func (s *Store) DropBrought(ctx context.Context) error {
	for _, sql := range []string{dropDeployCommits, dropDeployPullRequests, dropMergedPullRequests} {
		if err := s.deleteInChunks(ctx, sql, s.Now().Add(-keepBrought)); err != nil {
			return err
		}
	}
	return nil
}
