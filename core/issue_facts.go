package core

// IssueFacts is what is known about an issue, for the text of its brief.
type IssueFacts struct {
	Issue        IssueDetail
	Holder       *Actor          // who holds the issue now, and as which worker; nil when nobody does
	HeldSince    Time            // of the claim
	Approvals    []BriefApproval // waiting actions on the issue
	Project      BriefProject
	Event        *EventDetail // the event to show; nil when none is stored
	NewerEvents  int          // later stored events, which have no frames of the app
	Notes        []Activity   // latest first, like the fields that follow
	History      []Activity   // changes of status, merges, splits and corrections
	Fixes        []Fix
	Deploys      []ReleasedDeploy // of the issue's project
	FirstDeploy  *ReleasedDeploy  // of the first release with the error; nil when none was reported
	BeforeFirst  *ReleasedDeploy  // the deploy that ran in the same environment before FirstDeploy
	Releases     []Untrusted
	Environments []Untrusted
	Hours        []HourCount // of the last 7 days, oldest first
	Similar      []KnownSimilar
	Tags         []TagShares // of the newest stored events
}

// ReleasedDeploy is a deploy with its release.
type ReleasedDeploy struct {
	Release Untrusted
	Deploy
}

// KnownSimilar is a similar issue with what is known about its cause.
type KnownSimilar struct {
	SimilarIssue
	LastNote *Activity // nil without one
}
