package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

// ProblemOrder is the order of a list of problems.
type ProblemOrder string

// The orders of problems. Any other means most recent first.
const (
	ByNotices ProblemOrder = "notices"
	ByOldest  ProblemOrder = "oldest"
)

// ProblemFilter selects problems of a project.
type ProblemFilter struct {
	ProjectID     int64
	Resolved      *bool     // nil: both
	Search        string    // a part of the title, in which % and _ are wildcards
	Since, Before core.Time // bounds of the last event; the zero time for no bound
	MinNotices    int64
	Tags          []string // problems with any of them; empty for all problems
	Order         ProblemOrder
	Limit, Offset int64
}

// steppedOrder is an order of problems: first by steps, which an index has, and inside a step by values that events change.
type steppedOrder struct {
	step   string // a column
	isDown bool
	inStep string
}

func (o ProblemOrder) steps() steppedOrder {
	switch o {
	case ByNotices:
		return steppedOrder{"i.notices_class", true, "i.stored_events DESC, i.id DESC"}
	case ByOldest:
		return steppedOrder{"i.listed_from", false, "i.last_seen, i.id"}
	default:
		return steppedOrder{"i.listed_from", true, "i.last_seen DESC, i.id DESC"}
	}
}

// byStep returns the order by steps alone.
func (o steppedOrder) byStep() string {
	if o.isDown {
		return o.step + " DESC"
	}
	return o.step
}

// singleNotices is the first class of intake.NoticeClasses that has several numbers of notices.
const singleNotices = 4

// problemList builds the statements of a list of problems.
type problemList struct {
	conditions []string
	args       pg.Args
	order      steppedOrder
	isCovered  bool // the indexes have all columns of the conditions
	byNotices  bool // the order or a condition is by the class of notices
}

// Until intake.SettleNotices has reached an issue its class is computed. These are few: they had an event in the last minutes.
const (
	settledAt      = `(SELECT notices_settled_at FROM projects WHERE id = @project_id)`
	classOfNotices = `width_bucket(i.stored_events, ` + intake.NoticeBounds + `)`
)

// openStatuses are the statuses of unresolved problems, written as in the index issues_open_problems, so that it is used.
const openStatuses = `('unresolved', 'regressed', 'fix_pending')`

func (f ProblemFilter) buildList() *problemList {
	l := &problemList{args: pg.Args{"project_id": f.ProjectID}, order: f.Order.steps(), isCovered: true, byNotices: f.Order == ByNotices}
	l.where("i.project_id = @project_id AND NOT i.test")
	switch {
	case f.Resolved == nil:
		l.where("i.status <> 'merged'")
	case *f.Resolved:
		l.where("i.status IN ('resolved', 'verified', 'ignored')")
	default:
		l.where("i.status IN " + openStatuses)
	}
	// Days begin where a step of listed_from begins.
	if !f.Since.IsZero() {
		l.whereArg("i.listed_from >= @since", "since", f.Since)
	}
	if !f.Before.IsZero() {
		l.whereArg("i.listed_from < @before", "before", f.Before)
	}
	if f.Search != "" {
		l.whereArg(titleMatches, "pattern", f.searchPattern())
		l.isCovered = false
	}
	if len(f.Tags) > 0 {
		l.whereArg(`EXISTS (
			SELECT 1 FROM issue_tags l JOIN tags t ON t.id = l.tag_id
			WHERE l.project_id = i.project_id AND l.issue_id = i.id AND t.name = ANY (@tags) OFFSET 0)`, "tags", f.Tags) // checked for each issue
		l.isCovered = false
	}
	l.whereNotices(f.MinNotices)
	return l
}

// whereNotices adds the condition of the least number of notices. The class is in the indexes; where the issues are read anyway, the
// number itself decides.
func (l *problemList) whereNotices(least int64) {
	if least <= 0 {
		return
	}
	l.args["min_notices"] = least
	if l.isCovered || l.byNotices {
		l.byNotices = true
		l.where("i.notices_class >= width_bucket(@min_notices::bigint, " + intake.NoticeBounds + ")")
	}
	if !l.isCovered || !slices.Contains(intake.NoticeClasses, least) {
		l.where("i.stored_events >= @min_notices")
		l.isCovered = false
	}
}

