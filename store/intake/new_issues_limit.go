package intake

import (
	"context"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"

	"errand/store/pg"
)

// ProjectHour is one UTC hour of a project. NEW_ISSUES_PER_HOUR counts the issues that are made in such an hour.
type ProjectHour struct {
	ProjectID int64
	Hour      time.Time // its start, UTC
}

// HourOf returns the hour that an event counts for: the hour of its arrival.
func (e *NewEvent) HourOf() ProjectHour {
	return ProjectHour{e.ProjectID, e.ReceivedAt.UTC().Truncate(time.Hour)}
}

// countNewIssues counts the issues that a batch makes, and fails with tooManyNewIssues if an hour has more than the limit. It follows
// countHours, which locks the rows and so lets one batch through at a time: the counts of all servers are visible.
const countNewIssues = `
UPDATE project_hours h SET new_issues = h.new_issues + n.made
FROM unnest($1::bigint[], $2::timestamptz[], $3::int[]) AS n (project_id, hour, made)
WHERE h.project_id = n.project_id AND h.hour = n.hour AND current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
RETURNING ln(CASE WHEN h.new_issues > $4::bigint THEN 0 ELSE 1 END)`

// tooManyNewIssues is the SQLSTATE of the logarithm of 0. No other statement takes a logarithm.
const tooManyNewIssues = pgerrcode.InvalidArgumentForLogarithm

// NoLimit is more new issues than an hour can have.
const NoLimit int64 = 1 << 30

func (b *batch) queueNewIssueCount(q *pgx.Batch, limit int64) {
	if len(b.firstEvents) > 0 {
		q.Queue(countNewIssues, b.listNewIssueCounts(limit)...)
	}
}

// listNewIssueCounts are the arguments of countNewIssues. A limit of 0 is none.
func (b *batch) listNewIssueCounts(limit int64) []any {
	place := map[ProjectHour]int{}
	var project []int64
	var hour []time.Time
	var made []int32
	for _, e := range b.firstEvents {
		i, isThere := place[e.HourOf()]
		if !isThere {
			i = len(project)
			place[e.HourOf()] = i
			project, hour, made = append(project, e.ProjectID), append(hour, e.HourOf().Hour), append(made, 0)
		}
		made[i]++
	}
	if limit == 0 {
		limit = NoLimit
	}
	return []any{project, hour, made, limit}
}

const listNewIssueCounts = `
SELECT coalesce(h.new_issues, 0)::bigint
FROM unnest($1::bigint[], $2::timestamptz[]) WITH ORDINALITY AS n (project_id, hour, place)
LEFT JOIN project_hours h ON h.project_id = n.project_id AND h.hour = n.hour
ORDER BY n.place`

// CountNewIssues returns how many issues were made in each of the hours, in their order.
func (w *Writer) CountNewIssues(ctx context.Context, hours []ProjectHour) ([]int64, error) {
	project, start := make([]int64, len(hours)), make([]time.Time, len(hours))
	for i, h := range hours {
		project[i], start[i] = h.ProjectID, h.Hour
	}
	return queryInShard(ctx, w.db, project, pgx.RowTo[int64], listNewIssueCounts, project, start)
}

func listProjectsOf(groups []issueKey) []int64 {
	projects := make([]int64, len(groups))
	for i, g := range groups {
		projects[i] = g.project
	}
	return projects
}

// Group is what the events of one issue have in common: the project and the fingerprint.
type Group = issueKey

// GroupOf returns the group of an event.
func (e *NewEvent) GroupOf() Group { return e.issueKey() }

// FindGrouped reports for each event, in order, whether its group has an issue.
func (w *Writer) FindGrouped(ctx context.Context, events []NewEvent) ([]bool, error) {
	grouped := make([]bool, len(events))
	var unknown []issueKey
	asked := map[issueKey]bool{}
	for i := range events {
		if grouped[i] = w.memory.findIssue(&events[i]).id != 0; !grouped[i] && !asked[events[i].issueKey()] {
			asked[events[i].issueKey()] = true
			unknown = append(unknown, events[i].issueKey())
		}
	}
	if len(unknown) == 0 {
		return grouped, nil
	}
	var found map[issueKey]int64
	err := w.db.OnShard(ctx, listProjectsOf(unknown), func(on *pg.WriterPool) (err error) {
		found, err = w.findIssues(ctx, on, unknown)
		return err
	})
	if err != nil {
		return nil, pg.WrapError(err)
	}
	for i := range events {
		grouped[i] = grouped[i] || found[events[i].issueKey()] != 0
	}
	return grouped, nil
}
