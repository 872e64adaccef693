package intake

import (
	"context"
	"errors"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"

	"errand/core"
	"errand/store/pg"
)

// errStale says that the store's memory of the batch's issues or event ids differs from the database.
var errStale = errors.New("store: the batch needs a closer look")

// addAttempts bounds the attempts of a batch while other servers keep changing the same rows.
const addAttempts = 5

// AddEvents adds a batch of events in one transaction and returns the outcome of each, in their order.
//
// Nearly every batch only counts and makes issues: its issues are open and its event ids new. Such a batch is one pipelined
// round trip. Its statements check that this is so, and do nothing if it is not; issues that the store does not remember
// are looked up before. Any other batch takes the long way, which looks for duplicates and reopens resolved issues.
//
// A batch that would take a project above its daily quota fails with core.Quota, and nothing of it is added. The quota of
// the newest event applies, to the count of all servers. One that would make more new issues than a project may make in an hour fails
// with core.TooManyIssues in the same way.
//
// Where the tables are distributed over nodes, the projects of a batch must be in one shard (ShardOf). If they no longer are, nothing is
// added, and the error is one for AreInSeveralShards.
//
// After core.Unavailable it is not known whether the batch was committed. The caller may add the same slice again: its
// events keep their ids, so the store recognises those that were committed and counts nothing twice.
func (w *Writer) AddEvents(ctx context.Context, events []NewEvent) ([]Added, error) {
	if len(events) == 0 {
		return nil, nil
	}
	b, err := w.newBatch(ctx, events)
	if err != nil {
		return nil, err
	}
	if w.db.IsDistributed() { // elsewhere nobody needs the list of projects
		err = w.db.OnShard(ctx, b.listProjects(), func(on *pg.WriterPool) error { return w.addOn(ctx, on, b) })
	} else {
		err = w.addOn(ctx, w.db.Writer, b)
	}
	return w.finishBatch(ctx, b, err)
}

// addOn adds a batch by the short way, or by the long one.
func (w *Writer) addOn(ctx context.Context, on *pg.WriterPool, b *batch) (err error) {
	if !b.isRetry {
		b.isRetry = true // for the case that the shard has moved
		// Without its duplicates a batch may fit into the quota.
		if err = w.addShortly(ctx, on, b); !isStale(err) && !errors.Is(err, errOverQuota) {
			return err
		}
	}
	for attempt := range addAttempts {
		if pg.HasState(err, countedTwice) {
			b.expectsCounted = true // even if what was counted is about to be a day old
			if err := w.learnCounted(ctx, on, listCounted, b.listProjects()); err != nil {
				return err
			}
		}
		err = w.db.InTxOf(ctx, on, func(t *pg.Tx) error {
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
	return err
}

// addShortly is the short way of a batch.
func (w *Writer) addShortly(ctx context.Context, on *pg.WriterPool, b *batch) error {
	defer w.db.EndFrozenWhileWaiting(ctx, on)()
	if err := w.assignIssues(ctx, on, b); err != nil {
		return err
	}
	return w.sendStatements(ctx, on, b)
}

// finishBatch does what follows from a batch once it is committed, and reports its outcome.
func (w *Writer) finishBatch(ctx context.Context, b *batch, err error) ([]Added, error) {
	if err == nil {
		w.returnIgnored(ctx, b)
	}
	return b.reportAdded(w, err)
}

// isStale reports whether a batch failed because of other servers: an issue was merged or resolved, the same issue or event
// was added first (at the same moment, so that the batch did not see it), or two batches waited for each other.
func isStale(err error) bool {
	return errors.Is(err, errStale) ||
		pg.HasState(err, pgerrcode.UniqueViolation, countedTwice, pgerrcode.SerializationFailure, pgerrcode.DeadlockDetected)
}

// MayBeCommitted reports whether a failed transaction may have been committed nevertheless: the connection broke after it
// was sent, and no answer came.
func MayBeCommitted(err error) bool {
	var connect *pgconn.ConnectError
	var answer *pgconn.PgError
	if pg.LostNode(err) {
		return true
	}
	return core.HasCode(err, core.Unavailable) && !errors.As(err, &connect) && !errors.As(err, &answer) && !pgconn.SafeToRetry(err)
}
