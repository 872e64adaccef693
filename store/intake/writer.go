// Package intake is the write path of events: adding them in batches, the partitions and dictionaries that they are stored
// with, quotas, and deleting the events that an issue does not keep.
package intake

import (
	"errand/core"
	"errand/store/pg"
)

// How many stored events an issue keeps: the first keepFirst and the newest (decisions 2).
const (
	DefaultKeep = core.DefaultStoredPerIssue
	MinKeep     = core.MinStoredPerIssue
	keepFirst   = 100
)

// The series of ids that events and issues have.
const (
	EventIDs      pg.Series = "events"
	IssueIDs      pg.Series = "issues"
	dictionaryIDs pg.Series = "dictionaries"
)

// Writer writes events. It is safe for concurrent use.
type Writer struct {
	db           *pg.DB
	keep         func() int64
	known        *known
	days         *days
	overfull     overfull
	dictionaries *dictionaries
}

// New returns a writer on a database. keep returns how many stored events an issue keeps at the time.
func New(db *pg.DB, keep func() int64) *Writer {
	return &Writer{db: db, keep: keep, known: newKnown(), days: &days{}, dictionaries: newDictionaries()}
}
