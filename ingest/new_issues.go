package ingest

import (
	"context"
	"math"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"errand/core"
	"errand/store"
	"errand/store/intake"
)

// newIssues keeps projects to the number of new issues that they may make in an hour (NEW_ISSUES_PER_HOUR). The database counts for all
// servers, and refuses a batch that would make too many. Then the events are chosen that fit, and the hour is remembered as full, so
// that a flood of new groups costs one look-up for each batch.
type newIssues struct {
	store *store.Store
	// full has the limit that an hour reached. Only a commit changes it, and the database has the last word.
	full *lru.Cache[intake.ProjectHour, int64]
}

func newNewIssues(s *store.Store) *newIssues {
	return &newIssues{s, mustMake(lru.New[intake.ProjectHour, int64](1 << 12))}
}

func (n *newIssues) limit() int64 { return n.store.Settings().NewIssuesPerHour }

func errTooManyIssues(limit int64) error {
	return core.NewError(core.TooManyIssues).With("new_issues_per_hour", limit)
}

// isFull reports whether the hour of an event is known to have as many new issues as it may. A limit that was raised since is another one.
func (n *newIssues) isFull(e *pendingEvent) bool {
	reached, isKnown := n.full.Get(e.event.HourOf())
	limit := n.limit()
	return isKnown && limit > 0 && reached >= limit
}

// admitEvents returns the events that may be added as far as is known, and refuses those that would make an issue in a full hour.
func (n *newIssues) admitEvents(ctx context.Context, batch []*pendingEvent) ([]*pendingEvent, error) {
	var inFull []*pendingEvent
	for _, e := range batch {
		if n.isFull(e) {
			inFull = append(inFull, e)
		}
	}
	if len(inFull) == 0 {
		return batch, nil
	}
	grouped, err := n.store.Intake.FindGrouped(ctx, storedForms(inFull))
	if err != nil {
		return nil, err
	}
	limit := n.limit()
	for i, e := range inFull {
		if !grouped[i] {
			e.err = errTooManyIssues(limit)
		}
	}
	return admittedOf(batch), nil
}

// refuseSurplus returns the events of a batch that fit, after the database has refused it: those of known issues, and in the order of
// arrival those of as many new ones as are left.
func (n *newIssues) refuseSurplus(ctx context.Context, batch []*pendingEvent) ([]*pendingEvent, error) {
	grouped, err := n.store.Intake.FindGrouped(ctx, storedForms(batch))
	if err != nil {
		return nil, err
	}
	left, err := n.countLeft(ctx, batch)
	if err != nil {
		return nil, err
	}
	limit := n.limit()
	for hour, more := range left {
		if more <= 0 { // what is chosen below may yet fail, so only issues that are made fill an hour
			n.full.Add(hour, limit)
		}
	}
	chosen := map[intake.Group]bool{}
	for i, e := range batch {
		group, hour := e.event.GroupOf(), e.event.HourOf()
		switch {
		case grouped[i] || chosen[group]:
		case left[hour] > 0:
			chosen[group] = true
			left[hour]--
		default:
			e.err = errTooManyIssues(limit)
		}
	}
	return admittedOf(batch), nil
}

// countLeft returns how many new issues may still be made in the hours of the events.
func (n *newIssues) countLeft(ctx context.Context, batch []*pendingEvent) (map[intake.ProjectHour]int64, error) {
	left := map[intake.ProjectHour]int64{}
	var hours []intake.ProjectHour
	for _, e := range batch {
		if _, isThere := left[e.event.HourOf()]; !isThere {
			left[e.event.HourOf()] = 0
			hours = append(hours, e.event.HourOf())
		}
	}
	counts, err := n.store.Intake.CountNewIssues(ctx, hours)
	limit := n.limit()
	if limit == 0 { // it was lifted just now
		limit = math.MaxInt64
	}
	for i, count := range counts {
		left[hours[i]] = limit - count
	}
	return left, err
}

// admittedOf returns the events that are not refused.
func admittedOf(batch []*pendingEvent) []*pendingEvent {
	admitted := make([]*pendingEvent, 0, len(batch))
	for _, e := range batch {
		if e.err == nil {
			admitted = append(admitted, e)
		}
	}
	return admitted
}

// untilNextHour is how long a project whose hour is full has to wait.
func untilNextHour(now time.Time) time.Duration {
	return now.Truncate(time.Hour).Add(time.Hour).Sub(now)
}
