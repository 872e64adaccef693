package intake

import "hash/maphash"

// memory is what the writer remembers of earlier batches, so that it does not have to ask again. All of it may be wrong or
// forgotten at any time: the statements check issues, and the rest only saves work.
//
// Its keys are hashes of 64 bits with a secret seed: a missing entry is mistaken for another one in less than one of 10^14 cases.
type memory struct {
	issues *recent[uint64, rememberedIssue] // by the hash of the issueKey
	rows   *recent[uint64, struct{}]        // hashes of the users and names that issues have
	fixes  *recent[int64, watchedFix]       // by issue; the events that are harmless to them are among the rows
	// counted has the Unix times when events of projects were last counted and not stored.
	counted *recent[int64, int64]
	seed    maphash.Seed
}

// rememberedIssue is an issue as it was when it was last counted. The zero value means that it is not remembered.
type rememberedIssue struct {
	id     int64
	names  uint64 // a hash of the environment and the release of its last event; 0: not remembered
	stored uint32 // how many events it has stored, at most
	users  uint16 // how many users it affected, up to MaxUsers
}

// MaxUsers is the largest number of users that is counted exactly (primary API, Issue).
const MaxUsers = 1000

// userKey is a user who is counted on an issue.
type userKey struct {
	project, issue int64
	user           [16]byte
}

// issueName is an environment or release of an issue's stored events.
type issueName struct {
	project, issue int64
	isRelease      bool
	name           string
}

func newMemory() *memory {
	return &memory{
		issues: newRecent[uint64, rememberedIssue](1 << 16),
		rows:   newRecent[uint64, struct{}](1 << 15),
		fixes:  newRecent[int64, watchedFix](1 << 12),

		counted: newRecent[int64, int64](1 << 16),
		seed:    maphash.MakeSeed(),
	}
}

// findIssue returns what the memory has about the event's issue.
func (m *memory) findIssue(e *NewEvent) rememberedIssue {
	issue, _ := m.issues.findEntry(m.hashFingerprint(e))
	return issue
}

// rememberedAs returns what was remembered, if it is about this issue.
func (e *NewEvent) rememberedAs(issue int64) rememberedIssue {
	if e.remembered.id != issue {
		return rememberedIssue{}
	}
	return e.remembered
}

// mayCountUser reports whether the user may still have to be counted on the issue.
func (m *memory) mayCountUser(issue rememberedIssue, user userKey) bool {
	if issue.users >= MaxUsers {
		return false
	}
	return !hasRow(m, user)
}

// hashFingerprint returns the hash of the event's project, version and fingerprint.
func (m *memory) hashFingerprint(e *NewEvent) uint64 { return maphash.Comparable(m.seed, e.issueKey()) }

// hashNames returns the hash of the event's environment and release.
func (m *memory) hashNames(e *NewEvent) uint64 {
	return maphash.Comparable(m.seed, [2]string{e.Environment, e.Release})
}

// hasRow reports whether the user, name or harmless kind is remembered.
func hasRow[K userKey | issueName | harmlessKey](m *memory, key K) bool {
	_, ok := m.rows.findEntry(maphash.Comparable(m.seed, key))
	return ok
}

func rememberRows[K userKey | issueName | harmlessKey](m *memory, keys []K) {
	for _, key := range keys {
		m.rows.addEntry(maphash.Comparable(m.seed, key), struct{}{})
	}
}

// MayBeNew reports whether an event may be the first of its issue: the store remembers no such issue. Only then must its
// stack trace be looked at, for triage and similar issues.
func (w *Writer) MayBeNew(e *NewEvent) bool {
	return w.memory.findIssue(e).id == 0
}

// rememberBatch remembers a committed batch. A batch that turned out to be committed earlier says nothing about its
// fingerprints: a split may have moved its events since.
func (m *memory) rememberBatch(b *batch) {
	if b.wasCommitted {
		return
	}
	b.eachCounted(func(e *NewEvent, a *Added) {
		issue := b.issuesAfter[a.IssueID]
		issue.id, issue.names = a.IssueID, m.hashNames(e)
		m.issues.addEntry(m.hashFingerprint(e), issue)
	})
	for _, p := range b.counts.projects {
		m.rememberCounted(p.project, p.counted)
	}
	rememberRows(m, b.counts.users)
	rememberRows(m, b.counts.names)
}
