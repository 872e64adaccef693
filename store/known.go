package store

import "hash/maphash"

// known is what the writer of events remembers, so that a batch does not ask for what it was told before. All of it may
// be wrong or forgotten at any time: the statements check issues, and the rest only saves work.
type known struct {
	issues *recent[issueKey, knownIssue]
	users  *recent[userKey, struct{}]
	places *recent[uint64, struct{}] // by their hashes: names are pointers
	seed   maphash.Seed
}

// knownIssue is an issue and how many events it had stored and users affected when it was last counted.
type knownIssue struct{ id, stored, users int64 }

// maxUsers is up to where users are counted exactly (primary API, Issue).
const maxUsers = 1000

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
		issues: newRecent[issueKey, knownIssue](1 << 15),
		users:  newRecent[userKey, struct{}](1 << 15),
		places: newRecent[uint64, struct{}](1 << 15),
		seed:   maphash.MakeSeed(),
	}
}

// wantsUser tells whether the user may have to be counted on the issue of the group.
func (k *known) wantsUser(group issueKey, user userKey) bool {
	if issue, ok := k.issues.get(group); ok && issue.users >= maxUsers {
		return false
	}
	_, ok := k.users.get(user)
	return !ok
}

func (k *known) hasPlace(p placeKey) bool {
	_, ok := k.places.get(maphash.Comparable(k.seed, p))
	return ok
}

// learn remembers a batch that is committed. One that only turned out to be there says nothing of its fingerprints: a
// split may have moved its events since.
func (k *known) learn(b *batch) {
	if len(b.own) > 0 {
		return
	}
	b.fresh(func(e *NewEvent, a *Added) {
		issue := b.state[a.IssueID]
		issue.id = a.IssueID
		k.issues.add(e.group(), issue)
	})
	for _, u := range b.counts.users {
		k.users.add(u, struct{}{})
	}
	for _, p := range b.counts.places {
		k.places.add(maphash.Comparable(k.seed, p), struct{}{})
	}
}
