package store

import (
	"context"
	"fmt"
	"hash/fnv"

	"errand/core"
	"errand/store/pg"
)

// deploysShown is how many deploys of a release are shown.
const deploysShown = 100

// releaseRow is the row of a release.
type releaseRow struct {
	ID         int64
	ProjectID  int64
	Version    string
	Commit     string
	CreatedAt  core.Time
	DeployedAt core.Time
}

const (
	selectReleases = `SELECT r.id, r.project_id, r.version, r.commit, r.created_at, r.deployed_at FROM releases r`

	// The latest deploys of each release.
	deploysOfReleases = `
SELECT d.project_id, d.release, d.id, d.environment, d.commit, d.source, d.deployed_at
FROM unnest(@projects::bigint[], @versions::text[]) AS n (project_id, release)
CROSS JOIN LATERAL (
	SELECT * FROM deploys d
	WHERE d.project_id = n.project_id AND d.release = n.release AND /* of some projects: d */ true
	ORDER BY d.number DESC LIMIT @shown
) d
ORDER BY d.project_id, d.release, d.number DESC`
)

// ReleaseFilter selects releases.
type ReleaseFilter struct {
	ProjectID int64 // 0: all
	core.Paging
}

// ListReleases lists releases, most recently deployed first.
func (s *Store) ListReleases(ctx context.Context, f ReleaseFilter) (core.Page[core.Release], error) {
	l := pg.NewList(ctx, "r.", "deployed_at", f.Paging)
	if f.ProjectID != 0 {
		h := fnv.New32a()
		fmt.Fprint(h, f.ProjectID)
		l.FilterDigest = h.Sum32()
		l.WhereArg("r.project_id = @project_id", "project_id", f.ProjectID)
	}
	l.Where("r.project_id <> ALL (ARRAY(SELECT id FROM projects WHERE deleted_at IS NOT NULL))")
	page, err := pg.ReadPage(ctx, s.db, l, selectReleases, func(r releaseRow) (core.Time, int64) {
		return r.DeployedAt, r.ID
	})
	if err != nil {
		return core.Page[core.Release]{}, err
	}
	releases, err := s.withDeploys(ctx, page.Data)
	return core.Page[core.Release]{Data: releases, NextCursor: page.NextCursor}, err
}

// withDeploys returns the releases with their deploys.
func (s *Store) withDeploys(ctx context.Context, rows []releaseRow) ([]core.Release, error) {
	releases := make([]core.Release, len(rows))
	projects, versions := make([]int64, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		releases[i] = core.Release{ProjectID: r.ProjectID, Version: core.ShowName(r.Version), Commit: core.Text(r.Commit), CreatedAt: r.CreatedAt}
		projects[i], versions[i] = r.ProjectID, r.Version
	}
	deploys, err := pg.QueryEach[struct {
		ProjectID int64
		Release   string
		core.Deploy
	}](ctx, s.db, s.db.Main, deploysOfReleases, pg.Args{"projects": projects, "versions": versions, "shown": deploysShown}, projects)
	if err != nil {
		return nil, err
	}
	for i := range releases {
		for _, d := range deploys {
			if d.ProjectID == releases[i].ProjectID && d.Release == versions[i] {
				d.Environment = core.ShowName(d.Environment)
				releases[i].Deploys = append(releases[i].Deploys, d.Deploy)
			}
		}
	}
	return releases, nil
}
