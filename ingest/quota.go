package ingest

import (
	"context"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"errand/core"
	"errand/store"
	"errand/store/intake"
)

// quotas keeps projects to their daily quotas. A day is one of UTC, and an event belongs to that of its arrival.
//
// The counts are those of the database, which other servers add to as well, and what this server has added since it
// asked. What others have added meanwhile the store sees when it adds a batch: one that would pass a quota fails as a
// whole, and is sorted out again by what the database has counted.
type quotas struct {
	store *store.Store
	clock core.Clock
	used  *lru.Cache[intake.ProjectDay, usage] // changed during a commit, of which there is one at a time
}

// usage is what a project has used of a day.
type usage struct {
	events  int64
	askedAt time.Time // when the database was asked
}

// When the database is asked for a count again: after some time, and for every batch while few events are left.
const (
	readAgain = 5 * time.Second
	fewLeft   = 2 * maxBatch
)

func newQuotas(s *store.Store, clock core.Clock) *quotas {
	return &quotas{store: s, clock: clock, used: must(lru.New[intake.ProjectDay, usage](1 << 12))}
}

// must is for constructors that fail only for options which are wrong in the program, such as a cache of size 0.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// check refuses, without asking, events over a quota that is known to be reached: a day's count only grows.
func (q *quotas) check(p *project, received core.Time) error {
	if p.DailyQuota == nil {
		return nil
	}
	used, known := q.used.Get(intake.ProjectDay{ProjectID: p.ID, Day: received.Truncate(24 * time.Hour)})
	if known && used.events >= *p.DailyQuota {
		return errQuota(*p.DailyQuota)
	}
	return nil
}

func errQuota(quota int64) error { return core.NewError(core.Quota).With("daily_quota", quota) }

// admit gives the entries that may be added and refuses those that would go above a quota.
func (q *quotas) admit(ctx context.Context, batch []*entry) ([]*entry, error) {
	days := map[intake.ProjectDay][]*entry{}
	for _, e := range batch {
		e.err = nil // of an attempt that broke off
		if e.event.DailyQuota != nil {
			days[e.event.DayOf()] = append(days[e.event.DayOf()], e)
		}
	}
	if len(days) == 0 {
		return batch, nil
	}
	if err := q.refresh(ctx, days); err != nil {
		return nil, err
	}
	for day, entries := range days {
		if err := q.sortOut(ctx, day, entries); err != nil {
			return nil, err
		}
	}
	admitted := make([]*entry, 0, len(batch))
	for _, e := range batch {
		if e.err == nil {
			admitted = append(admitted, e)
		}
	}
	return admitted, nil
}

// quotaOf gives the quota of the newest entry: it may have been changed since the oldest came.
func quotaOf(entries []*entry) int64 { return *entries[len(entries)-1].event.DailyQuota }

// refresh asks the database for the counts that are unknown, old, or near the quota.
func (q *quotas) refresh(ctx context.Context, days map[intake.ProjectDay][]*entry) error {
	var asked []intake.ProjectDay
	now := q.clock()
	for day, entries := range days {
		used, known := q.used.Get(day)
		left := quotaOf(entries) - used.events
		if !known || now.Sub(used.askedAt) >= readAgain || 0 < left && left <= fewLeft {
			asked = append(asked, day)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	counts, err := q.store.Intake.CountDays(ctx, asked)
	if err != nil {
		return err
	}
	for i, day := range asked {
		q.used.Add(day, usage{counts[i], now})
	}
	return nil
}

// sortOut refuses the entries of a day that do not fit, in the order in which they came. An event that is stored already
// counts nothing, and passes until the quota is reached.
func (q *quotas) sortOut(ctx context.Context, day intake.ProjectDay, entries []*entry) error {
	used, _ := q.used.Get(day)
	left := quotaOf(entries) - used.events
	if int64(len(entries)) <= left {
		return nil
	}
	stored := make([]bool, len(entries))
	if left > 0 {
		var err error
		if stored, err = q.store.Intake.FindStored(ctx, eventsOf(entries)); err != nil {
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

// forget has the database asked again for the days of the entries.
func (q *quotas) forget(batch []*entry) {
	for _, e := range batch {
		q.used.Remove(e.event.DayOf())
	}
}

// count adds what became of a batch. Of entries without an answer nobody knows whether they count: the database is
// asked again.
func (q *quotas) count(batch []*entry) {
	for _, e := range batch {
		if e.event.DailyQuota == nil {
			continue
		}
		day := e.event.DayOf()
		used, known := q.used.Get(day)
		switch {
		case e.err != nil:
			q.used.Remove(day)
		case known && !e.added.Duplicate:
			used.events++
			q.used.Add(day, used)
		}
	}
}

// rateLimit tells a client when to ask again: at the end of the day, but within the 60 seconds in which a change of the
// quota takes effect (primary API, Projects).
func rateLimit(now time.Time) (seconds string) {
	left := now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	return strconv.Itoa(int(min(60*time.Second, left+time.Second-1) / time.Second))
}
