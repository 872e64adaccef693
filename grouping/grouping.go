// Package grouping decides which events are the same error, and names them: a core.Event gives its group key, title
// and culprit (decisions 4). It is pure: the same event gives the same answer on every machine and in every release
// of the same Version.
package grouping

import (
	"crypto/sha256"
	"encoding/hex"

	"errand/core"
)

// algorithms are the versions of grouping, the oldest first: version n is algorithms[n-1]. A version that was ever
// released keeps its code and stays in the list, as issues are stored under its keys.
var algorithms = [...]func(*digest, *core.Event){
	writeV1,
}

// Version is the version that new issues are made with, their fingerprint_version.
const Version = len(algorithms)

// Key names a group of events within a project.
type Key struct {
	Version int
	Hash    [sha256.Size]byte
}

// String returns the hash as 64 hexadecimal digits, the fingerprint of the API.
func (k Key) String() string { return hex.EncodeToString(k.Hash[:]) }

// Of returns the key of an event by the newest version.
func Of(e *core.Event) Key { return key(e, Version) }

// Keys returns the keys of an event by every version, the newest first. An event belongs to the first of these issues
// that exists, which then adopts the first key: so a new version never forks old issues (decisions 4).
func Keys(e *core.Event) []Key {
	keys := make([]Key, 0, Version)
	for v := Version; v > 0; v-- {
		keys = append(keys, key(e, v))
	}
	return keys
}

func key(e *core.Event, version int) Key {
	d := digests.Get().(*digest)
	defer d.release()
	algorithms[version-1](d, e)
	return Key{Version: version, Hash: sha256.Sum256(d.buf)}
}
