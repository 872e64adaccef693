package intake

import (
	"time"

	"github.com/jackc/pgx/v5"

	"errand/core"
	"errand/store/pg"
)

func (b *batch) queueIssues(q *pgx.Batch, project []int64, event [][16]byte, now core.Time, o *batchOutcome) {
	c := newSpanArrays(b.counts.issues)
	userProject, userIssue, user := b.listUsers()
	watched := b.collectWatched()
	args := append(c.appendArgs(make([]any, 0, 23)), MaxUsers, now, b.undecidedTimes(c.last), project, event, userProject, userIssue, user,
		watched.fixes, watched.deploys, b.mayTellSpikes)
	q.Queue(countIssues, args...).QueryRow(func(row pgx.Row) error {
		return row.Scan(&o.issues, &o.stored, &o.users, &o.returning, &o.proceeded)
	})
}

func (b *batch) listUsers() (project, issue []int64, user [][]byte) {
	return pg.SplitColumns(b.counts.users, func(u userKey) (int64, int64, []byte) { return u.project, u.issue, u.user[:] })
}

// spanArrays are the counts of issues as the arrays of a statement.
type spanArrays struct {
	project, issue                   []int64
	seen, stored, latest             []int64
	first, last                      []time.Time
	firstRelease, lastRelease, level []string
	firstKnown, lastKnown            []*time.Time
}

func newSpanArrays(rows []issueCount) spanArrays {
	n := len(rows)
	c := spanArrays{
		project: make([]int64, n), issue: make([]int64, n), seen: make([]int64, n), stored: make([]int64, n), latest: make([]int64, n),
		first: make([]time.Time, n), last: make([]time.Time, n),
		firstRelease: make([]string, n), lastRelease: make([]string, n), level: make([]string, n),
		firstKnown: make([]*time.Time, n), lastKnown: make([]*time.Time, n),
	}
	for i := range rows {
		r := &rows[i]
		c.project[i], c.issue[i] = r.project, r.issue
		c.seen[i], c.stored[i], c.latest[i] = r.seen, r.stored, r.latestEvent
		c.first[i], c.last[i], c.level[i] = r.FirstSeen.Time, r.LastSeen.Time, r.Level
		c.firstRelease[i], c.firstKnown[i] = r.FirstRelease, orNull(&r.FirstReleaseAt)
		c.lastRelease[i], c.lastKnown[i] = r.LastRelease, orNull(&r.LastReleaseAt)
	}
	return c
}

// orNull returns a time as an element of an array: NULL for the zero time. pgx encodes arrays of core.Time slowly.
func orNull(t *core.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t.Time
}

// appendArgs appends the first arguments of countIssues.
func (c *spanArrays) appendArgs(args []any) []any {
	return append(args, c.project, c.issue, c.last, c.seen, c.stored, c.latest, c.first, c.level, c.firstRelease, c.firstKnown,
		c.lastRelease, c.lastKnown)
}

// queueEvents adds the stored events and their ids.
func queueEvents(q *pgx.Batch, stored *eventArrays) {
	if len(stored.id) > 0 {
		q.Queue(addEvents, stored.listArgs()...)
	}
}

// splitEvents returns the events that are stored, and only the ids of the others.
func (b *batch) splitEvents() (stored, counted *eventArrays) {
	stored, counted = newEventArrays(len(b.events)), newEventArrays(0)
	b.eachCounted(func(e *NewEvent, a *Added) {
		if a.ID == 0 {
			counted.appendID(e, a.IssueID)
			return
		}
		stored.appendEvent(e, a.IssueID)
	})
	return stored, counted
}

// eventArrays are events as the arrays of a statement.
type eventArrays struct {
	project, id, issue, dictionary []int64
	event                          [][16]byte
	received, occurred             []time.Time
	level, release, environment    []string
	payload, user                  [][]byte
}

func newEventArrays(n int) *eventArrays {
	return &eventArrays{
		project: make([]int64, 0, n), id: make([]int64, 0, n), issue: make([]int64, 0, n), dictionary: make([]int64, 0, n),
		event: make([][16]byte, 0, n), received: make([]time.Time, 0, n), occurred: make([]time.Time, 0, n),
		level: make([]string, 0, n), release: make([]string, 0, n), environment: make([]string, 0, n), payload: make([][]byte, 0, n),
		user: make([][]byte, 0, n),
	}
}

func (c *eventArrays) appendID(e *NewEvent, issue int64) {
	c.project, c.event, c.id = append(c.project, e.ProjectID), append(c.event, e.EventID), append(c.id, e.id)
	c.issue, c.received = append(c.issue, issue), append(c.received, e.ReceivedAt.Time)
}

func (c *eventArrays) appendEvent(e *NewEvent, issue int64) {
	c.appendID(e, issue)
	c.occurred, c.level = append(c.occurred, e.OccurredAt.Time), append(c.level, e.Level)
	c.release, c.environment = append(c.release, e.Release), append(c.environment, e.Environment)
	c.dictionary, c.payload = append(c.dictionary, e.Payload.Dictionary), append(c.payload, e.Payload.Bytes)
	c.user = append(c.user, e.storedUser())
}

// listArgs are the arguments of addEvents and storeWaiting.
func (c *eventArrays) listArgs() []any {
	return []any{c.project, c.event, c.id, c.issue, c.received, c.occurred, c.level, c.release, c.environment, c.dictionary, c.payload,
		c.user}
}
