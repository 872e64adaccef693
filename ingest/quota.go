package ingest

import (
	"context"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"errand/core"
	"errand/store"
)

// quotas keeps projects to their daily quotas. A day is one of UTC, and an event belongs to that of its arrival.
//
// The counts are those of the database, which other servers add to as well, and what this server has added since it
// asked. What others have added meanwhile the store sees when it adds a batch: one that would pass a quota fails as a
// whole, and is sorted out again by what the database has counted.
type quotas struct {
	store     *store.Store
	clock     core.Clock
	usedByDay *lru.Cache[store.ProjectDay, usage] // changed during a commit, of which there is one at a time
}

// usage is what a project has used of a day.
type usage struct {
	events  int64
	askedAt time.Time // when the database was asked
}

// When the database is asked for a count again: after some time, and for every batch while few events are left.
const (
	countAgainAfter = 5 * time.Second
	fewLeft         = 2 * maxBatch
)

func newQuotas(s *store.Store, clock core.Clock) *quotas {
	return &quotas{store: s, clock: clock, usedByDay: mustMake(lru.New[store.ProjectDay, usage](1 << 12))}
}

// mustMake is for constructors that fail only for options which are wrong in the program, such as a cache of size 0.
func mustMake[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// checkQuota refuses, without asking, events over a quota that is known to be reached: a day's count only grows.
func (q *quotas) checkQuota(p *knownProject, received core.Time) error {
	if p.DailyQuota == nil {
		return nil
	}
	used, known := q.usedByDay.Get(store.ProjectDay{ProjectID: p.ID, Day: received.Truncate(24 * time.Hour)})
	if known && used.events >= *p.DailyQuota {
		return errQuota(*p.DailyQuota)
	}
	return nil
}

func errQuota(quota int64) error { return core.NewError(core.Quota).With("daily_quota", quota) }

// admitEvents gives the entries that may be added and refuses those that would go above a quota.
func (q *quotas) admitEvents(ctx context.Context, batch []*pendingEvent) ([]*pendingEvent, error) {
	days := map[store.ProjectDay][]*pendingEvent{}
	for _, e := range batch {
		e.err = nil // of an attempt that broke off
		if e.event.DailyQuota != nil {
			days[e.event.DayOf()] = append(days[e.event.DayOf()], e)
		}
	}
	if len(days) == 0 {
		return batch, nil
	}
	if err := q.refreshCounts(ctx, days); err != nil {
		return nil, err
	}
	for day, entries := range days {
		if err := q.refuseSurplus(ctx, day, entries); err != nil {
			return nil, err
		}
	}
	admitted := make([]*pendingEvent, 0, len(batch))
	for _, e := range batch {
		if e.err == nil {
			admitted = append(admitted, e)
		}
	}
	return admitted, nil
}

// quotaOf gives the quota of the newest entry: it may have been changed since the oldest came.
func quotaOf(entries []*pendingEvent) int64 { return *entries[len(entries)-1].event.DailyQuota }

// refreshCounts asks the database for the counts that are unknown, old, or near the quota.
func (q *quotas) refreshCounts(ctx context.Context, days map[store.ProjectDay][]*pendingEvent) error {
	var asked []store.ProjectDay
	now := q.clock()
	for day, entries := range days {
		used, known := q.usedByDay.Get(day)
		left := quotaOf(entries) - used.events
		if !known || now.Sub(used.askedAt) >= countAgainAfter || 0 < left && left <= fewLeft {
			asked = append(asked, day)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	counts, err := q.store.CountDays(ctx, asked)
	if err != nil {
		return err
	}
	for i, day := range asked {
		q.usedByDay.Add(day, usage{counts[i], now})
	}
	return nil
}

// refuseSurplus refuses the entries of a day that do not fit, in the order in which they came. An event that is stored already
// counts nothing, and passes until the quota is reached.
func (q *quotas) refuseSurplus(ctx context.Context, day store.ProjectDay, entries []*pendingEvent) error {
	used, _ := q.usedByDay.Get(day)
	left := quotaOf(entries) - used.events
	if int64(len(entries)) <= left {
		return nil
	}
	stored := make([]bool, len(entries))
	if left > 0 {
		var err error
		if stored, err = q.store.FindStored(ctx, storedForms(entries)); err != nil {
			return err
		}
	}
	fresh := map[[16]byte]bool{}
	for i, e := range entries {
		switch {
		case stored[i] || fresh[e.event.EventID]:
		case int64(len(fresh)) < left:
			fresh[e.event.EventID] = true
		default:
			e.err = errQuota(quotaOf(entries))
		}
	}
	return nil
}

// forgetDays has the database asked again for the days of the entries.
func (q *quotas) forgetDays(batch []*pendingEvent) {
	for _, e := range batch {
		q.usedByDay.Remove(e.event.DayOf())
	}
}

// countAdded adds what became of a batch. Of entries without an answer nobody knows whether they count: the database is
// asked again.
func (q *quotas) countAdded(batch []*pendingEvent) {
	for _, e := range batch {
		if e.event.DailyQuota == nil {
			continue
		}
		day := e.event.DayOf()
		used, known := q.usedByDay.Get(day)
		switch {
		case e.err != nil:
			q.usedByDay.Remove(day)
		case known && !e.added.Duplicate:
			used.events++
			q.usedByDay.Add(day, used)
		}
	}
}

// secondsToRetry tells a client when to ask again: at the end of the day, but within the 60 seconds in which a change of the
// quota takes effect (primary API, Projects).
func secondsToRetry(now time.Time) (seconds string) {
	left := now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	return strconv.Itoa(int(min(60*time.Second, left+time.Second-1) / time.Second))
}
