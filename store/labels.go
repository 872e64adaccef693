package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/pg"
)

// Labels are derived from the activity when they are read (primary API, Triage label).
const (
	selectLabels = `
SELECT id, at, target_id AS issue_id,
	CASE action
		WHEN 'issue.resolve' THEN 'resolved'
		WHEN 'issue.ignore' THEN 'ignored'
		WHEN 'issue.unresolve' THEN 'unresolved'
		WHEN 'issue.regress' THEN 'regressed'
		WHEN 'issue.merge' THEN 'merged'
		WHEN 'issue.split' THEN 'split'
		ELSE 'triage_corrected'
	END AS label,
	actor_type, actor_name, data,
	CASE
		WHEN action IN ('issue.unresolve', 'issue.regress') AND data ->> 'from' IN ('resolved', 'ignored') THEN data ->> 'from'
		WHEN action = 'issue.split' THEN 'grouping'
		WHEN action = 'issue.triage_correction' THEN 'triage'
		ELSE ''
	END AS corrects
FROM activity`
	// The same condition as the index activity_labels, so that it is used.
	labelActions = `action IN ('issue.resolve', 'issue.ignore', 'issue.unresolve', 'issue.regress', 'issue.merge',
		'issue.split', 'issue.triage_correction')
	AND (action <> 'issue.merge' OR data ? 'source_ids') -- of a merge only the target's row
	AND NOT (data ? 'reason' AND data ? 'ref')` // a pull request gave the issue back, and nobody decided that
)

// ListLabels lists the decisions about issues at or after a time, most recent first. A duration counts back from the time
// of the first page.
func (s *Store) ListLabels(ctx context.Context, after core.Since, page core.Paging) (core.Page[core.Label], error) {
	l := pg.NewList(ctx, "", "at", page)
	l.Start = core.At(page.Cursor.Start(s.Now().Time))
	since, err := after.Time(l.Start.Time)
	if err != nil {
		return core.Page[core.Label]{}, err
	}
	l.FilterDigest = pg.DigestFilter(struct{ Since time.Time }{since.UTC()})
	l.Where(labelActions)
	if !since.IsZero() {
		l.WhereArg("at >= @since", "since", since)
	}
	return pg.ReadPage(ctx, s.db, l, selectLabels, func(l core.Label) (core.Time, int64) { return l.At, l.ID })
}
