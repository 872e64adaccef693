package core

// IssueFacts is what is known of an issue, for the text of its brief.
type IssueFacts struct {
	Issue        IssueDetail
	Holder       *Actor          // who holds it now, with the worker; nil when nobody does
	HeldSince    Time            // of the claim
	Approvals    []BriefApproval // actions on it that wait
	Project      BriefProject
	Event        *EventDetail // the one to show; nil when none is stored
	NewerEvents  int          // stored events after it, which have no frames of the app
	Notes        []Activity   // latest first, as what follows
	History      []Activity   // changes of status, merges, splits and corrections
	Fixes        []Fix
	Deploys      []ReleasedDeploy // of the project
	FirstDeploy  *ReleasedDeploy  // of the first release with the error; nil when none was reported
	BeforeFirst  *ReleasedDeploy  // what ran in the same environment before it
	Releases     []Untrusted
	Environments []Untrusted
	Hours        []HourCount // of the last 7 days, oldest first
	Similar      []KnownSimilar
	Tags         []TagShares // of the newest stored events
}

// ReleasedDeploy is a deploy with the release that it brought.
type ReleasedDeploy struct {
	Release Untrusted
	Deploy
}

// KnownSimilar is a similar issue with what is known of its cause.
type KnownSimilar struct {
	SimilarIssue
	LastNote *Activity // nil without one
}
