package core

import (
	"cmp"
	"sync"
	"time"
)

// LogSameEvery is how often the log has a line of the same kind while its cause lasts, such as a database that is away.
const LogSameEvery = 10 * time.Second

// LineLimit keeps the log readable: it lets one line of a kind through at a time, and counts the others. Kinds are names of
// Errand's own, so there are few.
type LineLimit struct {
	Every time.Duration // 0 means LogSameEvery

	mu     sync.Mutex
	byKind map[string]lineCount
}

type lineCount struct {
	logged time.Time // when the last line was written
	more   int       // that were not written since
}

// CountLine counts a line and reports whether it is due to be written, with how many of its kind were left out before it.
func (l *LineLimit) CountLine(kind string, now time.Time) (more int, due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.byKind[kind]
	if now.Sub(c.logged) < cmp.Or(l.Every, LogSameEvery) {
		c.more++
		l.byKind[kind] = c
		return 0, false
	}
	if l.byKind == nil {
		l.byKind = map[string]lineCount{}
	}
	l.byKind[kind] = lineCount{logged: now}
	return c.more, true
}
