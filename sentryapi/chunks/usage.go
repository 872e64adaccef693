package chunks

import (
	"context"
	"sync"
	"time"

	"errand/core"
	"errand/sentryapi"
)

// The bounds of the kept pieces, in bytes.
const (
	maxOwner = 512 << 20 // of one owner: a project, or a token without a project
	maxTotal = 2 << 30
)

// countEvery is how often the kept pieces are counted again, since other servers keep pieces too.
const countEvery = 10 * time.Second

// counter returns the bytes kept for each owner.
type counter = func(context.Context) (map[string]int64, error)

// usage knows how many bytes of pieces are kept, and refuses more than the bounds. Listing a bucket takes time, so a
// count blocks nobody else, except for the first one. It is safe for concurrent use.
type usage struct {
	counting chan struct{} // full during a count

	mu         sync.Mutex
	kept       map[string]int64 // bytes by owner; nil before the first count
	coming     map[string]int64 // of pieces that are being stored, each counted at full size
	sinceCount map[string]int64 // of pieces that were stored during the running count
	countAt    time.Time        // time of the next count
}

func newUsage() usage {
	return usage{counting: make(chan struct{}, 1), coming: map[string]int64{}, sinceCount: map[string]int64{}}
}

// reservePiece reserves room for a full piece until notePiece reports its size. Without room the error is limit.
func (u *usage) reservePiece(ctx context.Context, owner string, now time.Time, count counter) error {
	if err := u.countAgain(ctx, now, count); err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	var total int64
	for _, of := range []map[string]int64{u.kept, u.coming} {
		for _, size := range of {
			total += size
		}
	}
	if u.kept[owner]+u.coming[owner]+sentryapi.ChunkSize > maxOwner || total+sentryapi.ChunkSize > maxTotal {
		return core.NewError(core.Limit).With("message", "too many pieces of uploads wait to be put together: try again later")
	}
	u.coming[owner] += sentryapi.ChunkSize
	return nil
}

// notePiece ends the reservation of a piece. Its size is 0 if it was not stored.
func (u *usage) notePiece(owner string, size int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.kept[owner] += size
	u.sinceCount[owner] += size
	if u.coming[owner] -= sentryapi.ChunkSize; u.coming[owner] == 0 {
		delete(u.coming, owner)
	}
}

// countSoon makes the next piece start a new count.
func (u *usage) countSoon() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.countAt = time.Time{}
}

// countAgain counts the kept pieces if a count is due and nobody else is counting.
func (u *usage) countAgain(ctx context.Context, now time.Time, count counter) error {
	isFirst, isDue := u.isCountDue(now)
	if !isDue {
		return nil
	}
	select {
	case u.counting <- struct{}{}:
		defer func() { <-u.counting }()
	default:
		if !isFirst {
			return nil
		}
		select {
		case u.counting <- struct{}{}:
			defer func() { <-u.counting }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if _, isDue := u.isCountDue(now); !isDue {
		return nil // somebody else has just counted
	}
	u.mu.Lock()
	clear(u.sinceCount)
	u.mu.Unlock()
	kept, err := count(ctx)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for owner, size := range u.sinceCount { // the count may include some of them, which then count twice until the next one
		kept[owner] += size
	}
	u.kept, u.countAt = kept, now.Add(countEvery)
	return nil
}

// isCountDue reports whether nobody has counted yet, and whether a count is due.
func (u *usage) isCountDue(now time.Time) (isFirst, isDue bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.kept == nil, u.kept == nil || !now.Before(u.countAt)
}
