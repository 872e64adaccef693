package store

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"errand/core"
	"errand/store/pg"
)

// IssueFilter selects issues. Its zero value selects all except merged and test issues.
type IssueFilter struct {
	ProjectID   int64 // 0: all
	Status      core.Status
	WithOverdue bool `json:",omitempty"` // adds the issues whose fix is overdue to those with the status
	Release     string
	Environment string
	Since       core.Since // relative values count from the first page
	Search      string
	IssueID     int64          `json:",omitempty"` // 0: any; NoIssue: none
	Tag         core.TagFilter `json:",omitempty"`
	Claimed     *bool
	Test        bool
	Noise       *bool          `json:",omitempty"` // true: only noise; false: no noise; nil: both
	Sort        core.IssueSort // "" is ByLastSeen
	core.Paging
}

// NoIssue is an id that no issue has, for a filter that finds none.
const NoIssue = -1

// anyStatus is the status of a filter that accepts every status, even merged.
const anyStatus core.Status = "any"

// listedWithin is how far listed_from, which sorts the indexes of issues, may lie before last_seen.
const listedWithin = "interval '5 minutes'"

// isPlain reports whether the filter has no field with values that call for different plans.
func (f IssueFilter) isPlain() bool {
	return f == IssueFilter{ProjectID: f.ProjectID, Status: f.Status, WithOverdue: f.WithOverdue, Test: f.Test, Noise: f.Noise, Sort: f.Sort,
		Paging: f.Paging}
}

// digest is the value that cursors of the filter are checked against, on servers of other versions too: newer fields do not
// change it while they are not set. It covers everything that selects issues, including the time that Since stands for. The
// order and the page have their own checks.
func (f IssueFilter) digest(since time.Time) uint32 {
	f.Since = core.Since(since.UTC().Format(time.RFC3339Nano))
	f.Sort, f.Paging = "", core.Paging{}
	return pg.DigestFilter(f)
}

// Releases and environments are looked up through the projects, so that their keys, which begin with the project, also
// serve lists of all projects.
func (f IssueFilter) buildList(ctx context.Context, names storedNames, now core.Time) (*pg.List, error) {
	start := f.Cursor.Start(now.Time)
	since, err := f.Since.Time(start)
	if err != nil {
		return nil, err
	}
	l := pg.NewList(ctx, "i.", string(core.ByLastSeen), f.Paging)
	l.IndexedSort = "listed_from"
	maps.Copy(l.Args, issueTimes(now))
	l.FilterDigest, l.Start = f.digest(since), core.At(start)
	l.OnePlan = f.isPlain() && core.ReachOf(ctx) == nil
	if f.IssueID != 0 {
		l.WhereArg("i.id = @issue_id", "issue_id", f.IssueID)
	} else {
		// A literal and not an argument, so that the index of test issues serves them in every plan.
		l.Where(map[bool]string{true: "i.test", false: "NOT i.test"}[f.Test])
		f.whereNoise(l)
	}
	l.Where(ofNoDeletedProject)
	if f.ProjectID != 0 {
		l.WhereArg("i.project_id = @project_id", "project_id", f.ProjectID)
	}
	f.whereStatus(l)
	if f.Release != "" {
		whereStored(l, "i.first_release = @release OR i.last_release = @release OR ", `EXISTS (
			SELECT 1 FROM projects o JOIN issue_releases r ON r.project_id = o.id AND r.release = @release
				AND /* of some projects: r */ true
			WHERE o.id = i.project_id AND r.issue_id = i.id)`, "release", names.releases, f.Sort)
	}
	if f.Environment != "" {
		whereStored(l, "", `EXISTS (
			SELECT 1 FROM projects o JOIN issue_environments e ON e.project_id = o.id AND e.environment = @environment
				AND /* of some projects: e */ true
			WHERE o.id = i.project_id AND e.issue_id = i.id)`, "environment", names.environments, f.Sort)
	}
	if !since.IsZero() {
		l.WhereArg("i.last_seen >= @since AND i.listed_from > @since::timestamptz - "+listedWithin, "since", since)
	}
	if f.Search != "" {
		matches, pattern := f.searchCondition()
		l.WhereArg(matches, "pattern", pattern)
	}
	switch {
	case f.Claimed == nil:
	case *f.Claimed:
		l.Where("i.claim_expires_at > @now")
	default:
		l.Where("(i.claim_expires_at IS NULL OR i.claim_expires_at <= @now)")
	}
	return l, nil
}

// whereNoise adds the condition of the filter's noise: a literal too, for the index of noise.
func (f IssueFilter) whereNoise(l *pg.List) {
	switch {
	case f.Noise == nil:
	case *f.Noise:
		l.Where("i.noise")
	default:
		l.Where("i.noise IS NOT TRUE")
	}
}

