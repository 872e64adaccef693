package intake

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// sendStatements sums the batch up and runs its statements, alone or inside a transaction.
func (w *Writer) sendStatements(ctx context.Context, on interface {
	SendBatch(context.Context, *pgx.Batch) pgx.BatchResults
}, b *batch) error {
	if nothing, err := w.sumUp(ctx, b); nothing || err != nil {
		return err
	}
	var outcome batchOutcome
	err := on.SendBatch(ctx, b.makeStatements(w.db.Now(), w.newIssues(), &outcome)).Close()
	switch {
	case err != nil:
		return err
	case outcome.overQuota:
		return errOverQuota
	case !outcome.proceeded:
		return errStale
	}
	if b.mayTellSpikes {
		w.spikesWanted.Store(outcome.spikesWanted)
	}
	w.noteOutcome(b, &outcome)
	return nil
}

// sumUp counts the events of the batch and packs those that are stored. It reports whether all of them are duplicates.
func (w *Writer) sumUp(ctx context.Context, b *batch) (nothing bool, err error) {
	b.countEvents(w.memory)
	if len(b.counts.issues)+len(b.counts.newIssues) == 0 {
		return true, nil
	}
	b.watched = w.memory.findHarmless(b)
	b.expectsCounted = b.expectsCounted || w.memory.mayHaveCounted(b.counts.projects, w.db.Now())
	b.eachCounted(func(e *NewEvent, a *Added) {
		if a.ID != 0 {
			w.packWaiting(ctx, e)
		}
	})
	b.spikes, err = w.db.IDs.TakeOne(ctx, activity.DeliveryIDs)
	return false, err
}

// noteOutcome takes over what the statements of the batch returned.
func (w *Writer) noteOutcome(b *batch, o *batchOutcome) {
	b.deliveries, b.returning = o.deliveries, o.returning
	for i, issue := range o.issues {
		b.setIssueAfter(issue, o.stored[i], o.users[i])
	}
	for _, c := range b.counts.newIssues {
		b.setIssueAfter(c.issue, c.stored, c.users)
	}
}

// batchOutcome is the result of a batch's statements.
type batchOutcome struct {
	issues, stored, users []int64 // the counts of each issue now
	overQuota             bool
	proceeded             bool
	deliveries            int64   // number made
	spikesWanted          bool    // by a webhook; only known if the batch may tell spikes
	returning             []int64 // ignored issues whose term is over
}

// setIssueAfter notes the new counts of an issue.
func (b *batch) setIssueAfter(issue, stored, users int64) {
	b.issuesAfter[issue] = rememberedIssue{stored: uint32(min(stored, math.MaxUint32)), users: uint16(users)}
}

// makeStatements returns the statements of the batch. They take locks in the order that all who add events follow: issues,
// fingerprints, the rows of issues in other tables, and last the rows of projects, which everyone waits for.
func (b *batch) makeStatements(now core.Time, newIssues int64, o *batchOutcome) *pgx.Batch {
	q := &pgx.Batch{}
	c := &b.counts
	quotas := collectQuotas(c.projects)
	stored, counted := b.splitEvents()
	project, event := b.listEventKeys()
	quotas.queueQuotaCheck(q, o)
	b.queueCountedCheck(q, project, event, now)
	b.queueIssueCheck(q)
	b.queueFingerprints(q)
	b.queueIssues(q, project, event, now, o)
	b.queueNewIssues(q, now, o)
	queueEvents(q, stored)
	queueNames(q, c.names)
	b.queueHours(q, now, o)
	b.queueCounted(q, project, event, counted, now)
	b.queueNewIssueCount(q, newIssues)
	quotas.queueQuotaGuard(q)
	return q
}

func (b *batch) queueIssueCheck(q *pgx.Batch) {
	if len(b.firstEvents) > 0 {
		project, issue, last := pg.SplitColumns(b.counts.issues, func(c issueCount) (int64, int64, time.Time) {
			return c.project, c.issue, c.LastSeen.Time
		})
		watched := b.collectWatched()
		q.Queue(checkIssues, project, issue, b.undecidedTimes(last), watched.fixes, watched.deploys)
	}
}

// undecidedTimes returns the time of the newest event of each issue. If the long way has already decided what the batch
// does to its issues, the times are zero.
func (b *batch) undecidedTimes(last []time.Time) []time.Time {
	if b.hasReopened {
		return make([]time.Time, len(last))
	}
	return last
}

func queueNames(q *pgx.Batch, names []issueName) {
	var environments, releases []issueName
	for _, name := range names {
		if name.isRelease {
			releases = append(releases, name)
		} else {
			environments = append(environments, name)
		}
	}
	queueNamesOf(q, countEnvironments, environments)
	queueNamesOf(q, countReleases, releases)
}

func queueNamesOf(q *pgx.Batch, sql string, names []issueName) {
	if len(names) > 0 {
		project, name, issue := pg.SplitColumns(names, func(n issueName) (int64, string, int64) { return n.project, n.name, n.issue })
		q.Queue(sql, project, name, issue)
	}
}
