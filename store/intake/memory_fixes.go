package intake

import "errand/fixes"

// watchedFix is the deployed fix of an issue and the number of deploys reported so far. Which events show that the fix
// does not hold depends on nothing else.
type watchedFix struct{ fix, deploys int64 }

// harmlessKey is a kind of event that says nothing about a fix; most come from old clients.
type harmlessKey struct {
	issue                int64
	of                   watchedFix
	release, environment string
}

// rememberHarmless remembers that events like these only count.
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

// findHarmless returns the fixes of the issues whose events in the batch are all remembered as harmless.
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

// watchedArrays are the watched fixes of the batch's issues, as arrays of a statement; 0 for none.
type watchedArrays struct{ fixes, deploys []int64 }

func (b *batch) collectWatched() watchedArrays {
	a := watchedArrays{make([]int64, len(b.counts.issues)), make([]int64, len(b.counts.issues))}
	for i, c := range b.counts.issues {
		of := b.watched[c.issue]
		a.fixes[i], a.deploys[i] = of.fix, of.deploys
	}
	return a
}
