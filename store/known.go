package store

import (
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

// known is what the writer of events remembers, so that a batch does not ask for what it was told before. All of it may
// be wrong or forgotten at any time: the statements check issues, and the rest only saves work.
type known struct {
	issues *lru.Cache[issueKey, knownIssue]
	users  *lru.Cache[userKey, struct{}]
	places *lru.Cache[placeKey, struct{}]
}

// knownIssue is an issue and how many events of it were stored when it was last counted.
type knownIssue struct{ id, stored int64 }

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
		issues: must(lru.New[issueKey, knownIssue](1 << 16)),
		users:  must(lru.New[userKey, struct{}](1 << 15)),
		places: must(lru.New[placeKey, struct{}](1 << 15)),
	}
}

// learn remembers a batch that is committed.
func (k *known) learn(b *batch) {
	b.fresh(func(e *NewEvent, a *Added) { k.issues.Add(e.group(), knownIssue{a.IssueID, b.stored[a.IssueID]}) })
	for _, u := range b.counts.users {
		k.users.Add(u, struct{}{})
	}
	for _, p := range b.counts.places {
		p.name = strings.Clone(p.name) // it is a part of the event's text, which would stay in memory with it
		k.places.Add(p, struct{}{})
	}
}
