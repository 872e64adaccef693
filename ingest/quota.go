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

// quotas keeps projects to their daily quotas. Days are in UTC, and an event belongs to the day of its arrival.
//
// A count is the database's last answer plus the events that this server has added since. Events that other servers added in
// between show up when the store adds a batch: a batch that would pass a quota fails as a whole, and the events that fit are
// chosen again by the database's counts.
type quotas struct {
	store     *store.Store
	clock     core.Clock
	usedByDay *lru.Cache[intake.ProjectDay, usage] // changed only during a commit; the database has the last word
}

// usage is how many events of a day's quota a project has used.
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
	return &quotas{store: s, clock: clock, usedByDay: mustMake(lru.New[intake.ProjectDay, usage](1 << 12))}
}

// mustMake is for constructors that fail only for options that are wrong in the program, such as a cache of size 0.
func mustMake[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

// checkQuota refuses events when the quota is known to be reached. It does not ask the database: a day's count only grows.
func (q *quotas) checkQuota(project *knownProject, received core.Time) error {
	if project.DailyQuota == nil {
		return nil
	}
	used, isKnown := q.usedByDay.Get(intake.ProjectDay{ProjectID: project.ID, Day: received.Truncate(24 * time.Hour)})
	if isKnown && used.events >= *project.DailyQuota {
		return errQuota(*project.DailyQuota)
	}
	return nil
}

func errQuota(quota int64) error { return core.NewError(core.Quota).With("daily_quota", quota) }

// admitEvents returns the events that may be added, and refuses those beyond a quota.
func (q *quotas) admitEvents(ctx context.Context, batch []*pendingEvent) ([]*pendingEvent, error) {
	days := map[intake.ProjectDay][]*pendingEvent{}
	for _, e := range batch {
		e.err = nil // from an attempt that broke off
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
	for day, events := range days {
		if err := q.refuseSurplus(ctx, day, events); err != nil {
			return nil, err
		}
	}
	return admittedOf(batch), nil
}

// quotaOf returns the quota that the newest event carries: it may have changed since the oldest arrived.
func quotaOf(events []*pendingEvent) int64 { return *events[len(events)-1].event.DailyQuota }

// refreshCounts asks the database for the counts that are unknown, old, or near the quota.
func (q *quotas) refreshCounts(ctx context.Context, days map[intake.ProjectDay][]*pendingEvent) error {
	var asked []intake.ProjectDay
	now := q.clock()
	for day, events := range days {
		used, isKnown := q.usedByDay.Get(day)
		left := quotaOf(events) - used.events
		if !isKnown || now.Sub(used.askedAt) >= countAgainAfter || 0 < left && left <= fewLeft {
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
		q.usedByDay.Add(day, usage{counts[i], now})
	}
	return nil
}

// refuseSurplus refuses the events of a day that do not fit, in the order of arrival. An event that is already stored does not
// count, and passes until the quota is reached.
func (q *quotas) refuseSurplus(ctx context.Context, day intake.ProjectDay, events []*pendingEvent) error {
	used, _ := q.usedByDay.Get(day)
	left := quotaOf(events) - used.events
	if int64(len(events)) <= left {
		return nil
	}
	stored := make([]bool, len(events))
	if left > 0 {
		var err error
		if stored, err = q.store.Intake.FindStored(ctx, storedForms(events)); err != nil {
			return err
		}
	}
	newIDs := map[[16]byte]bool{}
	for i, e := range events {
		switch {
		case stored[i] || newIDs[e.event.EventID]:
		case int64(len(newIDs)) < left:
			newIDs[e.event.EventID] = true
		default:
			e.err = errQuota(quotaOf(events))
		}
	}
	return nil
}

// forgetDays forgets the counts of the events' days, so that the database is asked again.
func (q *quotas) forgetDays(batch []*pendingEvent) {
	for _, e := range batch {
		q.usedByDay.Remove(e.event.DayOf())
	}
}

// countAdded counts the events of a batch that were stored. When one failed it may count or not: then the database is asked
// again.
func (q *quotas) countAdded(batch []*pendingEvent) {
	for _, e := range batch {
		if e.event.DailyQuota == nil {
			continue
		}
		day := e.event.DayOf()
		used, isKnown := q.usedByDay.Get(day)
		switch {
		case e.err != nil:
			q.usedByDay.Remove(day)
		case isKnown && !e.added.Duplicate:
			used.events++
			q.usedByDay.Add(day, used)
		}
	}
}

// secondsToRetry returns after how many seconds a client may send again: at the end of the day, but at most 60 seconds, within
// which a changed quota takes effect (primary API, Projects).
func secondsToRetry(now time.Time) string {
	left := now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	return strconv.Itoa(int(min(60*time.Second, left+time.Second-1) / time.Second))
}
