package intake

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/core"
	"errand/store/pg"
)

// The statements of a batch are one round trip and one transaction. They lock its issues and check that it can be counted
// as it stands; what they find is in a setting of the transaction, by which the others do nothing: a statement that fails
// would do the same, but leave an error in the log of Postgres for what happens every day.

// proceeds is the condition on all statements of a batch that write. Outside of the transaction the setting is unknown or
// empty.
const proceeds = `current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'`

// lockCounted locks the issues of a batch, and countable is how many of them can be counted on: not those that are not
// there, are merged, or may have to be reopened: an event from after the resolve, or from after the deploy of a fix, may do
// more than count (decisions 5 and 6). unsettled_at is the newest event about which that is not decided; long ago for none.
const (
	lockCounted = `locked AS MATERIALIZED (
	SELECT i.project_id, i.status, i.reopens_after, n.project_id AS wanted, n.unsettled_at
	FROM issues i JOIN unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) AS n (project_id, id, unsettled_at) ON i.id = n.id
	ORDER BY i.project_id, i.id FOR UPDATE OF i
)`
	countable = `(SELECT count(*) FROM locked
		WHERE project_id = wanted AND status <> 'merged' AND unsettled_at > reopens_after IS NOT TRUE)`
)

// checkIssues comes before what a batch makes: it is only made when the batch can proceed.
const checkIssues = `
WITH ` + lockCounted + `
SELECT set_config('errand.proceeds', (` + proceeds + ` AND ` + countable + ` = cardinality($2::bigint[]))::text, true)`

// count sums the batch up and runs its statements: by themselves, or inside a transaction.
func (w *Writer) count(ctx context.Context, on interface {
	SendBatch(context.Context, *pgx.Batch) pgx.BatchResults
}, b *batch) error {
	b.sum(w.known)
	if len(b.counts.issues)+len(b.counts.made) == 0 {
		return nil // all events are duplicates
	}
	b.fresh(func(e *NewEvent, a *Added) {
		if a.ID != 0 {
			w.packNow(ctx, e)
		}
	})
	var outcome outcome
	err := on.SendBatch(ctx, b.statements(w.db.Now(), &outcome)).Close()
	switch {
	case err != nil:
		return err
	case outcome.overQuota:
		return errOverQuota
	case !outcome.proceeded:
		return errStale
	}
	for i, issue := range outcome.issues {
		b.know(issue, outcome.stored[i], outcome.users[i])
	}
	for _, c := range b.counts.made {
		b.know(c.issue, c.stored, c.users)
	}
	return nil
}

// outcome is what the statements of a batch have to say.
type outcome struct {
	issues, stored, users []int64 // what each issue has now
	overQuota             bool
	proceeded             bool
}

// know notes what an issue has now.
func (b *batch) know(issue, stored, users int64) {
	b.state[issue] = knownIssue{stored: uint32(min(stored, math.MaxUint32)), users: uint16(users)}
}

// statements are the batch as it is sent. Locks are taken in the order of all that add events: issues, fingerprints, what
// belongs to issues, and last the rows of projects, for which everybody waits.
func (b *batch) statements(now core.Time, o *outcome) *pgx.Batch {
	q := &pgx.Batch{}
	c := &b.counts
	quotas := quotasOf(c.projects)
	quotas.queueCheck(q, o)
	b.queueCheck(q)
	b.queueFingerprints(q)
	b.queueIssues(q, now, o)
	b.queueNewIssues(q, now)
	b.queueEvents(q)
	queuePlaces(q, c.places)
	queueHours(q, c.hours, c.projects)
	quotas.queueGuard(q)
	return q
}

func (b *batch) queueCheck(q *pgx.Batch) {
	if len(b.firsts) > 0 {
		project, issue, last := pg.SplitColumns(b.counts.issues, func(c issueCount) (int64, int64, time.Time) {
			return c.project, c.issue, c.LastSeen.Time
		})
		q.Queue(checkIssues, project, issue, b.unsettledTimes(last))
	}
}

// unsettledTimes returns the times of the newest event of each issue, unless the long way has decided what the batch does to
// its issues: then the zero time for each.
func (b *batch) unsettledTimes(last []time.Time) []time.Time {
	if b.settled {
		return make([]time.Time, len(last))
	}
	return last
}

func queuePlaces(q *pgx.Batch, all []placeKey) {
	for _, kind := range []struct {
		release bool
		sql     string
	}{{false, countEnvironments}, {true, countReleases}} {
		places := slices.DeleteFunc(slices.Clone(all), func(p placeKey) bool { return p.release != kind.release })
		if len(places) > 0 {
			project, name, issue := pg.SplitColumns(places, func(p placeKey) (int64, string, int64) { return p.project, p.name, p.issue })
			q.Queue(kind.sql, project, name, issue)
		}
	}
}
