package intake

import (
	"sync"
	"time"

	"errand/core"
)

// An issue keeps its first stored events and the newest (decisions 2). In a hot issue nearly every event is among the
// newest only for a moment, and storing each would double its cost. So when a batch has several events of such an issue,
// all are counted immediately, but all except the newest wait in memory. The newest waits too if one of the
// issue was stored immediately less than newestFor ago. Events that would be deleted by the time the others are stored are never written.
// A server that is killed loses its waiting events, but not their counts.

// waitingBytes bounds the waiting events. Events beyond it are stored immediately.
const waitingBytes = 32 << 20

const (
	// quietFor is how long an issue must be without events before its waiting events are stored; waitAtMost is the longest wait.
	quietFor   = 2 * time.Second
	waitAtMost = 15 * time.Second
	// newestFor is how long an event that was stored immediately passes for the newest of its issue.
	newestFor = 250 * time.Millisecond
	// trimSlack is how many surplus events an issue may store before the middle is deleted, since deleting in portions is
	// cheaper; trimAfter is how long it may have a surplus at all.
	trimSlack = 100
	trimAfter = 30 * time.Second
)

// fullIssues remembers the issues that have more stored events than they keep, and the events that wait to be stored.
type fullIssues struct {
	mu     sync.Mutex
	issues map[int64]*fullIssue
	bytes  int // size of the waiting events
}

type fullIssue struct {
	project int64
	since   core.Time  // when there was first something to do
	last    core.Time  // when it was last counted
	stored  int64      // when it was last counted
	newest  core.Time  // when an event of it was last stored immediately
	waiting []NewEvent // in the order of their arrival
}

// freeBytes returns the room for more waiting events, in bytes.
func (f *fullIssues) freeBytes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return waitingBytes - f.bytes
}

// hasNewest reports whether an event of the issue was stored immediately a moment ago.
func (f *fullIssues) hasNewest(id int64, now core.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := f.issues[id]
	return i != nil && now.Sub(i.newest.Time) < newestFor
}

// noteBatch remembers the work that a committed batch has left.
func (f *fullIssues) noteBatch(b *batch, keep int64, now core.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range b.counts.issues {
		c := &b.counts.issues[i]
		if stored := int64(b.issuesAfter[c.issue].stored); stored > keep {
			f.findOrAdd(c.project, c.issue, now).stored = stored
		}
	}
	b.eachCounted(func(e *NewEvent, a *Added) {
		if a.ID != 0 {
			if i := f.issues[a.IssueID]; i != nil {
				i.newest = now
			}
			return
		}
		if e.CountOnly {
			return
		}
		i := f.findOrAdd(e.ProjectID, a.IssueID, now)
		i.waiting = append(i.waiting, *e)
		f.bytes += e.Payload.Size()
		if int64(len(i.waiting)) > keep-keepFirst { // the first of them is no longer among the newest
			f.bytes -= i.waiting[0].Payload.Size()
			i.waiting[0] = NewEvent{}
			i.waiting = i.waiting[1:]
		}
	})
}

func (f *fullIssues) findOrAdd(project, id int64, now core.Time) *fullIssue {
	if f.issues == nil {
		f.issues = map[int64]*fullIssue{}
	}
	i := f.issues[id]
	if i == nil {
		i = &fullIssue{project: project, since: now}
		f.issues[id] = i
	}
	i.last = now
	return i
}

// isDue reports whether the issue needs work now.
func (i *fullIssue) isDue(keep int64, now core.Time) bool {
	since := now.Sub(i.since.Time)
	if len(i.waiting) > 0 {
		return now.Sub(i.last.Time) >= quietFor || since >= waitAtMost
	}
	return i.stored > keep+trimSlack || since >= trimAfter
}

// takeIssues returns the issues that are due, and forgets them.
func (f *fullIssues) takeIssues(isDue func(*fullIssue) bool) map[int64]*fullIssue {
	f.mu.Lock()
	defer f.mu.Unlock()
	due := map[int64]*fullIssue{}
	for id, i := range f.issues {
		if isDue(i) {
			due[id] = i
			f.bytes -= i.countBytes()
			delete(f.issues, id)
		}
	}
	return due
}

// putBack remembers an issue whose work failed. Its events go before those that have arrived since.
func (f *fullIssues) putBack(id int64, i *fullIssue, keep int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	newer := f.issues[id]
	if newer == nil {
		newer = f.findOrAdd(i.project, id, i.last)
	}
	f.bytes -= newer.countBytes()
	newer.since = i.since
	newer.stored = max(newer.stored, i.stored)
	newer.waiting = append(i.waiting, newer.waiting...)
	if surplus := int64(len(newer.waiting)) - (keep - keepFirst); surplus > 0 { // the first are no longer among the newest
		newer.waiting = newer.waiting[surplus:]
	}
	f.bytes += newer.countBytes()
}

func (i *fullIssue) countBytes() int {
	size := 0
	for k := range i.waiting {
		size += i.waiting[k].Payload.Size()
	}
	return size
}
