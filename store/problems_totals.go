package store

import (
	"context"
	"sync"
	"time"

	"errand/store/pg"
)

// Totals of lists with page numbers are exact up to exactTotals. Beyond that, counting takes long (make bench-queries
// PART=manage) and nobody sees the difference: then a total is kept for totalsKept, or until this server changes an issue of the project.
const (
	exactTotals = 200
	totalsKept  = 10 * time.Second
	maxTotals   = 1000 // how many are kept
)

// totals keeps the numbers of problems in lists.
type totals struct {
	mu   sync.Mutex
	kept map[totalKey]keptTotal
}

type totalKey struct {
	project int64
	filter  uint32 // digest
}

type keptTotal struct {
	n  int64
	at time.Time
}

// findTotal returns a total that is still valid.
func (t *totals) findTotal(key totalKey, now time.Time) (n int64, found bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept, found := t.kept[key]
	return kept.n, found && now.Sub(kept.at) < totalsKept
}

// keepTotal keeps a counted total. If there are too many, it drops the invalid ones, or all.
func (t *totals) keepTotal(key totalKey, n int64, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept) >= maxTotals {
		for key, kept := range t.kept {
			if now.Sub(kept.at) >= totalsKept {
				delete(t.kept, key)
			}
		}
	}
	if t.kept == nil || len(t.kept) >= maxTotals {
		t.kept = map[totalKey]keptTotal{}
	}
	t.kept[key] = keptTotal{n, now}
}

// forgetProject drops the totals of a project that has changed.
func (t *totals) forgetProject(project int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key := range t.kept {
		if key.project == project {
			delete(t.kept, key)
		}
	}
}

// totalKey returns the key of the filter's total. It does not depend on page and order.
func (f ProblemFilter) totalKey() totalKey {
	f.Order, f.Limit, f.Offset = "", 0, 0
	return totalKey{f.ProjectID, pg.DigestFilter(f)}
}

// countProblems counts the problems of a list. If they are few, it returns them too.
func (t *totals) countProblems(ctx context.Context, db *pg.DB, f ProblemFilter, l *problemList) (total int64, few []int64, err error) {
	now := db.Now().Time
	if total, found := t.findTotal(f.totalKey(), now); found {
		return total, nil, nil
	}
	row, err := pg.QueryOne[struct{ IDs []int64 }](ctx, db.Main,
		`SELECT coalesce(array_agg(id), '{}') AS ids FROM (SELECT i.id`+l.from()+` LIMIT @rows) few`, l.with("rows", exactTotals+1))
	if err != nil {
		return 0, nil, err
	}
	if len(row.IDs) <= exactTotals {
		return int64(len(row.IDs)), row.IDs, nil
	}
	count, err := pg.QueryOne[struct{ N int64 }](ctx, db.Main, `SELECT count(*) AS n`+l.from(), l.args)
	if err == nil {
		t.keepTotal(f.totalKey(), count.N, now)
	}
	return count.N, nil, err
}

const countOpenProblems = `
SELECT p.id, count(i.project_id) AS n
FROM unnest(@projects::bigint[]) AS p (id)
LEFT JOIN issues i ON i.project_id = p.id AND NOT i.test AND i.status IN ` + openStatuses + `
GROUP BY p.id`

// countOpen completes the counts of apps that have more open problems than were counted.
func (t *totals) countOpen(ctx context.Context, db *pg.DB, apps []App) error {
	now, unresolved := db.Now().Time, false
	key := func(project int64) totalKey {
		return ProblemFilter{ProjectID: project, Resolved: &unresolved}.totalKey()
	}
	var missing []int64
	byID := map[int64]*App{}
	for i := range apps {
		if apps[i].Unresolved <= exactTotals {
			continue
		}
		if n, found := t.findTotal(key(apps[i].ID), now); found {
			apps[i].Unresolved = n
			continue
		}
		missing = append(missing, apps[i].ID)
		byID[apps[i].ID] = &apps[i]
	}
	if len(missing) == 0 {
		return nil
	}
	counted, err := pg.QueryMany[struct{ ID, N int64 }](ctx, db.Main, countOpenProblems, pg.Args{"projects": missing})
	for _, count := range counted {
		byID[count.ID].Unresolved = count.N
		t.keepTotal(key(count.ID), count.N, now)
	}
	return err
}
