// Package intake is the write path of events: it adds them in batches, makes the partitions and dictionaries for storing
// them, counts quotas, and deletes events that an issue does not keep.
package intake

import (
	"context"
	"errors"
	"sync/atomic"

	"errand/core"
	"errand/store/pg"
)

// How many stored events an issue keeps: the first keepFirst, and the newest (decisions 2).
const (
	DefaultKeep = core.DefaultStoredPerIssue
	MinKeep     = core.MinStoredPerIssue
	keepFirst   = 100
)

// The series of the ids of events and issues.
const (
	EventIDs      pg.Series = "events"
	IssueIDs      pg.Series = "issues"
	dictionaryIDs pg.Series = "dictionaries"
)

// Writer writes events. It is safe for concurrent use.
type Writer struct {
	db           *pg.DB
	keep         func() int64
	newIssues    func() int64 // how many an hour may make; 0 for any number
	memory       *memory
	partitions   *madePartitions
	fullIssues   fullIssues
	dictionaries *dictionaries
	// spikesWanted says that a webhook wanted spikes when a batch last looked.
	spikesWanted atomic.Bool
}

// ShardOf returns the shard of a project. The projects of a batch must be in one shard: where the tables are not distributed over nodes,
// all are in the shard 0.
func (w *Writer) ShardOf(ctx context.Context, project int64) (int64, error) {
	return w.db.ShardOf(ctx, project)
}

// AreInSeveralShards reports whether a call failed because its projects are not, or no longer, in one shard: each alone is.
func AreInSeveralShards(err error) bool { return errors.Is(err, pg.ErrSeveralShards) }

// IsDistributed reports whether the tables are distributed over nodes.
func (w *Writer) IsDistributed() bool { return w.db.IsDistributed() }

// New returns a writer on a database. keep returns how many stored events an issue keeps at the moment, newIssues how many new issues
// a project may make in an hour (0 for any number).
func New(db *pg.DB, keep, newIssues func() int64) *Writer {
	return &Writer{
		db: db, keep: keep, newIssues: newIssues, memory: newMemory(), partitions: &madePartitions{}, dictionaries: newDictionaries(),
	}
}
