package intake

import "hash/maphash"

// known is what the writer of events remembers, so that a batch does not ask for what it was told before. All of it may
// be wrong or forgotten at any time: the statements check issues, and the rest only saves work.
//
// It is kept by hashes of 64 bits, whose seed nobody knows: what is not there is taken for something that is in less than
// one of 10^14 cases.
type known struct {
	issues *recent[uint64, knownIssue] // by the hash of the issueKey
	rows   *recent[uint64, struct{}]   // hashes of the users and places that issues have
	seed   maphash.Seed
}

// knownIssue is an issue as it was when it was last counted. The zero value is one that is not known.
type knownIssue struct {
	id     int64
	places uint64 // a hash of the environment and the release of its last event; 0: not known
	stored uint32 // how many events it has stored, at most
	users  uint16 // how many users it affected, up to MaxUsers
}

// MaxUsers is up to where users are counted exactly (primary API, Issue).
const MaxUsers = 1000

// userKey is a user who is counted on an issue.
type userKey struct {
	project, issue int64
	user           [16]byte
}

// placeKey is an environment or release in which an issue is known to have a stored event.
type placeKey struct {
	project, issue int64
	release        bool
	name           string
}

func newKnown() *known {
	return &known{
		issues: newRecent[uint64, knownIssue](1 << 16),
		rows:   newRecent[uint64, struct{}](1 << 15),
		seed:   maphash.MakeSeed(),
	}
}

// issue gives what is remembered of the event's issue.
func (k *known) issue(e *NewEvent) knownIssue {
	issue, _ := k.issues.get(k.groupOf(e))
	return issue
}

// knownAs is what was remembered of the issue, when it is the one of the event.
func (e *NewEvent) knownAs(issue int64) knownIssue {
	if e.known.id != issue {
		return knownIssue{}
	}
	return e.known
}

// wantsUser tells whether the user may have to be counted on the issue.
func (k *known) wantsUser(issue knownIssue, user userKey) bool {
	if issue.users >= MaxUsers {
		return false
	}
	return !has(k, user)
}

// groupOf is the hash of the event's project, version and fingerprint.
func (k *known) groupOf(e *NewEvent) uint64 { return maphash.Comparable(k.seed, e.group()) }

// placesOf is the hash of the event's environment and release.
func (k *known) placesOf(e *NewEvent) uint64 {
	return maphash.Comparable(k.seed, [2]string{e.Environment, e.Release})
}

// has tells whether the user or place is known to be there.
func has[K userKey | placeKey](k *known, key K) bool {
	_, ok := k.rows.get(maphash.Comparable(k.seed, key))
	return ok
}

func remember[K userKey | placeKey](k *known, keys []K) {
	for _, key := range keys {
		k.rows.add(maphash.Comparable(k.seed, key), struct{}{})
	}
}

// MayBeNew tells whether an event may be the first of its issue: the store does not remember one. Only for such an event
// its stack trace needs to be looked at for triage and similar issues.
func (w *Writer) MayBeNew(e *NewEvent) bool {
	return w.known.issue(e).id == 0
}

// learn remembers a batch that is committed. One that only turned out to be there says nothing of its fingerprints: a
// split may have moved its events since.
func (k *known) learn(b *batch) {
	if b.committed {
		return
	}
	b.fresh(func(e *NewEvent, a *Added) {
		issue := b.state[a.IssueID]
		issue.id, issue.places = a.IssueID, k.placesOf(e)
		k.issues.add(k.groupOf(e), issue)
	})
	remember(k, b.counts.users)
	remember(k, b.counts.places)
}
