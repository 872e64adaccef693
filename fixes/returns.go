package fixes

import (
	"time"

	"errand/core"
)

// graceWithoutRelease is how long after a deploy an event that names no release may still be of the release before.
const graceWithoutRelease = 10 * time.Minute

// Event is what the rules need of an event.
type Event struct {
	At          time.Time
	Release     string // empty: it names none
	Environment string // empty: it names none
}

// CanReturn reports whether any event with the release and the environment of this one shows that the error is still there, when it
// happens long after the deploy that brought the fix. If not, such events only count until there is another deploy.
func CanReturn(e Event, first Deploy, deploys []Deploy) bool {
	e.At = first.At.Add(graceWithoutRelease)
	return IsReturn(e, first, deploys)
}

// IsReturn reports whether an event shows that the error is still there, after the deploy that brought the fix: it happened
// later, in a release that contains the fix. Events of older releases, such as those of a browser tab that stayed open,
// only count. deploys are as for IsReleaseWithFix.
func IsReturn(e Event, first Deploy, deploys []Deploy) bool {
	switch {
	case !e.At.After(first.At):
		return false
	case e.Release == "":
		return !e.At.Before(first.At.Add(graceWithoutRelease)) && (e.Environment == "" || core.IsSameName(e.Environment, first.Environment))
	default:
		return IsReleaseWithFix(e.Release, first, deploys)
	}
}