// whereStatus adds the condition of the filter's status.
func (f IssueFilter) whereStatus(l *pg.List) {
	switch f.Status {
	case anyStatus:
	case core.Open:
		l.Where(isWork)
	case "":
		if f.IssueID == 0 {
			l.Where("i.status <> 'merged'")
		}
	default:
		condition := "i.status = @status"
		if f.WithOverdue {
			condition = "(" + condition + " OR " + isOverdue + ")"
		}
		l.WhereArg(condition, "status", string(f.Status))
	}
}

// whereStored adds the condition that an issue matches others, or matches named and still stores an event with the value in
// the column. Sorted by priority that is one condition, since the scores of all matching issues are computed; sorted by
// last_seen, the search of the events is a check.
//
// The value has several forms if some were masked, which is rare.
func whereStored(l *pg.List, others, named, column string, forms []string, sort core.IssueSort) {
	stored := storedCondition(column)
	l.Where("/* of some projects: i */ true")
	l.Args[column] = forms[0]
	if len(forms) > 1 {
		anyForm := strings.NewReplacer("= @"+column, "= ANY (@"+column+"::text[])")
		others, named, stored = anyForm.Replace(others), anyForm.Replace(named), anyForm.Replace(stored)
		l.Args[column] = forms
	}
	if sort.IsRanked() {
		l.Where("(" + others + named + " AND " + stored + ")")
		return
	}
	l.Where("(" + others + named + ")")
	l.Check("(" + others + stored + ")")
}

// storedCondition is the condition that an issue which once had an event with the release or environment still stores one.
// The events are searched only where one may be missing, because some were trimmed, dropped, split off, or never stored;
// CASE keeps the planner from reading all events instead. No event arrives long before it happens.
func storedCondition(column string) string {
	return fmt.Sprintf(`CASE WHEN i.times_seen = i.stored_events AND NOT i.was_split THEN true WHEN i.stored_events = 0 THEN false
		ELSE EXISTS (
			SELECT 1 FROM events s WHERE s.project_id = i.project_id AND s.issue_id = i.id AND s.%[1]s = @%[1]s AND /* of some projects: s */ true
				AND s.received_at >= i.first_seen - interval '1 hour') END`, column)
}

// ListIssues lists issues by the filter's sort.
//
// Pages are consistent while events arrive: no issue appears twice, and an issue that has not moved is not skipped. An
// issue that moves to the part that was already read is not on later pages. By priority the order follows the scores at
// the time of the first page; see listByPriority.
func (s *Store) ListIssues(ctx context.Context, f IssueFilter) (core.Page[core.Issue], error) {
	if f.Tag != "" {
		return s.listIssuesByTag(ctx, f)
	}
	return s.listIssues(ctx, f)
}

// listIssues lists issues and ignores the filter's tag.
func (s *Store) listIssues(ctx context.Context, f IssueFilter) (core.Page[core.Issue], error) {
	now := s.Now()
	names, err := s.findStoredNames(ctx, f)
	if err != nil {
		return core.Page[core.Issue]{}, err
	}
	found, err := s.searchIssues(ctx, f)
	if err != nil {
		return core.Page[core.Issue]{}, err
	}
	if f.Sort.IsRanked() {
		if found == nil {
			if found, err = s.findByNames(ctx, f, names); err != nil {
				return core.Page[core.Issue]{}, err
			}
		}
		return s.listByPriority(ctx, f, names, found, now)
	}
	l, err := f.buildList(ctx, names, now)
	if err != nil {
		return core.Page[core.Issue]{}, err
	}
	from, key := " FROM issues i", "i.project_id = r.project_id AND i.id = r.id"
	if found != nil {
		readOnlyFound(l, found)
		from, key = fromFound, key+" AND /* of some projects: i */ true"
	}
	chosen, err := l.SQL("SELECT " + listSortColumns(l) + from)
	if err != nil {
		return core.Page[core.Issue]{}, err
	}
	// The remaining columns are read only for the issues of the page, not for all that it is chosen from: sorting whole
	// rows takes longer than reading them.
	sql := fmt.Sprintf(`SELECT%s FROM (%s) r
JOIN issues i ON %s AND /* of its project: i */ true%s
ORDER BY i.last_seen DESC, i.id DESC`, issueColumns, chosen, key, issueJoins)
	rows, err := pg.RunPage(ctx, s.db, l, sql, func(r issueRow) core.ListPosition { return core.ListPosition{At: r.LastSeen.Time, ID: r.ID} })
	return pg.ConvertPage(rows, func(r issueRow) core.Issue { return r.toIssue(now) }), err
}

// listSortColumns are the columns of issues that choose a page. The columns of the checks are far back in the row, so
// reading them without need would be costly.
func listSortColumns(l *pg.List) string {
	if !l.HasChecks() {
		return "i.project_id, i.id"
	}
	return `i.project_id, i.id, i.listed_from, i.last_seen, i.first_seen, i.first_release, i.last_release,
	i.times_seen, i.stored_events, i.was_split`
}

// ofNoDeletedProject is needed because the projects are joined after the rows are chosen.
const ofNoDeletedProject = "i.project_id <> ALL (ARRAY(SELECT id FROM projects WHERE deleted_at IS NOT NULL))"
