package store

import (
	"context"
	"fmt"

	"errand/core"
	"errand/store/pg"
)

// columnsOfOrder are the columns that pages are chosen by.
const columnsOfOrder = `i.project_id, i.id, i.listed_from, i.last_seen, i.stored_events, i.notices_class`

// readPage reads a page. It reads the other columns only for the rows of the page, so that skipped rows are cheap.
func (l *problemList) readPage(ctx context.Context, db *pg.DB, limit, offset int64) ([]Problem, error) {
	inStep := l.order.inStep
	if offset > 0 && l.isCovered {
		start, err := l.passSteps(ctx, db, offset)
		if core.HasCode(err, core.NotFound) || err == nil && start.Passed <= offset {
			return nil, nil // there were more when they were counted
		}
		if err != nil {
			return nil, err
		}
		l.whereArg(l.order.step+map[bool]string{true: " <= @step", false: " >= @step"}[l.order.isDown], "step", start.Step)
		offset = start.InStep - 1
		if class, isClass := start.Step.(int32); isClass && class < singleNotices {
			inStep = "i.id DESC" // the order of the index
		}
	}
	l.args["limit"], l.args["offset"] = limit, offset
	order := l.order.byStep() + ", " + inStep
	return pg.QueryMany[Problem](ctx, db.Main, fmt.Sprintf(`%s JOIN (
	SELECT i.project_id, i.id%s
	ORDER BY %s
	LIMIT @limit OFFSET @offset
) page USING (project_id, id)
ORDER BY %s`, selectProblems, l.fromFirst(columnsOfOrder, order, "@limit::bigint + @offset::bigint"), order, l.order.inStep), l.args)
}

// pageStart is the start of a page.
type pageStart struct {
	Step   any
	InStep int64 // rows of the step up to the first of the page
	Passed int64 // rows before the page plus its first; fewer when the page is empty
}

// nearRows is how many rows before a page are read one by one: most steps have fewer.
const nearRows = 500

// passSteps finds the step that a page begins in. Skipping an index entry takes a third of the time of reading it. The
// rows before a step are counted only if the step is longer than the part of it that was read.
func (l *problemList) passSteps(ctx context.Context, db *pg.DB, offset int64) (pageStart, error) {
	nearest, before := "max", "<"
	if l.order.isDown {
		nearest, before = "min", ">"
	}
	args := l.with("skipped", max(0, offset+1-nearRows))
	args["near"] = min(offset+1, nearRows)
	return pg.QueryOne[pageStart](ctx, db.Main, fmt.Sprintf(`
WITH near AS MATERIALIZED (
	SELECT %[1]s AS step%[6]s ORDER BY %[3]s LIMIT @near OFFSET @skipped
), start AS (
	SELECT step, n, (SELECT count(*) FROM near WHERE near.step = last.step) AS n_in_step
	FROM (SELECT %[4]s(step) AS step, count(*) AS n FROM near) last
)
SELECT step, @skipped + n AS passed,
	CASE WHEN n_in_step < n OR @skipped = 0 THEN n_in_step
		ELSE @skipped + n - (SELECT count(*)%[2]s AND %[1]s %[5]s start.step) END AS in_step
FROM start
WHERE n > 0`, l.order.step, l.fromAll(l.order.step), l.order.byStep(), nearest, before,
		l.fromFirst(l.order.step, l.order.byStep(), "@near::bigint + @skipped::bigint")), args)
}
