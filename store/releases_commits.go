package store

import (
	"context"
	"slices"

	"errand/core"
	"errand/store/pg"
)

// commitsKept is how many releases of a project keep their commits: those that last got commits.
const commitsKept = 200

const (
	// An existing release stays unchanged: its deploys say more about it.
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
SELECT p.id, coalesce((
	SELECT r.made_for FROM releases r WHERE r.project_id = p.id AND r.digest = @digest ORDER BY r.made_for DESC LIMIT 1
), '{}') AS made_for
FROM projects p
WHERE p.deleted_at IS NULL AND EXISTS (SELECT 1 FROM releases r WHERE r.project_id = p.id AND r.digest = @digest)
ORDER BY p.id LIMIT 100`
	// A later call for some of the projects, for instance from a bundler's plugin in one of them, keeps them together.
	joinProjectsOfRelease = `
UPDATE releases SET made_for = @projects
WHERE project_id = ANY (@projects::bigint[]) AND digest = @digest AND NOT made_for @> @projects::bigint[]`
	finalizeRelease = `
UPDATE releases SET released_at = @now
WHERE project_id = ANY (@projects::bigint[]) AND digest = @digest AND released_at IS NULL`
	selectReleasedAt = `
SELECT r.project_id, n.version, r.released_at
FROM unnest(@projects::bigint[], @versions::text[], @digests::text[]) AS n (project_id, version, digest)
JOIN releases r ON r.project_id = n.project_id AND r.digest = n.digest
WHERE r.released_at IS NOT NULL`
)

// CreateRelease makes a release without a deploy, unless it exists. A deleted project is project_not_found.
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

// KeepReleaseCommits replaces the commits of a release, newest first, and makes the release if it does not exist. They are
// in the form that the rules of fixes return.
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

// ReadReleaseCommits returns the kept commits of a release, newest first, possibly none.
func (s *Store) ReadReleaseCommits(ctx context.Context, project int64, version string) ([]string, error) {
	a := pg.Args{"project_id": project, "digest": digestRelease(version)}
	row, err := pg.QueryOne[struct{ Commits []string }](ctx, s.db.Main, selectReleaseCommits, a)
	if core.HasCode(err, core.NotFound) {
		return nil, nil
	}
	return row.Commits, err
}

// FindCommitsBefore returns the latest release that got commits before this one, and its newest commit, or not_found.
func (s *Store) FindCommitsBefore(ctx context.Context, project int64, version string) (release, commit string, err error) {
	a := pg.Args{"project_id": project, "digest": digestRelease(version)}
	row, err := pg.QueryOne[struct{ Release, Commit string }](ctx, s.db.Main, selectCommitsBefore, a)
	return core.ShowName(row.Release), row.Commit, err
}

// ReleaseProject is a project that has a release.
type ReleaseProject struct {
	ID      int64
	MadeFor []int64 // the projects that one call made the release for, this one among them; empty when no call named several
}

// FindProjectsOfRelease returns the projects that have a release, at most 100.
func (s *Store) FindProjectsOfRelease(ctx context.Context, version string) ([]ReleaseProject, error) {
	return pg.QueryMany[ReleaseProject](ctx, s.db.Main, s.byProject(selectProjectsOfRelease), pg.Args{"digest": digestRelease(version)})
}

// JoinProjectsOfRelease notes that one call made an existing release for several projects.
func (s *Store) JoinProjectsOfRelease(ctx context.Context, projects []int64, version string) error {
	return s.inTx(ctx, func(t *tx) error {
		_, err := pg.Exec(ctx, t, joinProjectsOfRelease, pg.Args{"projects": sortOnce(slices.Clone(projects)), "digest": digestRelease(version)})
		return err
	})
}

// FinalizeRelease notes that an existing release is finalized, unless it already is.
func (s *Store) FinalizeRelease(ctx context.Context, projects []int64, version string) error {
	return s.inTx(ctx, func(t *tx) error {
		_, err := pg.Exec(ctx, t, finalizeRelease,
			pg.Args{"projects": sortOnce(slices.Clone(projects)), "digest": digestRelease(version), "now": t.Now})
		return err
	})
}

// ReadReleasedAt returns when releases were finalized, by project and shown name. Releases that are not finalized are not in the map.
func (s *Store) ReadReleasedAt(ctx context.Context, releases []core.Release) (map[core.ReleaseKey]core.Time, error) {
	projects, versions, digests := make([]int64, len(releases)), make([]string, len(releases)), make([]string, len(releases))
	for i, r := range releases {
		projects[i], versions[i], digests[i] = r.ProjectID, r.Version, digestRelease(r.Version)
	}
	rows, err := pg.QueryMany[struct {
		ProjectID  int64
		Version    string
		ReleasedAt core.Time
	}](ctx, s.db.Main, selectReleasedAt, pg.Args{"projects": projects, "versions": versions, "digests": digests})
	times := make(map[core.ReleaseKey]core.Time, len(rows))
	for _, row := range rows {
		times[core.ReleaseKey{ProjectID: row.ProjectID, Version: row.Version}] = row.ReleasedAt
	}
	return times, err
}
