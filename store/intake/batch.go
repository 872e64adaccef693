package intake

import (
	"context"
	"errors"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"

	"errand/core"
	"errand/store/pg"
	"errand/triage"
)

// NewEvent is an event to add, after the pipeline.
type NewEvent struct {
	ProjectID   int64
	EventID     [16]byte
	OccurredAt  core.Time
	ReceivedAt  core.Time
	Fingerprint [32]byte
	Version     int // of the grouping rules that made the fingerprint
	Title       string
	Culprit     string
	Type        string
	Level       string
	Platform    string
	Release     string
	Environment string
	User        [16]byte // the hash of the user; zero for an event without one
	Source      core.Source
	Test        bool   // the test event of a setup, which the server makes itself: nothing that a client sends is one
	DailyQuota  *int64 // of its project; nil for none
	CountOnly   bool   // it is not to be stored, unless it may be the first of its issue
	Payload     Payload

	// Of an event that may be the first of its issue.

	Crash    triage.Crash // without a site: the issue's events are looked at later
	Features []int32      // by which the issue is compared to others

	id         int64           // given by the first AddEvents that sees it
	remembered rememberedIssue // its issue, as the store remembered it when the event was given
}

// storedUser is what the row of the event has of its user: nothing when there is none.
func (e *NewEvent) storedUser() []byte {
	if e.User == [16]byte{} {
		return nil
	}
	return e.User[:]
}

// Added says what became of an event.
type Added struct {
	ID        int64 // 0 when it was counted and is not stored, or not yet
	IssueID   int64
	Duplicate bool // it was stored already, or counted within a day, and did not count again
}

// errStale says that what the store remembered of the batch's issues or event ids differs from what the database has.
var errStale = errors.New("store: the batch needs a closer look")

// addAttempts bounds how often a batch is tried again because another server changed the same rows meanwhile.
const addAttempts = 5

// AddEvents adds a batch of events in one transaction and reports what became of each, in their order.
//
// Nearly every batch only counts and makes issues: its issues are open, its event ids new. Such a batch is one pipelined
// round trip, in which the statements check that this is so and do nothing if it is not; issues that the store does not
// remember are looked up before. Only otherwise the batch takes the long way: it looks for duplicates and reopens resolved
// issues.
//
// A batch that would take a project above its daily quota is core.Quota, and nothing of it is added: the newest event's
// quota holds, against what all servers have counted.
//
// After core.Unavailable it is not known whether the batch was committed. The same slice may then be given again: its
// events keep their ids, by which the store sees that they are there already, and counts nothing twice.
func (w *Writer) AddEvents(ctx context.Context, events []NewEvent) ([]Added, error) {
	if len(events) == 0 {
		return nil, nil
	}
	b, err := w.newBatch(ctx, events)
	if err != nil {
		return nil, err
	}
	if !b.isRetry {
		if err := w.assignIssues(ctx, b); err != nil {
			return nil, err
		}
		// Without its duplicates a batch may be within the quota.
		if err = w.sendStatements(ctx, w.db.Writer, b); !isStale(err) && !errors.Is(err, errOverQuota) {
			return w.finishBatch(ctx, b, err)
		}
	}
	for attempt := range addAttempts {
		err = w.db.InWriterTx(ctx, func(t *pg.Tx) error {
			if attempt > 0 {
				if err := w.holdGrouping(ctx, t, b); err != nil {
					return err
				}
			}
			return w.addThoroughly(ctx, t, b)
		})
		if !isStale(err) {
			break
		}
	}
	return w.finishBatch(ctx, b, err)
}

// finishBatch does what follows from a batch once it is committed, and reports its outcome.
func (w *Writer) finishBatch(ctx context.Context, b *batch, err error) ([]Added, error) {
	if err == nil {
		w.returnIgnored(ctx, b.returning)
	}
	return b.reportAdded(w, err)
}

// isStale reports whether a batch failed because of what other servers did: an issue was merged or resolved, the same issue
// or event was added first (in the same moment, where the batch does not see it), or two batches waited for each other.
func isStale(err error) bool {
	return errors.Is(err, errStale) || pg.HasState(err, pgerrcode.UniqueViolation, pgerrcode.SerializationFailure, pgerrcode.DeadlockDetected)
}

// MayBeCommitted reports whether a transaction that failed may have been carried out all the same: the connection broke
// after it was sent, and no answer came.
func MayBeCommitted(err error) bool {
	var connect *pgconn.ConnectError
	var answer *pgconn.PgError
	return core.HasCode(err, core.Unavailable) && !errors.As(err, &connect) && !errors.As(err, &answer) && !pgconn.SafeToRetry(err)
}

