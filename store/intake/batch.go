package intake

import (
	"context"
	"errors"

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
	Version     int // version of the grouping rules that made the fingerprint
	Title       string
	Culprit     string
	Type        string
	Level       string
	Platform    string
	Release     string
	Environment string
	User        [16]byte // the hash of the user; zero for an event without one
	Source      core.Source
	Test        bool   // the test event of a setup: only the server makes one, never a client
	DailyQuota  *int64 // the project's; nil for none
	CountOnly   bool   // not to be stored, unless it may be the first of its issue
	Payload     Payload

	// For an event that may be the first of its issue:

	Crash    triage.Crash // without a site: a job looks at the issue's events later
	Features []int32      // for comparing the issue with others

	id         int64           // assigned by the first AddEvents that sees it
	remembered rememberedIssue // its issue, as the store remembered it when AddEvents began
}

// storedUser returns the user column of the event's row: nil without a user.
func (e *NewEvent) storedUser() []byte {
	if e.User == [16]byte{} {
		return nil
	}
	return e.User[:]
}

// Added is the outcome of an event.
type Added struct {
	ID        int64 // 0 when it was counted but not stored, or not yet
	IssueID   int64
	Duplicate bool // it was stored already, or counted within a day, so it did not count again
}

// batch is a batch of events on its way into the database.
type batch struct {
	events      []NewEvent
	added       []Added
	firstIndex  map[eventKey]int // where each event id first appears in the batch
	counts      batchCounts
	firstEvents []*NewEvent // the first event of each issue that the batch makes
	newChanges  []int64     // the change ids of these new issues, for webhooks

	spikes     int64 // the change id of all its spikes
	deliveries int64 // number made, except by the extra work of the long way

	issuesAfter map[int64]rememberedIssue // what to remember of each issue after the batch
	returning   []int64                   // ignored issues that return after the batch
	watched     map[int64]watchedFix      // for issues whose events in the batch are all remembered as harmless

	mayTellSpikes  bool // a webhook may want spikes; otherwise the batch cannot proceed when one does
	expectsCounted bool // its projects may have events that were counted and not stored; otherwise it fails when one has

	hasReopened  bool // its issues are locked, and its events have done everything but count
	changedOrder bool // an issue was reopened, or regressed
	isRetry      bool // it was tried before, or given before and may be committed
	wasCommitted bool // it was given before and is committed
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
		issuesAfter: map[int64]rememberedIssue{}, mayTellSpikes: w.spikesWanted.Load(),
	}
	b.isRetry = events[0].id != 0
	if err := w.assignEventIDs(ctx, events); err != nil {
		return nil, err
	}
	for i := range events {
		e := &events[i]
		e.remembered = w.memory.findIssue(e)
		if err := w.MakePartition(ctx, truncateDay(e.ReceivedAt)); err != nil {
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

// deferStoring clears the ids of events that are not stored now: events that are only counted, and, for an issue that
// already has as many stored events as it keeps, all but the newest event of the batch, and that too while the issue has
// such an event of this moment. Those wait to be stored together, as long as there is room for them (see fullIssues).
func (b *batch) deferStoring(w *Writer) {
	newest := map[int64]bool{}
	room, keep, now := w.fullIssues.freeBytes(), w.keep(), w.db.Now()
	for i := len(b.events) - 1; i >= 0; i-- {
		issue := b.events[i].remembered
		if b.events[i].CountOnly && issue.id != 0 && !b.added[i].Duplicate {
			b.added[i].ID = 0
			continue
		}
		if int64(issue.stored) < keep || b.added[i].Duplicate {
			continue
		}
		if size := b.events[i].Payload.Size(); size <= room && (newest[issue.id] || w.fullIssues.hasNewest(issue.id, now)) {
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

// assignIssues sets the issue of each event: one that the store remembers, one that the database has, or a new one that the batch makes.
func (w *Writer) assignIssues(ctx context.Context, on pg.Reader, b *batch) error {
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
	found, err := w.findIssues(ctx, on, unknown)
	if err != nil {
		return err
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

// reportAdded copies the outcome to events that appear twice in the batch, and remembers the batch.
func (b *batch) reportAdded(w *Writer, err error) ([]Added, error) {
	if errors.Is(err, errOverQuota) || pg.HasState(err, overQuota) {
		return nil, core.NewError(core.Quota).Because(err)
	}
	if pg.HasState(err, tooManyNewIssues) {
		return nil, core.NewError(core.TooManyIssues).Because(err)
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
	if len(b.firstEvents) > 0 || b.changedOrder {
		w.db.CountReorder()
	}
	w.memory.rememberBatch(b)
	w.fullIssues.noteBatch(b, w.keep(), w.db.Now())
	return b.added, nil
}
