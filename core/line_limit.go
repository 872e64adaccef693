package core

import (
	"cmp"
	"sync"
	"time"
)

// LogSameEvery is the time between lines of the same kind in the log while their cause lasts, such as an unreachable database.
const LogSameEvery = 10 * time.Second

// LineLimit keeps the log readable: for each kind it lets one line through in a period and counts the others. Kinds
// are Errand's own names, so they are few.
type LineLimit struct {
	Every time.Duration // 0 means LogSameEvery

	mu     sync.Mutex
	byKind map[string]lineCount
}

type lineCount struct {
	logged time.Time // when the last line was written
	more   int       // lines not written since
}

// CountLine counts a line and reports whether to write it. more is how many lines of its kind were left out before it.
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
