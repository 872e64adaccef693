package fixes

import "time"

// A fix is overdue after overdueDeploys deploys without it, or after one such deploy when it was linked OverdueAfter ago
// (decisions 6).
const (
	overdueDeploys = 3
	OverdueAfter   = 24 * time.Hour
)

// Waiting is a fix that no deploy has brought, and the deploys and events since it was linked.
type Waiting struct {
	LinkedAt time.Time
	Deploys  int64 // of releases that were first deployed after the link
	Events   int64 // of these releases
}

// IsOverdue reports whether the fix waits for a deploy in vain (decisions 6): the error continues in releases that are newer than
// the link, and no deploy named the fix.
func (w Waiting) IsOverdue(now time.Time) bool {
	if w.Events <= 0 {
		return false
	}
	return w.Deploys >= overdueDeploys || w.Deploys > 0 && !now.Before(w.LinkedAt.Add(OverdueAfter))
}

// IsNewRelease reports whether the release with that name was first deployed after the project's deploy with the number. The
// parameter deploys is as in IsReleaseWithFix.
func IsNewRelease(name string, after int64, deploys []Deploy) bool {
	commits := commitsOfRelease(name, deploys)
	isNew := false
	for _, d := range deploys {
		if isOneOf(d, name, commits) {
			if d.Number <= after {
				return false
			}
			isNew = true
		}
	}
	return isNew
}
