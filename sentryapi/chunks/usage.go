package chunks

import (
	"context"
	"sync"
	"time"

	"errand/core"
	"errand/sentryapi"
)

// The bounds of what is kept, in bytes.
const (
	maxOwner = 512 << 20 // of one owner: a project, or a token that is bound to none
	maxTotal = 2 << 30
)

// countEvery is how often what is kept is counted anew: other servers keep pieces too.
const countEvery = 10 * time.Second

// counter returns the bytes of each owner that are kept.
type counter = func(context.Context) (map[string]int64, error)

// usage knows how many bytes of pieces are kept, and refuses more than the bounds. Listing a bucket takes its time: whoever counts
// holds nobody else up, except before the first count. It is safe for concurrent use.
type usage struct {
	counting chan struct{} // full while somebody counts

	mu         sync.Mutex
	kept       map[string]int64 // bytes by owner; nil before the first count
	coming     map[string]int64 // of pieces that are being stored, each with the room of a whole one
	sinceCount map[string]int64 // of pieces that were stored while somebody counts
	countAt    time.Time        // when to count again
}

func newUsage() usage {
	return usage{counting: make(chan struct{}, 1), coming: map[string]int64{}, sinceCount: map[string]int64{}}
}

// reservePiece takes the room of a whole piece until notePiece says its size, or is limit.
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

// notePiece ends the reservation of a piece. Its size is 0 when it was not stored.
func (u *usage) notePiece(owner string, size int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.kept[owner] += size
	u.sinceCount[owner] += size
	if u.coming[owner] -= sentryapi.ChunkSize; u.coming[owner] == 0 {
		delete(u.coming, owner)
	}
}

// countSoon has the next piece count anew.
func (u *usage) countSoon() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.countAt = time.Time{}
}

// countAgain counts what is kept when that is due and nobody else does.
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
		return nil // somebody else did it meanwhile
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
	for owner, size := range u.sinceCount { // the count may have seen some of them: then they count twice until the next
		kept[owner] += size
	}
	u.kept, u.countAt = kept, now.Add(countEvery)
	return nil
}

// isCountDue reports whether nobody has counted yet, and whether it is time to.
func (u *usage) isCountDue(now time.Time) (isFirst, isDue bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.kept == nil, u.kept == nil || !now.Before(u.countAt)
}
