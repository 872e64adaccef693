package core

import "time"

// SCMReport is what the webhook of source control reports: a push, a pull request or a deployment. Its texts are the
// sender's.
type SCMReport struct {
	Keys []SCMKey // the report is known by each of them when it comes again
	// Repository has the names of the repository: its URLs, and owner/name. The first that is not empty counts.
	Repository []string
	Ignored    string // the reason to do nothing; empty when one of the following is set

	Push        *SCMPush
	PullRequest *SCMPullRequest
	Deployment  *SCMDeployment
}

// SCMKey identifies a report, so that a repeat is recognised.
type SCMKey struct {
	Text string
	// IsOfBody says that nothing but the body is known: the same again, later, may be another report.
	IsOfBody bool
}

// SCMPush is the commits that are new on a branch.
type SCMPush struct {
	// Before is the branch's old commit and After its new one. Before is empty when After may not descend from it.
	Before, After   string
	Commits         []SCMCommit // the newest last
	Branch          string      // empty: the report does not say
	OnDefaultBranch bool
	// IsQueued says that a merge queue tries the commits on a branch of its own. They may never reach the default branch.
	IsQueued bool
}

// SCMCommit is one commit of a push.
type SCMCommit struct {
	SHA       string
	Message   string
	WasPushed bool // another branch had it before
}

// SCMPullRequest is a change of a pull request.
type SCMPullRequest struct {
	Change      SCMChange
	URL         string // empty: the pull request with the number in the repository
	Number      int64
	Title, Body string
	MergeCommit string
	Head        string    // the newest commit of its branch
	Branch      string    // its branch, when that is in the repository itself
	ChangedAt   time.Time // zero when the report does not say
	// IsTrusted says that the branch is in the repository itself, or that its author may write to the repository.
	// Anybody may open other pull requests.
	IsTrusted bool
	// OntoOtherBranch says that its merge does not bring it to the default branch.
	OntoOtherBranch bool
}

// SCMChange is what happened to a pull request.
type SCMChange string

// The changes of pull requests.
const (
	SCMOpened SCMChange = "opened" // or reopened
	SCMEdited SCMChange = "edited"
	SCMMerged SCMChange = "merged"
	SCMClosed SCMChange = "closed" // not merged
)

// SCMDeployment is a deployment that succeeded.
type SCMDeployment struct {
	Commit      string
	Environment string // empty for production
}

// SCMAnswer is the answer to a report (primary API, Source-control webhook).
type SCMAnswer struct {
	OK        bool                 `json:"ok"`
	Projects  int                  `json:"projects,omitempty"`
	Commits   *int                 `json:"commits,omitempty"`
	Merged    string               `json:"merged,omitempty"`
	Closed    string               `json:"closed,omitempty"`
	Linked    List[int64]          `json:"linked,omitempty"`     // issues that got a linked fix
	Kept      List[int64]          `json:"kept,omitempty"`       // issues that keep the fix they have
	GivenBack List[int64]          `json:"given_back,omitempty"` // issues whose fix was closed
	Deploys   List[ReportedDeploy] `json:"deploys,omitempty"`
	Ignored   string               `json:"ignored,omitempty"`
	Duplicate bool                 `json:"duplicate,omitempty"`
}
