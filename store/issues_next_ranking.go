package store

import (
	"context"
	"sync"
	"time"

	"errand/core"
)

// rankings are the rankings of issues that are being made. Ranking takes long beside claiming, and many agents want the same one
// at once: those who come while one is made share the next, which begins after they came, so that nobody gets an old one.
type rankings struct {
	mu     sync.Mutex
	making map[rankingKey]*ranking // the one that is made, with the one that waits for its end
}

// rankingKey is a chunk of a ranking.
type rankingKey struct {
	project int64
	status  core.Status
	reach   string // core.Reach.Key: whoever shares a ranking reaches the same projects
	cursor  core.Cursor
}

// ranking is one chunk for all who wait for it.
type ranking struct {
	done chan struct{}
	page core.Page[nextCandidate]
	err  error
	next *ranking // who came after this one began; nil for nobody
}

// rankingTimeout bounds a ranking, which outlives the call that began it: others wait for it too.
const rankingTimeout = 10 * time.Second

// rankIssuesFunc makes the ranking of a key, and knows nothing of who asks: it makes those of others too.
type rankIssuesFunc func(context.Context, rankingKey) (core.Page[nextCandidate], error)

// read returns a ranking that was begun after the call. The candidates are shared: they must not be changed.
func (r *rankings) read(ctx context.Context, key rankingKey, rank rankIssuesFunc) (core.Page[nextCandidate], error) {
	mine := r.join(ctx, key, rank)
	select {
	case <-mine.done:
		return mine.page, mine.err
	case <-ctx.Done():
		return core.Page[nextCandidate]{}, ctx.Err()
	}
}

// join returns the ranking to wait for, and begins it when none is made just now.
func (r *rankings) join(ctx context.Context, key rankingKey, rank rankIssuesFunc) *ranking {
	r.mu.Lock()
	defer r.mu.Unlock()
	if running := r.making[key]; running != nil {
		if running.next == nil {
			running.next = &ranking{done: make(chan struct{})}
		}
		return running.next
	}
	first := &ranking{done: make(chan struct{})}
	if r.making == nil {
		r.making = map[rankingKey]*ranking{}
	}
	r.making[key] = first
	go r.run(context.WithoutCancel(ctx), key, first, rank)
	return first
}

// run makes rankings until nobody waits for another one.
func (r *rankings) run(ctx context.Context, key rankingKey, current *ranking, rank rankIssuesFunc) {
	for current != nil {
		current.page, current.err = rankWithin(ctx, key, rank)
		close(current.done)
		r.mu.Lock()
		if current = current.next; current == nil {
			delete(r.making, key)
		} else {
			r.making[key] = current
		}
		r.mu.Unlock()
	}
}

func rankWithin(ctx context.Context, key rankingKey, rank rankIssuesFunc) (core.Page[nextCandidate], error) {
	ctx, cancel := context.WithTimeout(ctx, rankingTimeout)
	defer cancel()
	return rank(ctx, key)
}
