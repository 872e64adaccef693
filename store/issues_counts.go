package store

import (
	"context"
	"fmt"
	"strings"

	"errand/core"
	"errand/store/pg"
)

// If more issues than countedAtOnce pass a filter, only the ones seen last are counted. With no filter but the project all are counted
// from their index, and the counts are kept (see totalsKept). A text that the index cannot find is searched for in the searchedAtOnce
// issues seen last. At most hiddenAtOnce hidden issues are counted.
const (
	countedAtOnce  = 2000
	searchedAtOnce = 1000
	hiddenAtOnce   = 1000
)

// statusCount is how many issues have a status, and how many of them are work although they have it.
type statusCount struct {
	Status  core.Status
	N       int64
	Overdue int64
}

const (
	// By its project alone an issue is found in an index that has the status too.
	countStatuses = `
SELECT i.status, sum(i.n)::bigint AS n, 0::bigint AS overdue
FROM projects p
CROSS JOIN LATERAL (
	SELECT status, count(*) AS n FROM issues WHERE project_id = p.id AND NOT test GROUP BY status
) i
WHERE p.deleted_at IS NULL
	AND (@projects::bigint[] IS NULL OR p.id = ANY (@projects))
GROUP BY i.status`
	countNoise = `
SELECT i.status, sum(i.n)::bigint AS n, 0::bigint AS overdue
FROM projects p
CROSS JOIN LATERAL (
	SELECT status, count(*) AS n FROM issues WHERE project_id = p.id AND noise AND NOT test GROUP BY status
) i
WHERE p.deleted_at IS NULL
	AND (@projects::bigint[] IS NULL OR p.id = ANY (@projects))
GROUP BY i.status`
	// Few fixes wait for a deploy.
	countOverdue = `
SELECT count(*) AS n
FROM projects p
JOIN fixes f ON f.project_id = p.id AND f.deployed_at IS NULL AND f.closed_at IS NULL
CROSS JOIN LATERAL (SELECT * FROM issues WHERE project_id = f.project_id AND id = f.issue_id AND fix_id = f.id LIMIT 1) i
WHERE p.deleted_at IS NULL
	AND NOT i.test
	AND (@noise::boolean IS NULL OR i.noise IS TRUE = @noise)
	AND (@projects::bigint[] IS NULL OR p.id = ANY (@projects))
	AND ` + isOverdue
)

// CountIssues counts the issues of each status that pass the filter, whose status, order and page do not count.
func (s *Store) CountIssues(ctx context.Context, f IssueFilter) (core.IssueCounts, error) {
	f = IssueFilter{ProjectID: f.ProjectID, Status: anyStatus, Release: f.Release, Environment: f.Environment, Since: f.Since,
		Search: f.Search, IssueID: f.IssueID, Tag: f.Tag, Claimed: f.Claimed, Test: f.Test, Noise: f.Noise}
	key := totalKey{f.ProjectID, pg.DigestFilter(f), core.ReachOf(ctx).Key()}
	isPlain, now := f.isPlain() && !f.Test, s.Now().Time
	if kept, found := s.statuses.findCount(key, now); found {
		return kept, nil
	}
	rows, complete, err := s.countNewest(ctx, f, countedAtOnce)
	if err != nil {
		return core.IssueCounts{}, err
	}
	if !complete && isPlain {
		if rows, err = s.countAll(ctx, f); err != nil {
			return core.IssueCounts{}, err
		}
	}
	counts := sumStatuses(rows)
	counts.Complete = complete || isPlain
	if counts.Hidden, err = s.countHidden(ctx, f); err != nil {
		return core.IssueCounts{}, err
	}
	if !complete {
		s.statuses.keepCount(key, counts, now)
	}
	return counts, nil
}

// countHidden counts the issues that the filter leaves out by itself, under its other fields.
func (s *Store) countHidden(ctx context.Context, f IssueFilter) (hidden core.HiddenIssues, err error) {
	if f.Test || f.IssueID != 0 {
		return hidden, nil
	}
	if f.Noise != nil && !*f.Noise {
		noise, isNoise := f, true
		noise.Noise = &isNoise
		rows, _, err := s.countNewest(ctx, noise, hiddenAtOnce)
		if err != nil {
			return hidden, err
		}
		hidden.Noise = sumStatuses(rows).Total
	}
	f.Test = true
	rows, _, err := s.countNewest(ctx, f, hiddenAtOnce)
	hidden.Test = sumStatuses(rows).Total
	return hidden, err
}

// countAll counts all issues of the filter's project, or of all projects in reach, with the filter's noise.
func (s *Store) countAll(ctx context.Context, f IssueFilter) ([]statusCount, error) {
	args := pg.Args{"projects": projectsOf(ctx, f.ProjectID)}
	statement := countStatuses
	if f.Noise != nil && *f.Noise {
		statement = countNoise
	}
	rows, err := pg.QueryMany[statusCount](ctx, s.db.Main, s.byProject(statement), args)
	if err != nil {
		return nil, err
	}
	if f.Noise != nil && !*f.Noise {
		if err := s.takeNoiseAway(ctx, rows, args); err != nil {
			return nil, err
		}
	}
	overdue, err := pg.QueryOne[struct{ N int64 }](ctx, s.db.Main, countOverdue, pg.Args{"projects": args["projects"], "noise": f.Noise})
	for i := range rows {
		if rows[i].Status == core.FixPending {
			rows[i].Overdue = overdue.N
		}
	}
	return rows, err
}

