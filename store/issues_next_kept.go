package store

import (
	"context"
	"maps"
	"sync"
	"time"

	"errand/core"
)

// keepRanking is how long a ranking is used for further calls. A commit of this server ends it immediately
// (pg.DB.CountReorder). Commits of other servers, and events that are only counted, become visible after that time. Whether
// an issue is still open and free is checked when it is taken. A ranking in use is renewed when it is half as old, so that
// nobody waits where many ask.
const (
	keepRanking  = time.Second
	renewRanking = keepRanking / 2
)

// rankings are the rankings of issues that are being made or were made just now. Ranking is slow compared to claiming, and
// many agents want the same ranking: those who ask while one is being made share the next one, which begins after they asked.
type rankings struct {
	mu     sync.Mutex
	making map[rankingKey]*ranking // the one being made, linked to the one that waits for its end
	kept   map[rankingKey]keptRanking
	taken  map[int64]takenIssue // by the id
}

// takenIssue is when this server took an issue, which kept rankings may still have.
type takenIssue struct {
	at       core.Time
	reorders int64
}

// noteTaken notes that an issue was taken.
func (r *rankings) noteTaken(id int64, now core.Time, reorders int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken == nil {
		r.taken = map[int64]takenIssue{}
	}
	r.taken[id] = takenIssue{now, reorders}
	maps.DeleteFunc(r.taken, func(_ int64, t takenIssue) bool { return !t.isGood(now, reorders) })
}

// isGood reports whether a kept ranking can be from before the issue was taken.
func (t takenIssue) isGood(now core.Time, reorders int64) bool {
	return t.reorders >= reorders && now.Sub(t.at.Time) <= keepRanking
}

// leaveOutTaken returns the issues that this server has not taken in the last second. Another server may have released one of the others
// since.
func (r *rankings) leaveOutTaken(issues []nextCandidate, now core.Time, reorders int64) []nextCandidate {
	r.mu.Lock()
	defer r.mu.Unlock()
	free := make([]nextCandidate, 0, len(issues))
	for _, issue := range issues {
		if taken, ok := r.taken[issue.ID]; !ok || !taken.isGood(now, reorders) {
			free = append(free, issue)
		}
	}
	return free
}

// keptRanking is a ranking with the time of its beginning.
type keptRanking struct {
	page     core.Page[nextCandidate]
	began    core.Time
	reorders int64 // the count of reorders before it began
}

// rankingKey is a chunk of a ranking.
type rankingKey struct {
	project int64
	status  core.Status
	reach   string // core.Reach.Key: actors who share a ranking reach the same projects
	cursor  core.Cursor
}

// ranking is one chunk for everyone who waits for it.
type ranking struct {
	done chan struct{}
	page core.Page[nextCandidate]
	err  error
	next *ranking // for those who asked after this one began; nil if nobody did
}

// rankingTimeout bounds a ranking, which outlives the call that began it because others wait for it too.
const rankingTimeout = 10 * time.Second

// rankIssuesFunc makes the ranking of a key. It must not depend on the caller, because others share the result.
type rankIssuesFunc func(context.Context, rankingKey) (core.Page[nextCandidate], error)

// readRanking returns a ranking that began after the call, or a kept one. The candidates are shared: callers must not change them.
func (n *nextSearch) readRanking(ctx context.Context, key rankingKey) (core.Page[nextCandidate], error) {
	s := n.store
	if !n.readsAnew {
		if kept, ok := s.rankings.find(key, s.Now(), s.db.Reorders()); ok {
			n.mayMiss = true
			if s.Now().Sub(kept.began.Time) > renewRanking {
				s.rankings.renew(ctx, key, s.rankAndKeep)
			}
			return kept.page, nil
		}
	}
	return s.rankings.read(ctx, key, s.rankAndKeep)
}

// rankAndKeep makes a ranking and keeps it for further calls.
func (s *Store) rankAndKeep(ctx context.Context, key rankingKey) (core.Page[nextCandidate], error) {
	kept := keptRanking{began: s.Now(), reorders: s.db.Reorders()}
	var err error
	if kept.page, err = s.listCandidates(ctx, key); err == nil {
		s.rankings.keep(key, kept)
	}
	return kept.page, err
}

// find returns a ranking if it is not too old.
func (r *rankings) find(key rankingKey, now core.Time, reorders int64) (keptRanking, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept, ok := r.kept[key]
	return kept, ok && kept.isGood(now, reorders)
}

// renew begins a ranking unless one is being made. It does not wait for the result.
func (r *rankings) renew(ctx context.Context, key rankingKey, rank rankIssuesFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.making[key] == nil {
		r.begin(ctx, key, rank)
	}
}

// keep stores a ranking and forgets old ones.
func (r *rankings) keep(key rankingKey, made keptRanking) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.kept, func(_ rankingKey, kept keptRanking) bool { return !kept.isGood(made.began, made.reorders) })
	if r.kept == nil {
		r.kept = map[rankingKey]keptRanking{}
	}
	r.kept[key] = made
}

func (k keptRanking) isGood(now core.Time, reorders int64) bool {
	return k.reorders >= reorders && now.Sub(k.began.Time) <= keepRanking
}

// read returns a ranking that began after the call. The candidates are shared: callers must not change them.
func (r *rankings) read(ctx context.Context, key rankingKey, rank rankIssuesFunc) (core.Page[nextCandidate], error) {
	mine := r.join(ctx, key, rank)
	select {
	case <-mine.done:
		return mine.page, mine.err
	case <-ctx.Done():
		return core.Page[nextCandidate]{}, ctx.Err()
	}
}

// join returns the ranking to wait for, and begins it if none is being made.
func (r *rankings) join(ctx context.Context, key rankingKey, rank rankIssuesFunc) *ranking {
	r.mu.Lock()
	defer r.mu.Unlock()
	if running := r.making[key]; running != nil {
		if running.next == nil {
			running.next = &ranking{done: make(chan struct{})}
		}
		return running.next
	}
	return r.begin(ctx, key, rank)
}

// begin starts a ranking. The caller holds the lock.
func (r *rankings) begin(ctx context.Context, key rankingKey, rank rankIssuesFunc) *ranking {
	first := &ranking{done: make(chan struct{})}
	if r.making == nil {
		r.making = map[rankingKey]*ranking{}
	}
	r.making[key] = first
	go r.run(context.WithoutCancel(ctx), key, first, rank)
	return first
}

// run makes rankings as long as someone waits for the next one.
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

func rankWithin(ctx context.Context, key rankingKey, rank rankIssuesFunc) (page core.Page[nextCandidate], err error) {
	defer core.CatchPanic(&err)
	ctx, cancel := context.WithTimeout(ctx, rankingTimeout)
	defer cancel()
	return rank(ctx, key)
}