func (l *problemList) where(condition string) { l.conditions = append(l.conditions, condition) }

func (l *problemList) whereArg(condition, name string, value any) {
	l.where(condition)
	l.args[name] = value
}

func (l *problemList) whereIDs(ids []int64) {
	l.whereArg("i.id = ANY (@ids)", "ids", ids)
	l.isCovered = false
}

// with returns the arguments with another one added.
func (l *problemList) with(name string, value any) pg.Args {
	args := maps.Clone(l.args)
	args[name] = value
	return args
}

// fromAll returns the FROM clause and the conditions of a statement that reads these columns of all rows.
func (l *problemList) fromAll(columns string) string { return l.fromParts(columns, "") }

// fromFirst does the same for as many rows as a statement can need at most, the first of an order. It repeats order and number.
func (l *problemList) fromFirst(columns, order, rows string) string {
	return l.fromParts(columns, " ORDER BY "+order+" LIMIT "+rows)
}

// fromParts reads issues with a settled class of notices and the others each by themselves, where the class matters. Then the indexes
// serve the first part, each with its own order and limit.
func (l *problemList) fromParts(columns, limit string) string {
	conditions := strings.Join(l.conditions, " AND ")
	if !l.byNotices {
		return " FROM issues i WHERE " + conditions
	}
	part := func(which string) string {
		return "SELECT " + columns + " FROM issues i WHERE " + conditions + " AND i.listed_from " + which + " " + settledAt + limit
	}
	return " FROM ((" + part("<") + ") UNION ALL (" + strings.ReplaceAll(part(">="), "i.notices_class", classOfNotices) + ")) i WHERE true"
}

// fewTagged is the largest number of issues with a tag that are read individually. If there are more, the list is read in
// its order until the page is full. With a search that would take long, because few of those with the tag match it.
const (
	fewTagged         = 500
	fewTaggedOfSearch = 5000
)

// findTagged returns the issues that have a tag, or just more of them than can be read individually.
const findTagged = `
SELECT coalesce(array_agg(issue_id), '{}') AS ids FROM (
	SELECT l.issue_id FROM issue_tags l
	WHERE l.project_id = @project_id AND l.tag_id = ANY (ARRAY(SELECT id FROM tags WHERE name = ANY (@tags)))
	LIMIT @rows
) tagged`

// ListProblems returns a page of the problems and their number on all pages. A small number is exact; a larger one was
// counted at most totalsKept ago.
func (s *Store) ListProblems(ctx context.Context, f ProblemFilter) (problems []Problem, total int64, err error) {
	l := f.buildList()
	if f.Search != "" {
		found, err := s.findByGrams(ctx, f.ProjectID, f.searchGrams(), titleMatches, f.searchPattern())
		if err != nil {
			return nil, 0, err
		}
		if found != nil {
			l.whereIDs(found.IDs)
		}
	}
	if len(f.Tags) > 0 {
		few := fewTagged
		if f.Search != "" {
			few = fewTaggedOfSearch
		}
		tagged, err := pg.QueryOne[struct{ IDs []int64 }](ctx, s.db.Main, findTagged,
			pg.Args{"project_id": f.ProjectID, "tags": f.Tags, "rows": few + 1})
		if err != nil {
			return nil, 0, err
		}
		if len(tagged.IDs) <= few {
			l.whereIDs(tagged.IDs)
		}
	}
	total, few, err := s.totals.countProblems(ctx, s.db, f, l)
	if err != nil || f.Offset >= total {
		return nil, total, err
	}
	if few != nil {
		l.whereIDs(few)
	}
	problems, err = l.readPage(ctx, s.db, f.Limit, f.Offset)
	return problems, total, err
}

// titleMatches is the condition of a search.
const titleMatches = "i.title ILIKE @pattern"

func (f ProblemFilter) searchPattern() string {
	return "%" + strings.ReplaceAll(f.Search, `\`, `\\`) + "%"
}

// searchGrams returns grams of the text between the wildcards: every match has them. There are none if all parts are too
// short for the index.
func (f ProblemFilter) searchGrams() (grams []int32) {
	for part := range strings.FieldsFuncSeq(f.Search, func(r rune) bool { return r == '%' || r == '_' }) {
		grams = append(grams, hashSearchGrams(f.ProjectID, part)...)
	}
	return grams
}
