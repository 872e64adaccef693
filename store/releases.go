package store

import (
	"context"

	"errand/core"
	"errand/scrub"
	"errand/store/pg"
)

// releaseLists bounds each list of a release.
const releaseLists = 1000

const (
	// By the complete name, or by the masked text that readers see. If several releases look the same, none is found.
	oneRelease = `
SELECT r.id, r.project_id, r.version, r.commit, r.created_at, r.deployed_at
FROM releases r WHERE r.project_id = @project_id AND r.digest = @digest
UNION ALL
SELECT min(r.id), @project_id, min(r.version), min(r.commit), min(r.created_at), min(r.deployed_at)
FROM releases r
WHERE r.project_id = @project_id AND strpos(r.version, E'\x1f') > 0 AND split_part(r.version, E'\x1f', 1) = @name
HAVING count(*) = 1
LIMIT 1`
	// An issue has a row for each release of its stored events, so these rows find its first release too.
	newIssuesOfRelease = `
SELECT i.id FROM issue_releases r JOIN issues i ON i.project_id = r.project_id AND i.id = r.issue_id
WHERE r.project_id = @project_id AND r.release = ANY (@names) AND i.first_release = ANY (@names) AND i.status <> 'merged'
ORDER BY i.first_seen DESC, i.id DESC LIMIT @rows`
	fixesOfRelease = `
SELECT f.issue_id, f.kind, f.ref, coalesce(f.outcome, '') AS outcome FROM fixes f
WHERE f.project_id = @project_id AND f.release = ANY (@names) AND f.release <> ''
ORDER BY f.deployed_at DESC, f.id DESC LIMIT @rows`
	regressedInRelease = `
SELECT f.issue_id AS id FROM fixes f
WHERE f.project_id = @project_id AND f.regressed_in = ANY (@names) AND f.regressed_in <> ''
GROUP BY f.issue_id ORDER BY max(f.regressed_at) DESC, f.issue_id DESC LIMIT @rows`
)

// ReadRelease returns one release with the issues that are new, fixed or back in it, or not_found.
func (s *Store) ReadRelease(ctx context.Context, project int64, version string) (core.ReleaseDetail, error) {
	row, names, err := s.findRelease(ctx, project, version)
	if err != nil {
		return core.ReleaseDetail{}, err
	}
	releases, err := s.withDeploys(ctx, []releaseRow{row})
	if err != nil {
		return core.ReleaseDetail{}, err
	}
	detail := core.ReleaseDetail{Release: releases[0]}
	a := pg.Args{"project_id": project, "names": names, "rows": releaseLists}
	if detail.NewIssueIDs, err = readIDs(ctx, s, newIssuesOfRelease, a); err != nil {
		return detail, err
	}
	if detail.FixesDeployed, err = pg.QueryMany[core.ReleaseFix](ctx, s.db.Main, fixesOfRelease, a); err != nil {
		return detail, err
	}
	detail.RegressedIssueIDs, err = readIDs(ctx, s, regressedInRelease, a)
	return detail, err
}

// findRelease returns a release with all its stored names, or not_found.
func (s *Store) findRelease(ctx context.Context, project int64, version string) (row releaseRow, names []string, err error) {
	version = scrub.CleanRelease(version)
	row, err = pg.QueryOne[releaseRow](ctx, s.db.Main, oneRelease,
		pg.Args{"project_id": project, "digest": core.DigestName(version), "name": version})
	if err != nil {
		return row, nil, err
	}
	names, err = s.findNamesOfRelease(ctx, row, version)
	return row, names, err
}

// namesOfRelease finds the stored names of a release in events and deploys: masked names differ when the project's rules change.
const namesOfRelease = `
SELECT release AS name FROM issue_releases
WHERE strpos(release, E'\x1f') > 0 AND split_part(release, E'\x1f', 2) = @digest AND project_id = @project_id
UNION
SELECT release FROM deploys WHERE project_id = @project_id AND digest = @digest
LIMIT @rows`

// findNamesOfRelease returns all stored names of a release, which the caller knows by the name asked.
func (s *Store) findNamesOfRelease(ctx context.Context, release releaseRow, asked string) ([]string, error) {
	rows, err := pg.QueryMany[nameRow](ctx, s.db.Main, namesOfRelease,
		pg.Args{"project_id": release.ProjectID, "digest": core.DigestName(release.Version), "rows": namesToFilter})
	names := []string{release.Version}
	if core.IsSameName(asked, release.Version) {
		names = append(names, asked)
	}
	for _, row := range rows {
		names = append(names, string(row.Name))
	}
	return sortOnce(names), err
}

func readIDs(ctx context.Context, s *Store, sql string, a pg.Args) ([]int64, error) {
	rows, err := pg.QueryMany[struct{ ID int64 }](ctx, s.db.Main, sql, a)
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids, err
}
