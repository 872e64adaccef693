package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

// releaseLists bounds each list of a release.
const releaseLists = 1000

const (
	oneRelease = `
SELECT r.id, r.project_id, r.version, r.commit, r.created_at, r.deployed_at
FROM releases r WHERE r.project_id = @project_id AND r.version = @version`
	// An issue has a row for each release of its stored events, so that the first is found by it.
	newIssuesOfRelease = `
SELECT i.id FROM issue_releases r JOIN issues i ON i.project_id = r.project_id AND i.id = r.issue_id
WHERE r.project_id = @project_id AND r.release = @version AND i.first_release = @version AND i.status <> 'merged'
ORDER BY i.first_seen DESC, i.id DESC LIMIT @rows`
	fixesOfRelease = `
SELECT f.issue_id, f.kind, f.ref, coalesce(f.outcome, '') AS outcome FROM fixes f
WHERE f.project_id = @project_id AND f.release = @version AND f.release <> ''
ORDER BY f.deployed_at DESC, f.id DESC LIMIT @rows`
	regressedInRelease = `
SELECT f.issue_id AS id FROM fixes f
WHERE f.project_id = @project_id AND f.regressed_in = @version AND f.regressed_in <> ''
GROUP BY f.issue_id ORDER BY max(f.regressed_at) DESC, f.issue_id DESC LIMIT @rows`
)

// ReadRelease returns one release with what became of issues in it, or not_found.
func (s *Store) ReadRelease(ctx context.Context, project int64, version string) (core.ReleaseDetail, error) {
	row, err := pg.QueryOne[releaseRow](ctx, s.db.Main, oneRelease, pg.Args{"project_id": project, "version": version})
	if err != nil {
		return core.ReleaseDetail{}, err
	}
	releases, err := s.withDeploys(ctx, []releaseRow{row})
	if err != nil {
		return core.ReleaseDetail{}, err
	}
	detail := core.ReleaseDetail{Release: releases[0]}
	a := pg.Args{"project_id": project, "version": version, "rows": releaseLists}
	if detail.NewIssueIDs, err = readIDs(ctx, s, newIssuesOfRelease, a); err != nil {
		return detail, err
	}
	if detail.FixesDeployed, err = pg.QueryMany[core.ReleaseFix](ctx, s.db.Main, fixesOfRelease, a); err != nil {
		return detail, err
	}
	detail.RegressedIssueIDs, err = readIDs(ctx, s, regressedInRelease, a)
	return detail, err
}

func readIDs(ctx context.Context, s *Store, sql string, a pg.Args) ([]int64, error) {
	rows, err := pg.QueryMany[struct{ ID int64 }](ctx, s.db.Main, sql, a)
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids, err
}
