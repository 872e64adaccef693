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
type totals struct{ keptCounts[int64] }

// keptCounts keeps counted values for a while. Its zero value is empty.
type keptCounts[T any] struct {
	mu   sync.Mutex
	kept map[totalKey]keptCount[T]
}

type totalKey struct {
	project int64  // 0: all
	filter  uint32 // digest
	reach   string // of whom it was counted for (core.Reach.Key)
}

type keptCount[T any] struct {
	counted T
	at      time.Time
}

// findCount returns a count that is still valid.
func (k *keptCounts[T]) findCount(key totalKey, now time.Time) (counted T, found bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, found := k.kept[key]
	return kept.counted, found && now.Sub(kept.at) < totalsKept
}

// keepCount keeps a count. If there are too many, it drops the invalid ones, or all.
func (k *keptCounts[T]) keepCount(key totalKey, counted T, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.kept) >= maxTotals {
		for key, kept := range k.kept {
			if now.Sub(kept.at) >= totalsKept {
				delete(k.kept, key)
			}
		}
	}
	if k.kept == nil || len(k.kept) >= maxTotals {
		k.kept = map[totalKey]keptCount[T]{}
	}
	k.kept[key] = keptCount[T]{counted, now}
}

// forgetProject drops the counts of a project that has changed, and those of all projects.
func (k *keptCounts[T]) forgetProject(project int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key := range k.kept {
		if key.project == project || key.project == 0 {
			delete(k.kept, key)
		}
	}
}

// totalKey returns the key of the filter's total. It does not depend on page and order.
func (f ProblemFilter) totalKey() totalKey {
	f.Order, f.Limit, f.Offset = "", 0, 0
	return totalKey{project: f.ProjectID, filter: pg.DigestFilter(f)}
}

// countProblems counts the problems of a list. If they are few, it returns them too.
func (t *totals) countProblems(ctx context.Context, db *pg.DB, f ProblemFilter, l *problemList) (total int64, few []int64, err error) {
	now := db.Now().Time
	if total, found := t.findCount(f.totalKey(), now); found {
		return total, nil, nil
	}
	row, err := pg.QueryOne[struct{ IDs []int64 }](ctx, db.Main,
		`SELECT coalesce(array_agg(id), '{}') AS ids FROM (SELECT i.id`+l.fromAll("i.id")+` LIMIT @rows) few`, l.with("rows", exactTotals+1))
	if err != nil {
		return 0, nil, err
	}
	if len(row.IDs) <= exactTotals {
		return int64(len(row.IDs)), row.IDs, nil
	}
	count, err := pg.QueryOne[struct{ N int64 }](ctx, db.Main, `SELECT count(*) AS n`+l.fromAll("i.id"), l.args)
	if err == nil {
		t.keepCount(f.totalKey(), count.N, now)
	}
	return count.N, nil, err
}

const countOpenProblems = `
SELECT p.id, count(i.project_id) AS n
FROM unnest(@projects::bigint[]) AS p (id)
LEFT JOIN issues i ON i.project_id = p.id AND NOT i.test AND i.status IN ` + openStatuses + `
GROUP BY p.id`

// countOpen completes the counts of projects that have more open problems than were counted.
func (t *totals) countOpen(ctx context.Context, db *pg.DB, projects []ManagedProject) error {
	now, unresolved := db.Now().Time, false
	key := func(project int64) totalKey {
		return ProblemFilter{ProjectID: project, Resolved: &unresolved}.totalKey()
	}
	var missing []int64
	byID := map[int64]*ManagedProject{}
	for i := range projects {
		if projects[i].Unresolved <= exactTotals {
			continue
		}
		if n, found := t.findCount(key(projects[i].ID), now); found {
			projects[i].Unresolved = n
			continue
		}
		missing = append(missing, projects[i].ID)
		byID[projects[i].ID] = &projects[i]
	}
	if len(missing) == 0 {
		return nil
	}
	counted, err := pg.QueryMany[struct{ ID, N int64 }](ctx, db.Main, countOpenProblems, pg.Args{"projects": missing})
	for _, count := range counted {
		byID[count.ID].Unresolved = count.N
		t.keepCount(key(count.ID), count.N, now)
	}
	return err
}
