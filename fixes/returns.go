package fixes

import (
	"time"

	"errand/core"
)

// graceWithoutRelease is how long after a deploy an event without a release may still come from the release before.
const graceWithoutRelease = 10 * time.Minute

// Event has the fields of an event that the rules need.
type Event struct {
	At          time.Time
	Release     string // empty: not named
	Environment string // empty: not named
}

// CanReturn reports whether an event with this one's release and environment can show that the error is still there, if it
// happens long after the deploy that brought the fix. Otherwise such events only count until there is another deploy.
func CanReturn(e Event, first Deploy, deploys []Deploy) bool {
	e.At = first.At.Add(graceWithoutRelease)
	return IsReturn(e, first, deploys)
}

// IsReturn reports whether an event shows that the error is still there after the deploy that brought the fix: it happened later,
// in a release that contains the fix. Events of older releases, for example from a browser tab that stayed open, only count. The
// parameter deploys is as in IsReleaseWithFix.
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
