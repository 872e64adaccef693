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

// IssueFilter says which issues to list. Its zero value lists all but merged and test issues.
type IssueFilter struct {
	ProjectID   int64 // 0: all
	Status      core.Status
	WithOverdue bool `json:",omitempty"` // beside those of the status the ones whose fix is overdue
	Release     string
	Environment string
	Since       core.Since // relative to the time of the first page
	Search      string
	IssueID     int64          `json:",omitempty"` // 0: any; NoIssue: none
	Tag         core.TagFilter `json:",omitempty"`
	Claimed     *bool
	Test        bool
	Sort        core.IssueSort // "" is ByLastSeen
	core.Paging
}

// NoIssue is the id of no issue, for a filter that finds none.
const NoIssue = -1

// anyStatus is the status of a filter that leaves out no issue for its status, not even merged ones.
const anyStatus core.Status = "any"

// listedWithin is how long listed_from, by which the indexes of issues are sorted, may lie before last_seen.
const listedWithin = "interval '5 minutes'"

// isPlain reports whether the filter has nothing that decides by its value which plan is good.
func (f IssueFilter) isPlain() bool {
	return f == IssueFilter{ProjectID: f.ProjectID, Status: f.Status, WithOverdue: f.WithOverdue, Test: f.Test, Sort: f.Sort, Paging: f.Paging}
}

// digest is what the cursors of the filter are checked against, on servers of other versions too: newer fields leave it as it was where
// they are not set. It has all that decides which issues are listed, with the
// time that Since stands for. The order and the page have checks of their own.
func (f IssueFilter) digest(since time.Time) uint32 {
	f.Since = core.Since(since.UTC().Format(time.RFC3339Nano))
	f.Sort, f.Paging = "", core.Paging{}
	return pg.DigestFilter(f)
}

// Releases and environments are looked up through the projects, so that their keys, which start with the project, serve
// the lists of all projects too.
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
		// Written out, and no argument, so that the index of test issues serves them in every plan.
		l.Where(map[bool]string{true: "i.test", false: "NOT i.test"}[f.Test])
	}
	l.Where(ofNoDeletedProject)
	if f.ProjectID != 0 {
		l.WhereArg("i.project_id = @project_id", "project_id", f.ProjectID)
	}
	f.whereStatus(l)
	if f.Release != "" {
		whereStored(l, "i.first_release = @release OR i.last_release = @release OR ", `EXISTS (
			SELECT 1 FROM projects o JOIN issue_releases r ON r.project_id = o.id AND r.release = @release
			WHERE o.id = i.project_id AND r.issue_id = i.id)`, "release", names.releases, f.Sort)
	}
	if f.Environment != "" {
		whereStored(l, "", `EXISTS (
			SELECT 1 FROM projects o JOIN issue_environments e ON e.project_id = o.id AND e.environment = @environment
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

// whereStatus adds the condition that an issue has the filter's status.
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

// whereStored adds the condition that an issue is one of the others, or is named and has a stored event with that value
// of the column. By priority it is one condition, since the score of all is computed from what passes it; by last_seen,
// the look at the events is a check.
//
// The value has several forms when some were masked, which is rare.
func whereStored(l *pg.List, others, named, column string, forms []string, sort core.IssueSort) {
	stored := storedCondition(column)
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

// storedCondition is the condition that an issue which once had an event with the release or environment of that name has it
// stored still. The events are looked at only where one may be missing, because some were trimmed, dropped, split off, or
// never stored; CASE keeps the planner from reading all events instead. No event arrived long before it happened.
func storedCondition(column string) string {
	return fmt.Sprintf(`CASE WHEN i.times_seen = i.stored_events AND NOT i.was_split THEN true ELSE EXISTS (
			SELECT 1 FROM events s WHERE s.project_id = i.project_id AND s.issue_id = i.id AND s.%[1]s = @%[1]s
				AND s.received_at >= i.first_seen - interval '1 hour') END`, column)
}

// ListIssues lists issues by the filter's sort.
//
// Pages hold while events arrive: no issue comes twice, and one that has not moved is not skipped. An issue that moves to
// the front of what was read already is not on later pages. By priority the order is that of the scores at the time of
// the first page; see listByPriority.
func (s *Store) ListIssues(ctx context.Context, f IssueFilter) (core.Page[core.Issue], error) {
	if f.Tag != "" {
		return s.listIssuesByTag(ctx, f)
	}
	return s.listIssues(ctx, f)
}

// listIssues lists issues with any tags.
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
		return s.listByPriority(ctx, f, names, found, now)
	}
	l, err := f.buildList(ctx, names, now)
	if err != nil {
		return core.Page[core.Issue]{}, err
	}
	from := " FROM issues i"
	if found != nil {
		readOnlyFound(l, found)
		from = fromFound
	}
	chosen, err := l.SQL("SELECT " + listSortColumns(l) + from)
	if err != nil {
		return core.Page[core.Issue]{}, err
	}
	// The columns of an issue, and what belongs to it, are read of those of the page, not of all that it is chosen from:
	// sorting whole rows takes longer than reading them.
	sql := fmt.Sprintf(`SELECT%s FROM (%s) r
JOIN issues i ON i.project_id = r.project_id AND i.id = r.id%s
ORDER BY i.last_seen DESC, i.id DESC`, issueColumns, chosen, issueJoins)
	rows, err := pg.RunPage(ctx, s.db, l, sql, func(r issueRow) core.ListPosition { return core.ListPosition{At: r.LastSeen.Time, ID: r.ID} })
	return pg.ConvertPage(rows, func(r issueRow) core.Issue { return r.toIssue(now) }), err
}

// listSortColumns are the columns of issues that a page is chosen by. Those of the checks stand far back in the row, so that
// reading them for nothing would cost.
func listSortColumns(l *pg.List) string {
	if !l.HasChecks() {
		return "i.project_id, i.id"
	}
	return `i.project_id, i.id, i.listed_from, i.last_seen, i.first_seen, i.first_release, i.last_release,
	i.times_seen, i.stored_events, i.was_split`
}

// ofNoDeletedProject is there because the projects are joined after the rows were chosen.
const ofNoDeletedProject = "i.project_id <> ALL (ARRAY(SELECT id FROM projects WHERE deleted_at IS NOT NULL))"
