package sentryapi

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// maxAssemblies is how many bundles are read at a time: each needs some 20 MB, for a piece, its directory and its
	// manifest. Building the indexes of its maps has separate bounds.
	maxAssemblies = 3
	// knownDone is how long an assembled bundle is remembered. Two jobs may upload the same bundle at the same time,
	// and the pieces are gone when the second one asks for it.
	knownDone = time.Minute
)

// assemblies are the bundles that are being assembled, and those that just were.
type assemblies struct {
	turns chan struct{}

	mu    sync.Mutex
	users map[string]int       // the number of assemblies that need a piece
	done  map[string]time.Time // the time when a bundle was assembled
}

func newAssemblies() *assemblies {
	return &assemblies{turns: make(chan struct{}, maxAssemblies), users: map[string]int{}, done: map[string]time.Time{}}
}

// assemblyKey identifies an assembly: the same key would store the same maps.
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

// usePieces records that an assembly needs pieces. end returns the pieces that no other assembly needs.
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

// noteDone records that a bundle was assembled.
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

// isDone reports whether a bundle was assembled within the last minute.
func (a *assemblies) isDone(key string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, found := a.done[key]
	return found && now.Sub(at) <= knownDone
}
