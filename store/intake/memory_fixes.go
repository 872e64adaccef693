package intake

import "errand/fixes"

// watchedFix is the fix of an issue at a time: it was deployed, and so many deploys had been reported. Which events show that it does
// not hold changes with neither.
type watchedFix struct{ fix, deploys int64 }

// harmlessKey is a kind of events that show nothing of a fix: those of old clients, mostly.
type harmlessKey struct {
	issue                int64
	of                   watchedFix
	release, environment string
}

// rememberHarmless remembers that events such as these only count.
func (m *memory) rememberHarmless(issue int64, of watchedFix, events []fixes.Event) {
	if len(events) == 0 {
		return
	}
	keys := make([]harmlessKey, len(events))
	for i, e := range events {
		keys[i] = harmlessKey{issue, of, e.Release, e.Environment}
	}
	m.fixes.addEntry(issue, of)
	rememberRows(m, keys)
}

// findHarmless returns the fixes of issues whose events in the batch are all harmless to them, as far as is remembered.
func (m *memory) findHarmless(b *batch) map[int64]watchedFix {
	var found map[int64]watchedFix
	for _, c := range b.counts.issues {
		if of, ok := m.fixes.findEntry(c.issue); ok {
			if found == nil {
				found = map[int64]watchedFix{}
			}
			found[c.issue] = of
		}
	}
	if found == nil {
		return nil
	}
	b.eachCounted(func(e *NewEvent, a *Added) {
		of, ok := found[a.IssueID]
		if ok && !hasRow(m, harmlessKey{a.IssueID, of, e.Release, e.Environment}) {
			delete(found, a.IssueID)
		}
	})
	return found
}

// watchedArrays are the watched fixes of the batch's issues as arrays of a statement; 0 for none.
type watchedArrays struct{ fixes, deploys []int64 }

func (b *batch) collectWatched() watchedArrays {
	a := watchedArrays{make([]int64, len(b.counts.issues)), make([]int64, len(b.counts.issues))}
	for i, c := range b.counts.issues {
		of := b.watched[c.issue]
		a.fixes[i], a.deploys[i] = of.fix, of.deploys
	}
	return a
}
