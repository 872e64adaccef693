package ingest

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"errand/core"
	"errand/store"
)

// How often the reporter writes at most, while there is something to write.
const (
	reportRefusals = 10 * time.Second
	reportSigns    = time.Minute // of life
)

// reportAtMost bounds one write. A write that fails is tried again the next time.
const reportAtMost = 5 * time.Second

// reporter stores for all servers the facts about ingest that issue lists and the verification of fixes need: when it answered
// 503, and which projects are alive. An answer only leaves a note in memory, which the reporter writes later; while the database
// is away it keeps the notes.
type reporter struct {
	store *store.Store
	log   *slog.Logger

	mu        sync.Mutex
	signs     map[int64]core.Time // the last sign of life of each project that is not written yet
	refusedAt core.Time           // the last 503 that is not written yet

	stop chan struct{} // closed to end the reporter
	done sync.WaitGroup
}

func newReporter(s *store.Store, log *slog.Logger) *reporter {
	r := &reporter{store: s, log: log, signs: map[int64]core.Time{}, stop: make(chan struct{})}
	r.done.Go(r.reportUntilStopped)
	return r
}

// close writes the remaining notes and ends the reporter.
func (r *reporter) close() {
	close(r.stop)
	r.done.Wait()
}

// noteAlive records a sign of life of a project (decisions 6).
func (r *reporter) noteAlive(project int64, at core.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at.After(r.signs[project].Time) {
		r.signs[project] = at
	}
}

// noteRefusal records an answer 503.
func (r *reporter) noteRefusal(at core.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at.After(r.refusedAt.Time) {
		r.refusedAt = at
	}
}

func (r *reporter) reportUntilStopped() {
	refusals, signs := time.NewTicker(reportRefusals), time.NewTicker(reportSigns)
	defer refusals.Stop()
	defer signs.Stop()
	for {
		select {
		case <-refusals.C:
			r.tryWrite(r.writeRefusal)
		case <-signs.C:
			r.tryWrite(r.writeSigns)
		case <-r.stop:
			r.tryWrite(r.writeRefusal)
			r.tryWrite(r.writeSigns)
			return
		}
	}
}

// tryWrite writes, and logs an error, except when the database is away: that is logged elsewhere.
func (r *reporter) tryWrite(write func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), reportAtMost)
	defer cancel()
	if err := catchPanic(func() error { return write(ctx) }); err != nil && !core.HasCode(err, core.Unavailable) {
		r.log.Warn("the report of ingest could not be saved", "error", err)
	}
}

func (r *reporter) writeRefusal(ctx context.Context) error {
	r.mu.Lock()
	at := r.refusedAt
	r.refusedAt = core.Time{}
	r.mu.Unlock()
	if at.IsZero() {
		return nil
	}
	err := r.store.NoteRefusal(ctx, at)
	if err != nil {
		r.noteRefusal(at)
	}
	return err
}

func (r *reporter) writeSigns(ctx context.Context) error {
	r.mu.Lock()
	signs := r.signs
	if len(signs) > 0 {
		r.signs = make(map[int64]core.Time, len(signs))
	}
	r.mu.Unlock()
	if len(signs) == 0 {
		return nil
	}
	err := r.store.MarkAlive(ctx, signs)
	if err != nil {
		for project, at := range signs {
			r.noteAlive(project, at)
		}
	}
	return err
}
