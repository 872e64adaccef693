package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"errand/core"
	"errand/store/pg"
)

// Bounds of the values of filters: how many of the newest issues are looked at, with 20 environments of each, and how many names are
// returned.
const (
	newestToName = 1000
	valuesShown  = 50
)

const selectReleaseNames = `SELECT r.id, r.version AS name, r.deployed_at AS at, 0::bigint AS issues, 0::bigint AS named FROM releases r`

// namedAt is a release or an environment, and when it was seen last.
type namedAt struct {
	Name   string
	At     core.Time
	Issues int64 // that have the environment
	Named  int64 // how often all environments are named
}

// ListFilterValues lists the environments and releases of a project, or of all for 0. Where it looks at many issues, which takes 5 ms
// (make bench-web, 200,000 issues), the names are kept for totalsKept.
func (s *Store) ListFilterValues(ctx context.Context, project int64) (core.FilterValues, error) {
	key, now := totalKey{project: project, reach: core.ReachOf(ctx).Key()}, s.Now().Time
	if kept, found := s.filterValues.findCount(key, now); found {
		return kept, nil
	}
	environments, err := s.listNamesOfIssues(ctx, project, `
SELECT e.name, max(i.last_seen) AS at, count(*) AS issues, sum(count(*)) OVER ()::bigint AS named FROM (%s) i
CROSS JOIN LATERAL (
	SELECT environment AS name FROM issue_environments
	WHERE project_id = i.project_id AND issue_id = i.id AND /* of some projects: issue_environments */ true LIMIT 20
) e
GROUP BY e.name ORDER BY count(*) DESC, at DESC, e.name LIMIT @most`)
	if err != nil {
		return core.FilterValues{}, err
	}
	releases, err := s.listNamesOfIssues(ctx, project, `
SELECT n.name, max(n.at) AS at, 0::bigint AS issues, 0::bigint AS named FROM (%s) i
CROSS JOIN LATERAL (VALUES (i.last_release, i.last_release_at), (i.first_release, i.first_release_at)) AS n (name, at)
WHERE n.name <> ''
GROUP BY n.name ORDER BY at DESC, n.name LIMIT @most`)
	if err != nil {
		return core.FilterValues{}, err
	}
	deployed, err := s.listDeployedNames(ctx, project)
	releases = append(releases, deployed...)
	slices.SortStableFunc(releases, func(a, b namedAt) int {
		return cmp.Or(b.At.Compare(a.At.Time), cmp.Compare(a.Name, b.Name))
	})
	values := core.FilterValues{Environments: showNames(environments), Releases: showNames(releases)}
	if err == nil && len(environments) > 0 && environments[0].Named >= newestToName {
		s.filterValues.keepCount(key, values, now)
	}
	return values, err
}

// listNamesOfIssues runs a statement over the newest issues.
func (s *Store) listNamesOfIssues(ctx context.Context, project int64, names string) ([]namedAt, error) {
	l := pg.NewList(ctx, "i.", string(core.ByLastSeen), core.Paging{Limit: newestToName})
	l.IndexedSort = "listed_from"
	l.Where("NOT i.test AND /* of some projects: i */ true")
	l.Where(ofNoDeletedProject)
	if project != 0 {
		l.WhereArg("i.project_id = @project_id", "project_id", project)
	}
	newest, err := l.SQL(`SELECT i.project_id, i.id, i.last_seen, i.first_release, i.first_release_at, i.last_release, i.last_release_at
FROM issues i`)
	if err != nil {
		return nil, err
	}
	l.Args["most"] = valuesShown
	rows, err := pg.QueryEachOf[namedAt](ctx, s.db, l, fmt.Sprintf(names, newest), l.Args)
	return joinNames(rows), err
}

// joinNames adds up the rows of a name, which each project may have.
func joinNames(rows []namedAt) []namedAt {
	place := map[string]int{}
	var joined []namedAt
	var named, issues int64
	for _, row := range rows {
		i, isThere := place[row.Name]
		if !isThere {
			i = len(joined)
			place[row.Name] = i
			joined = append(joined, namedAt{Name: row.Name})
		}
		joined[i].Issues += row.Issues
		if row.At.After(joined[i].At.Time) {
			joined[i].At = row.At
		}
		named, issues = max(named, row.Named), issues+row.Issues
	}
	slices.SortStableFunc(joined, func(a, b namedAt) int {
		return cmp.Or(cmp.Compare(b.Issues, a.Issues), b.At.Compare(a.At.Time), cmp.Compare(a.Name, b.Name))
	})
	for i := range joined {
		joined[i].Named = max(named, issues)
	}
	return joined[:min(len(joined), valuesShown)]
}

// listDeployedNames returns the releases that were deployed last.
func (s *Store) listDeployedNames(ctx context.Context, project int64) ([]namedAt, error) {
	l := pg.NewList(ctx, "r.", "deployed_at", core.Paging{Limit: valuesShown})
	l.Where("r.project_id <> ALL (ARRAY(SELECT id FROM projects WHERE deleted_at IS NOT NULL))")
	if project != 0 {
		l.WhereArg("r.project_id = @project_id", "project_id", project)
	}
	sql, err := l.SQL(selectReleaseNames)
	if err != nil {
		return nil, err
	}
	rows, err := pg.QueryMany[struct {
		ID int64
		namedAt
	}](ctx, s.db.Main, sql, l.Args)
	deployed := make([]namedAt, len(rows))
	for i, row := range rows {
		deployed[i] = row.namedAt
	}
	return deployed, err
}

// showNames returns the names as readers see them, each once: what was masked may look alike.
func showNames(rows []namedAt) core.List[core.FilterValue] {
	var values core.List[core.FilterValue]
	shown := map[string]bool{}
	for _, row := range rows {
		name := core.ShowName(row.Name)
		if name != "" && !shown[name] && len(values) < valuesShown {
			shown[name] = true
			values = append(values, core.FilterValue{Name: core.Untrusted(name), At: row.At})
		}
	}
	return values
}
