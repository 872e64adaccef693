package sentryapi

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// maxAssemblies is how many bundles are read at a time: each takes some 20 MB, for a piece, its directory and its manifest. Making
	// the indexes of its maps has bounds of its own.
	maxAssemblies = 3
	// knownDone is for how long a bundle is known that was put together: two jobs may upload the same one at the same time, and the
	// pieces are gone when the second asks for it.
	knownDone = time.Minute
)

// assemblies are the bundles that are put together now, and those that just were.
type assemblies struct {
	turns chan struct{}

	mu    sync.Mutex
	users map[string]int       // how many assemblies need a piece
	done  map[string]time.Time // when a bundle was put together
}

func newAssemblies() *assemblies {
	return &assemblies{turns: make(chan struct{}, maxAssemblies), users: map[string]int{}, done: map[string]time.Time{}}
}

// assemblyKey returns by what an assembly is known: with the same key it would store the same.
func assemblyKey(owner string, in bundleUpload, projects []int64) string {
	return fmt.Sprintf("%q %q %q %q %v", owner, in.Checksum, in.Version, in.Dist, projects)
}

// takeTurn waits until a bundle may be read.
func (a *assemblies) takeTurn(ctx context.Context) (end func(), err error) {
	select {
	case a.turns <- struct{}{}:
		return func() { <-a.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// usePieces notes that an assembly needs pieces. End returns those that no other assembly needs any more.
func (a *assemblies) usePieces(owner string, sums []string) (end func() []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, sum := range sums {
		a.users[owner+"/"+sum]++
	}
	return func() (free []string) {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, sum := range sums {
			key := owner + "/" + sum
			if a.users[key]--; a.users[key] == 0 {
				delete(a.users, key)
				free = append(free, sum)
			}
		}
		return free
	}
}

// noteDone notes that a bundle was put together.
func (a *assemblies) noteDone(key string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for old, at := range a.done {
		if now.Sub(at) > knownDone {
			delete(a.done, old)
		}
	}
	a.done[key] = now
}

// isDone reports whether a bundle was put together just now.
func (a *assemblies) isDone(key string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, found := a.done[key]
	return found && now.Sub(at) <= knownDone
}
