// Package grouping decides which events are the same error, and names them: it makes the group key, the title and the culprit of
// a core.Event (decisions 4). It is pure: the same event has the same key on every machine and in every release with the same
// Version.
package grouping

import (
	"crypto/sha256"

	"errand/core"
)

// Version is the fingerprint_version of new issues. Issues are stored under its keys, so its output never changes: another way of
// grouping is another version, in a file beside v1.go.
const Version = 1

// Key names a group of events within a project.
type Key struct {
	Version int
	Hash    [sha256.Size]byte
}

// ComputeKey returns the key of an event's group.
func ComputeKey(e *core.Event) Key {
	d := digestPool.Get().(*digest)
	defer d.returnToPool()
	d.writeV1(e)
	return Key{Version: Version, Hash: sha256.Sum256(d.buf)}
}