// takeNoiseAway takes the noise away from the counts of all issues: the index that all are counted from does not have it.
func (s *Store) takeNoiseAway(ctx context.Context, rows []statusCount, args pg.Args) error {
	noise, err := pg.QueryMany[statusCount](ctx, s.db.Main, s.byProject(countNoise), args)
	for _, n := range noise {
		for i := range rows {
			if rows[i].Status == n.Status {
				rows[i].N = max(0, rows[i].N-n.N) // an issue may have come between the two
			}
		}
	}
	return err
}

// countNewest counts the issues that pass the filter up to a number, those that were seen last, and reports whether these are all.
func (s *Store) countNewest(ctx context.Context, f IssueFilter, most int) (rows []statusCount, complete bool, err error) {
	names, err := s.findStoredNames(ctx, f)
	if err != nil {
		return nil, false, err
	}
	found, isCut, err := s.findToCount(ctx, f)
	if err != nil {
		return nil, false, err
	}
	f.Limit = most
	l, err := f.buildList(ctx, names, s.Now())
	if err != nil {
		return nil, false, err
	}
	from := " FROM issues i"
	switch {
	case found != nil:
		readOnlyFound(l, found)
		from = fromFound
	case f.Search != "": // too many issues have the text, or it is too short for the index
		scope := scopeOf(ctx, f)
		if isCut, err = s.hasMore(ctx, scope, l.Args); err != nil {
			return nil, false, err
		}
		from = fmt.Sprintf(" FROM (SELECT * FROM issues i WHERE %s ORDER BY i.listed_from DESC LIMIT %d) i", scope, searchedAtOnce)
	}
	chosen, err := l.SQL("SELECT " + listSortColumns(l) + ", i.status, coalesce(" + isOverdue + ", false) AS is_overdue" + from)
	if err != nil {
		return nil, false, err
	}
	sql := fmt.Sprintf(`
SELECT status, count(*) AS n, count(*) FILTER (WHERE is_overdue) AS overdue FROM (%s) c GROUP BY status`, chosen)
	rows, err = pg.QueryEachOf[statusCount](ctx, s.db, l, sql, onlyNamed(l.Args, sql))
	var total int64
	for _, row := range rows {
		total += row.N
	}
	return rows, !isCut && total <= int64(most), err
}

// scopeOf returns the condition on issues that the filter searches. Its arguments are the same as for the list.
func scopeOf(ctx context.Context, f IssueFilter) string {
	scope := map[bool]string{true: "i.test", false: "NOT i.test"}[f.Test]
	if f.ProjectID != 0 {
		scope += " AND i.project_id = @project_id"
	}
	if core.ReachOf(ctx) != nil {
		scope += " AND i.project_id = ANY (@reach)"
	}
	return scope
}

// hasMore reports whether there are more issues in the scope than are searched at once.
func (s *Store) hasMore(ctx context.Context, scope string, args pg.Args) (bool, error) {
	sql := fmt.Sprintf("SELECT EXISTS (SELECT 1 FROM issues i WHERE %s ORDER BY i.listed_from DESC OFFSET %d LIMIT 1) AS has_more", scope,
		searchedAtOnce)
	row, err := pg.QueryOne[struct{ HasMore bool }](ctx, s.db.Main, sql, onlyNamed(args, sql))
	return row.HasMore, err
}

// onlyNamed returns the arguments that a statement names. A list has others, which the columns of an issue need.
func onlyNamed(args pg.Args, sql string) pg.Args {
	named := pg.Args{}
	for name, value := range args {
		if strings.Contains(sql, "@"+name) {
			named[name] = value
		}
	}
	return named
}

// findToCount returns the issues among which those that pass the filter are, or nil where any may pass. Of those with a tag it returns
// as many as a page of a list looks at, and reports whether more may have it.
func (s *Store) findToCount(ctx context.Context, f IssueFilter) (found *foundIssues, isCut bool, err error) {
	if f.Tag == "" {
		found, err = s.searchIssues(ctx, f)
		return found, false, err
	}
	f.Limit = maxTaggedIssues
	page, err := s.listIssuesByTag(ctx, f)
	found = &foundIssues{}
	for _, issue := range page.Data {
		found.Projects, found.IDs = append(found.Projects, issue.ProjectID), append(found.IDs, issue.ID)
	}
	return found, page.NextCursor != "", err
}

// sumStatuses puts the counts into an answer.
func sumStatuses(rows []statusCount) core.IssueCounts {
	var counts core.IssueCounts
	of := map[core.Status]*int64{
		core.Unresolved: &counts.Unresolved, core.Regressed: &counts.Regressed, core.FixPending: &counts.FixPending,
		core.Verified: &counts.Verified, core.Resolved: &counts.Resolved, core.Ignored: &counts.Ignored, core.Merged: &counts.Merged,
	}
	for _, row := range rows {
		*of[row.Status] += row.N
		counts.Open += row.Overdue
		if row.Status != core.Merged {
			counts.Total += row.N
		}
	}
	counts.Open += counts.Unresolved + counts.Regressed
	return counts
}
