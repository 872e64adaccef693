package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

// commitsKept is of how many releases of a project the commits are kept: those that had commits last.
const commitsKept = 200

const (
	// A release that is there stays as it is: its deploys say more of it.
	createRelease = `
INSERT INTO releases (project_id, id, version, commit, created_at, deployed_at)
VALUES (@project_id, @id, @version, '', @now, @now)
ON CONFLICT (project_id, version) DO NOTHING`
	keepReleaseCommits = `
INSERT INTO release_commits (project_id, release, kept_at, commits)
VALUES (@project_id, @version, @now, @commits::text[])
ON CONFLICT (project_id, release) DO UPDATE SET commits = excluded.commits`
	dropReleaseCommits = `
DELETE FROM release_commits WHERE project_id = @project_id AND release IN (
	SELECT release FROM release_commits WHERE project_id = @project_id ORDER BY kept_at DESC OFFSET @kept)`
	selectReleaseCommits = `SELECT commits FROM release_commits WHERE project_id = @project_id AND digest = @digest`
	selectCommitsBefore  = `
SELECT release, commits[1] AS commit FROM release_commits
WHERE project_id = @project_id AND digest <> @digest AND kept_at < coalesce(
	(SELECT max(kept_at) FROM release_commits WHERE project_id = @project_id AND digest = @digest), 'infinity')
ORDER BY kept_at DESC LIMIT 1`
	selectProjectsOfRelease = `
SELECT p.id FROM projects p
WHERE p.deleted_at IS NULL AND EXISTS (SELECT 1 FROM releases r WHERE r.project_id = p.id AND r.digest = @digest)
ORDER BY p.id LIMIT 100`
)

// CreateRelease makes a release without a deploy, unless it is there. A deleted project is project_not_found.
func (s *Store) CreateRelease(ctx context.Context, project int64, version string) error {
	return s.inTx(ctx, func(t *tx) error {
		_, err := t.createRelease(ctx, project, version)
		return err
	})
}

// createRelease returns the stored name of the release.
func (t *tx) createRelease(ctx context.Context, project int64, version string) (string, error) {
	release, err := t.storeRelease(ctx, project, "version", version)
	if err != nil {
		return "", err
	}
	id, err := t.store.db.IDs.TakeOne(ctx, releaseIDs)
	if err != nil {
		return "", err
	}
	_, err = pg.Exec(ctx, t, createRelease, pg.Args{"project_id": project, "id": id, "version": release, "now": t.Now})
	return release, err
}

// KeepReleaseCommits keeps the commits of a release, newest first, in place of those that were kept before, and makes the
// release when it is not there. They are in the form in which the rules of fixes return them.
func (s *Store) KeepReleaseCommits(ctx context.Context, project int64, version string, commits []string) error {
	return s.inTx(ctx, func(t *tx) error {
		release, err := t.createRelease(ctx, project, version)
		if err != nil {
			return err
		}
		_, err = pg.Exec(ctx, t, keepReleaseCommits, pg.Args{"project_id": project, "version": release, "now": t.Now, "commits": commits})
		if err != nil {
			return err
		}
		_, err = pg.Exec(ctx, t, dropReleaseCommits, pg.Args{"project_id": project, "kept": commitsKept})
		return err
	})
}

// ReadReleaseCommits returns the commits that are kept of a release, newest first; none when there are none.
func (s *Store) ReadReleaseCommits(ctx context.Context, project int64, version string) ([]string, error) {
	a := pg.Args{"project_id": project, "digest": digestRelease(version)}
	row, err := pg.QueryOne[struct{ Commits []string }](ctx, s.db.Main, selectReleaseCommits, a)
	if core.HasCode(err, core.NotFound) {
		return nil, nil
	}
	return row.Commits, err
}

// FindCommitsBefore returns the release that had commits last before a release had, and its newest commit, or not_found.
func (s *Store) FindCommitsBefore(ctx context.Context, project int64, version string) (release, commit string, err error) {
	a := pg.Args{"project_id": project, "digest": digestRelease(version)}
	row, err := pg.QueryOne[struct{ Release, Commit string }](ctx, s.db.Main, selectCommitsBefore, a)
	return core.ShowName(row.Release), row.Commit, err
}

// FindProjectsOfRelease returns the projects that have a release, at most 100.
func (s *Store) FindProjectsOfRelease(ctx context.Context, version string) ([]int64, error) {
	rows, err := pg.QueryMany[struct{ ID int64 }](ctx, s.db.Main, selectProjectsOfRelease, pg.Args{"digest": digestRelease(version)})
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids, err
}
