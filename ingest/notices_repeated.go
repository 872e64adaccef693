package ingest

import (
	"encoding/binary"
	"hash/maphash"
	"sync"
	"time"

	"errand/core"
)

const (
	// repeatsFor is how long notices that equal a stored one are only counted (management API, 1.11).
	repeatsFor = time.Minute
	// keptNotices is how many stored notices are remembered.
	keptNotices = 1 << 14
)

// noticeDigest identifies equal notices: by the project, the fingerprint, and the backtrace as it was sent.
type noticeDigest struct {
	backtrace   uint64 // with the project
	fingerprint [32]byte
}

// notices remembers the notices of the last minute that are stored.
type notices struct {
	seed maphash.Seed
	mu   sync.Mutex
	kept map[noticeDigest]storedSince
}

type storedSince struct {
	at          core.Time
	occurrences int64
}

func newNotices() *notices {
	return &notices{seed: maphash.MakeSeed(), kept: map[noticeDigest]storedSince{}}
}

// digestBacktrace returns the digest of a notice as it was sent, before it has a fingerprint.
func (n *notices) digestBacktrace(project int64, event *core.Event) noticeDigest {
	var hash maphash.Hash // which never fails
	hash.SetSeed(n.seed)
	number := func(n int64) { _, _ = hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	number(project)
	for i := range event.Exceptions {
		for k := range event.Exceptions[i].Frames {
			frame := &event.Exceptions[i].Frames[k]
			for _, part := range []core.Untrusted{frame.Filename, frame.Module, frame.Function} {
				number(int64(len(part)))
				_, _ = hash.WriteString(string(part))
			}
			number(int64(frame.Lineno))
			number(int64(frame.Colno))
		}
	}
	return noticeDigest{backtrace: hash.Sum64()}
}

// isRepeated reports whether an equal notice was stored within the last minute.
func (n *notices) isRepeated(digest noticeDigest, at core.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	first, found := n.kept[digest]
	return found && at.Sub(first.at.Time) < repeatsFor
}

// noteNotice records a committed notice, and returns how many equal ones there were since one was stored.
func (n *notices) noteNotice(digest noticeDigest, at core.Time, repeated bool) int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if first, found := n.kept[digest]; found && repeated {
		first.occurrences++
		n.kept[digest] = first
		return first.occurrences
	}
	n.makeRoom(at)
	n.kept[digest] = storedSince{at, 1}
	return 1
}

// makeRoom drops the notices older than a minute when there are too many, and all of them when that does not help.
func (n *notices) makeRoom(now core.Time) {
	if len(n.kept) < keptNotices {
		return
	}
	for digest, first := range n.kept {
		if now.Sub(first.at.Time) >= repeatsFor {
			delete(n.kept, digest)
		}
	}
	if len(n.kept) >= keptNotices {
		clear(n.kept)
	}
}