// batch is a batch of events on its way into the database.
type batch struct {
	events      []NewEvent
	added       []Added
	firstIndex  map[eventKey]int // where each event id stands first in the batch
	counts      batchCounts
	firstEvents []*NewEvent // the first event of each issue that the batch makes
	newChanges  []int64     // the ids of the changes that these issues are, for webhooks

	spikes     int64 // the id of the change that all its spikes are
	deliveries int64 // that it has made, but for those of what the long way does beside counting

	issuesAfter map[int64]rememberedIssue // what each issue has after the batch
	returning   []int64                   // ignored issues that return after it
	watched     map[int64]watchedFix      // of issues all of whose events only count, as far as is remembered

	hasReopened  bool // its issues are locked, and what its events do beside counting is done
	isRetry      bool // it was given before, and may be committed
	wasCommitted bool // and it was
}

type eventKey struct {
	project int64
	event   [16]byte
}

type issueKey struct {
	project     int64
	version     int
	fingerprint [32]byte
}

func (e *NewEvent) eventKey() eventKey { return eventKey{e.ProjectID, e.EventID} }
func (e *NewEvent) issueKey() issueKey { return issueKey{e.ProjectID, e.Version, e.Fingerprint} }

func (w *Writer) newBatch(ctx context.Context, events []NewEvent) (*batch, error) {
	b := &batch{
		events: events, added: make([]Added, len(events)), firstIndex: make(map[eventKey]int, len(events)),
		issuesAfter: map[int64]rememberedIssue{},
	}
	b.isRetry = events[0].id != 0
	if err := w.assignEventIDs(ctx, events); err != nil {
		return nil, err
	}
	for i := range events {
		e := &events[i]
		e.remembered = w.memory.findIssue(e)
		if err := w.makePartition(ctx, truncateDay(e.ReceivedAt)); err != nil {
			return nil, err
		}
		if _, twice := b.firstIndex[e.eventKey()]; twice {
			b.added[i].Duplicate = true
			continue
		}
		b.firstIndex[e.eventKey()] = i
		b.added[i].ID = e.id
	}
	b.deferStoring(w)
	return b, nil
}

// deferStoring takes the ids from events that are not stored now. Those are the ones that are only to be counted. And of an issue that
// has as many stored events as it may have, the newest of the batch is stored, and the others wait to be stored together, as long as
// there is room for them (see fullIssues).
func (b *batch) deferStoring(w *Writer) {
	newest := map[int64]bool{}
	room, keep := w.fullIssues.freeBytes(), w.keep()
	for i := len(b.events) - 1; i >= 0; i-- {
		issue := b.events[i].remembered
		if b.events[i].CountOnly && issue.id != 0 && !b.added[i].Duplicate {
			b.added[i].ID = 0
			continue
		}
		if int64(issue.stored) < keep || b.added[i].Duplicate {
			continue
		}
		if size := b.events[i].Payload.Size(); newest[issue.id] && size <= room {
			b.added[i].ID = 0
			room -= size
		}
		newest[issue.id] = true
	}
}

// assignEventIDs sets the ids of the events that have none yet.
func (w *Writer) assignEventIDs(ctx context.Context, events []NewEvent) error {
	if events[0].id != 0 {
		return nil
	}
	ids, err := w.db.IDs.TakeMany(ctx, EventIDs, len(events))
	for i := range ids {
		events[i].id = ids[i]
	}
	return err
}

// assignIssues fills in the issues of the batch's fingerprints: those that the store remembers, those that the database has, and
// for the others those that the batch makes.
func (w *Writer) assignIssues(ctx context.Context, b *batch) error {
	var unknown []issueKey
	asked := map[issueKey]bool{}
	for i := range b.events {
		group := b.events[i].issueKey()
		if issue := b.events[i].remembered.id; issue != 0 {
			b.added[i].IssueID = issue
		} else if !asked[group] {
			asked[group] = true
			unknown = append(unknown, group)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	found, err := findIssues(ctx, w.db.Writer, unknown)
	if err != nil {
		return pg.WrapError(err)
	}
	for i := range b.events {
		if b.added[i].IssueID == 0 {
			b.added[i].IssueID = found[b.events[i].issueKey()]
		}
	}
	return w.planNewIssues(ctx, b)
}

// eachCounted calls fn for each event that counts.
func (b *batch) eachCounted(fn func(e *NewEvent, a *Added)) {
	for i := range b.events {
		if !b.added[i].Duplicate {
			fn(&b.events[i], &b.added[i])
		}
	}
}

// reportAdded copies the outcome to the events that stood twice in the batch, and remembers the batch.
func (b *batch) reportAdded(w *Writer, err error) ([]Added, error) {
	if errors.Is(err, errOverQuota) || pg.HasState(err, overQuota) {
		return nil, core.NewError(core.Quota).Because(err)
	}
	if err != nil {
		return nil, pg.WrapError(err)
	}
	for i := range b.events {
		if first := b.firstIndex[b.events[i].eventKey()]; first != i {
			b.added[i].ID, b.added[i].IssueID = b.added[first].ID, b.added[first].IssueID
		}
	}
	w.db.AnnounceDeliveries(b.deliveries)
	if len(b.firstEvents) > 0 || b.hasReopened {
		w.db.CountReorder()
	}
	w.memory.rememberBatch(b)
	w.fullIssues.noteBatch(b, w.keep(), w.db.Now())
	return b.added, nil
}
