package intake

import (
	"sync"
	"time"

	"errand/core"
)

// An issue keeps its first stored events and the newest (decisions 2). Of a hot one nearly every event is among the newest
// only for a moment. Storing each would double what it costs, so the events of a batch that has several of such an issue,
// but the newest, are counted at once and wait in memory: those that would be deleted by the time that the others are
// stored are never written. A server that is killed loses what waits, though not its counts.

// waitingBytes bounds what waits. Events for which there is no room are stored at once.
const waitingBytes = 32 << 20

const (
	// quietFor is how long an issue has no event before what waits is stored, and waitAtMost how long it waits otherwise.
	quietFor   = 2 * time.Second
	waitAtMost = 15 * time.Second
	// trimSlack is how many events an issue may have stored beyond what it keeps before the middle is deleted, since deleting
	// in portions is cheaper, and trimAfter how long it may have any.
	trimSlack = 100
	trimAfter = 30 * time.Second
)

// overfull remembers the issues that have more stored events than they keep, and the events that wait to be stored.
type overfull struct {
	mu     sync.Mutex
	issues map[int64]*overfullIssue
	bytes  int // of the events that wait
}

type overfullIssue struct {
	project int64
	since   core.Time  // when there was first something to do
	last    core.Time  // when it was last counted
	stored  int64      // when it was last counted
	waiting []NewEvent // in the order of their arrival
}

// room is how many bytes of events may begin to wait.
func (o *overfull) room() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return waitingBytes - o.bytes
}

// note remembers what a batch that is committed has left to do.
func (o *overfull) note(b *batch, keep int64, now core.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range b.counts.issues {
		c := &b.counts.issues[i]
		if stored := int64(b.state[c.issue].stored); stored > keep {
			o.issue(c.project, c.issue, now).stored = stored
		}
	}
	b.fresh(func(e *NewEvent, a *Added) {
		if a.ID != 0 {
			return
		}
		i := o.issue(e.ProjectID, a.IssueID, now)
		i.waiting = append(i.waiting, *e)
		o.bytes += e.Payload.Size()
		if int64(len(i.waiting)) > keep-keepFirst { // the first of them is not among the newest any more
			o.bytes -= i.waiting[0].Payload.Size()
			i.waiting[0] = NewEvent{}
			i.waiting = i.waiting[1:]
		}
	})
}

func (o *overfull) issue(project, id int64, now core.Time) *overfullIssue {
	if o.issues == nil {
		o.issues = map[int64]*overfullIssue{}
	}
	i := o.issues[id]
	if i == nil {
		i = &overfullIssue{project: project, since: now}
		o.issues[id] = i
	}
	i.last = now
	return i
}

// isDue reports whether there is something to do about the issue now.
func (i *overfullIssue) isDue(keep int64, now core.Time) bool {
	since := now.Sub(i.since.Time)
	if len(i.waiting) > 0 {
		return now.Sub(i.last.Time) >= quietFor || since >= waitAtMost
	}
	return i.stored > keep+trimSlack || since >= trimAfter
}

// take returns the issues that are due, and forgets them.
func (o *overfull) take(isDue func(*overfullIssue) bool) map[int64]*overfullIssue {
	o.mu.Lock()
	defer o.mu.Unlock()
	due := map[int64]*overfullIssue{}
	for id, i := range o.issues {
		if isDue(i) {
			due[id] = i
			o.bytes -= i.size()
			delete(o.issues, id)
		}
	}
	return due
}

// putBack remembers an issue for which nothing could be done, before what has come meanwhile.
func (o *overfull) putBack(id int64, i *overfullIssue, keep int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	newer := o.issues[id]
	if newer == nil {
		newer = o.issue(i.project, id, i.last)
	}
	o.bytes -= newer.size()
	newer.since = i.since
	newer.stored = max(newer.stored, i.stored)
	newer.waiting = append(i.waiting, newer.waiting...)
	if surplus := int64(len(newer.waiting)) - (keep - keepFirst); surplus > 0 { // the first are not among the newest any more
		newer.waiting = newer.waiting[surplus:]
	}
	o.bytes += newer.size()
}

func (i *overfullIssue) size() int {
	size := 0
	for k := range i.waiting {
		size += i.waiting[k].Payload.Size()
	}
	return size
}
