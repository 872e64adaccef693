package store

import (
	"context"

	"errand/core"
	"errand/fixes"
	"errand/store/pg"
	"errand/store/watch"
)

// How many of the last seen issues are searched for the releases of their events, and how many releases are named.
const (
	unseenLookedAt = 500
	unseenNamed    = 5
)

// unknownReleases finds, for each deploy whose release no event ever named, the releases of events since then that no
// deploy has: one of them may be the deployed release under another name. A release is named by its name or by its commit,
// as in fixes.IsReleaseWithFix. It searches the latest of the issues seen since the deploy.
const unknownReleases = `
WITH unseen AS MATERIALIZED (
	SELECT d.project_id, d.number, d.deployed_at
	FROM unnest(@projects::bigint[], @numbers::bigint[]) AS n (project_id, number)
	JOIN deploys d ON d.project_id = n.project_id AND d.number = n.number AND /* of some projects: d */ true
	WHERE NOT EXISTS (
			SELECT 1 FROM issue_releases r
			WHERE r.project_id = d.project_id AND /* of some projects: r */ true AND r.release = ANY (
				ARRAY(SELECT s.release FROM deploys s WHERE s.project_id = d.project_id AND s.commit = d.commit AND /* of some projects: s */ true)
				|| ARRAY(SELECT left(d.commit, length) FROM generate_series(@prefix::int, length(d.commit)) length)))
		AND NOT EXISTS (
			SELECT 1 FROM issue_releases r
			WHERE r.project_id = d.project_id AND /* of some projects: r */ true AND strpos(r.release, E'\x1f') > 0
				AND (split_part(r.release, E'\x1f', 2) = d.digest OR split_part(r.release, E'\x1f', 3) = d.commit_digest))
), named AS (
	SELECT DISTINCT u.project_id, u.number, n.release, ` + digestOfRelease + ` AS digest
	FROM unseen u
	CROSS JOIN LATERAL (
		SELECT i.last_release AS release, i.last_release_at FROM issues i
		WHERE i.project_id = u.project_id AND /* of some projects: i */ true
			AND NOT i.test AND i.listed_from > u.deployed_at - ` + listedWithin + `
		ORDER BY i.listed_from DESC LIMIT @looked_at
	) n
	WHERE n.release <> '' AND n.last_release_at > u.deployed_at
)
SELECT project_id, number, release FROM (
	SELECT n.project_id, n.number, n.release, row_number() OVER (PARTITION BY n.project_id, n.number ORDER BY n.release) AS place
	FROM named n
	WHERE NOT EXISTS (SELECT 1 FROM deploys d WHERE d.project_id = n.project_id AND d.digest = n.digest AND /* of some projects: d */ true)
		AND NOT EXISTS (
			SELECT 1 FROM deploys d
			WHERE d.project_id = n.project_id AND /* of some projects: d */ true AND d.commit_digest = split_part(n.release, E'\x1f', 3))
		AND NOT EXISTS (
			SELECT 1 FROM deploys d
			WHERE n.release ~ '^[0-9A-Fa-f]{7,40}$' AND d.project_id = n.project_id AND /* of some projects: d */ true
				AND d.commit >= left(lower(n.release), @prefix) AND d.commit < left(lower(n.release), @prefix) || 'g')
) r
WHERE place <= @named
ORDER BY project_id, number, release`

// placeOfDeploy identifies a deploy by its project and its number.
type placeOfDeploy struct{ project, number int64 }

// findUnknownReleases returns the unknown releases of deploys, in the form that is shown.
func findUnknownReleases(
	ctx context.Context, db *pg.DB, q pg.Querier, deploys []placeOfDeploy,
) (map[placeOfDeploy]core.List[core.Untrusted], error) {
	if len(deploys) == 0 {
		return nil, nil
	}
	projects, numbers := make([]int64, len(deploys)), make([]int64, len(deploys))
	for i, d := range deploys {
		projects[i], numbers[i] = d.project, d.number
	}
	rows, err := pg.QueryEach[struct {
		ProjectID int64
		Number    int64
		Release   core.Untrusted
	}](ctx, db, q, unknownReleases, pg.Args{
		"projects": projects, "numbers": numbers, "prefix": fixes.PrefixLength, "looked_at": unseenLookedAt, "named": unseenNamed,
	}, projects)
	found := map[placeOfDeploy]core.List[core.Untrusted]{}
	for _, r := range rows {
		at := placeOfDeploy{r.ProjectID, r.Number}
		found[at] = append(found[at], core.ShowUntrusted(r.Release))
	}
	return found, err
}

// findUnseenPlace returns the deploy of a fix that may hold only because its release has no events, or false.
func findUnseenPlace(project int64, number *int64, regressedAt core.Time) (placeOfDeploy, bool) {
	if number == nil || !regressedAt.IsZero() {
		return placeOfDeploy{}, false
	}
	return placeOfDeploy{project, *number}, true
}

// findUnknownReleasesOf finds the unknown releases for rows of fixes, and returns what tells those of a row.
func findUnknownReleasesOf[T any](
	ctx context.Context, db *pg.DB, q pg.Querier, rows []T, placeOf func(T) (placeOfDeploy, bool),
) (func(T) core.List[core.Untrusted], error) {
	var places []placeOfDeploy
	for _, row := range rows {
		if place, isUnseen := placeOf(row); isUnseen {
			places = append(places, place)
		}
	}
	unknown, err := findUnknownReleases(ctx, db, q, places)
	return func(row T) core.List[core.Untrusted] {
		place, isUnseen := placeOf(row)
		if !isUnseen {
			return nil
		}
		return unknown[place]
	}, err
}

// addUnknownReleases adds the unknown releases of its deploy to a fix that may hold only because its release has no events.
func addUnknownReleases(ctx context.Context, db *pg.DB, q pg.Querier, row watch.Fix, fix *core.Fix) error {
	at, isUnseen := findUnseenPlace(row.ProjectID, row.DeployNumber, row.RegressedAt)
	if !isUnseen {
		return nil
	}
	found, err := findUnknownReleases(ctx, db, q, []placeOfDeploy{at})
	fix.UnknownReleases = found[at]
	return err
}
