package scm

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"errand/core"
)

// event is a report as it came, with the signature checked.
type event struct {
	name       string // such as push
	deliveryID string
	body       []byte
}

// payload is the part of GitHub's payloads that Errand reads. A field of a wrong type counts as absent.
type payload struct {
	Repository struct {
		HTMLURL       string `json:"html_url"`
		CloneURL      string `json:"clone_url"`
		FullName      string `json:"full_name"`
		DefaultBranch string `json:"default_branch"`
	} `json:"repository"`

	// For push.

	Ref     string   `json:"ref"`
	Before  string   `json:"before"`
	After   string   `json:"after"`
	Forced  bool     `json:"forced"`
	Commits []commit `json:"commits"`

	// For pull_request.

	Action      string      `json:"action"`
	Number      int64       `json:"number"`
	PullRequest pullRequest `json:"pull_request"`

	// For deployment_status.

	DeploymentStatus struct {
		ID          int64  `json:"id"`
		State       string `json:"state"`
		Environment string `json:"environment"`
	} `json:"deployment_status"`
	Deployment struct {
		ID          int64  `json:"id"`
		SHA         string `json:"sha"`
		Environment string `json:"environment"`
	} `json:"deployment"`
}

type commit struct {
	ID       string `json:"id"`
	Message  string `json:"message"`
	Distinct *bool  `json:"distinct"` // nil: not given
}

type pullRequest struct {
	HTMLURL        string `json:"html_url"`
	Number         int64  `json:"number"`
	Title          string `json:"title"`
	Body           string `json:"body"`
	State          string `json:"state"` // open or closed
	Merged         bool   `json:"merged"`
	MergeCommitSHA string `json:"merge_commit_sha"`
	UpdatedAt      string `json:"updated_at"`

	// These fields say whether the author may be trusted. A team's own sender may leave out all three.

	AuthorAssociation json.RawMessage `json:"author_association"`
	Head              json.RawMessage `json:"head"`
	Base              json.RawMessage `json:"base"`
}

// branch is one side of a pull request.
type branch struct {
	Ref  string `json:"ref"` // its name
	SHA  string `json:"sha"`
	Repo struct {
		FullName string `json:"full_name"`
	} `json:"repo"`
}

// readBranch reads a side of a pull request, as far as it is there.
func readBranch(text json.RawMessage) (b branch) {
	_ = json.Unmarshal(text, &b) // another type counts as absent
	return b
}

// authorsTrusted are the associations of people who may write to the repository (decisions 6). Gitea and Forgejo have none.
var authorsTrusted = []string{"OWNER", "MEMBER", "COLLABORATOR"}

// isTrusted reports whether the pull request comes from the repository itself or from somebody who may write to it. A payload without any
// such information does not come from a host with strangers, but from a team's own sender, which has the secret.
func (r pullRequest) isTrusted() bool {
	if r.AuthorAssociation == nil && r.Head == nil && r.Base == nil {
		return true
	}
	var association string
	if json.Unmarshal(r.AuthorAssociation, &association) == nil && slices.Contains(authorsTrusted, association) {
		return true
	}
	return r.isOfRepository()
}

// isOfRepository reports whether the pull request comes from a branch of the repository itself.
func (r pullRequest) isOfRepository() bool {
	head, base := readBranch(r.Head).Repo.FullName, readBranch(r.Base).Repo.FullName
	return head != "" && strings.EqualFold(head, base)
}

// parsePayload reads a JSON object. Anything else is an error.
func parsePayload(body []byte) (payload, error) {
	var p payload
	err := json.Unmarshal(body, &p)
	if wrongType := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrongType) {
		err = nil // all other fields were read
	}
	if text := bytes.TrimLeft(body, " \t\r\n"); err == nil && !bytes.HasPrefix(text, []byte("{")) {
		err = errors.New("it is not an object")
	}
	if err != nil {
		return p, core.RefuseField("", "must be a JSON object: choose the content type application/json for the webhook").Because(err)
	}
	return p, nil
}

// readReport makes of an event what it says about a repository.
func readReport(e event) (core.SCMReport, error) {
	p, err := parsePayload(e.body)
	if err != nil {
		return core.SCMReport{}, err
	}
	d := core.SCMReport{
		Keys:       []core.SCMKey{e.key()},
		Repository: []string{p.Repository.HTMLURL, p.Repository.CloneURL, p.Repository.FullName},
	}
	switch e.name {
	case "push":
		d.Push = p.readPush()
	case "pull_request":
		d.PullRequest, d.Ignored = p.readPullRequest()
	case "deployment_status":
		d.Deployment, d.Ignored = p.readDeployment()
		if d.Deployment != nil {
			d.Keys = append(d.Keys, p.deploymentKey(e))
		}
	case "ping":
		d.Ignored = "a ping: the webhook is set up"
	case "":
		d.Ignored = "the request names no event"
	default:
		d.Ignored = "nothing is done on this event, only on push, pull_request and deployment_status"
	}
	return d, nil
}

// key identifies the report: by its id, or by its body when the sender set none.
func (e event) key() core.SCMKey {
	if e.deliveryID != "" {
		return core.SCMKey{Text: "delivery " + e.deliveryID}
	}
	return e.bodyKey()
}

func (e event) bodyKey() core.SCMKey {
	return core.SCMKey{Text: fmt.Sprintf("body %s %x", e.name, sha256.Sum256(e.body)), IsOfBody: true}
}

// deploymentKey identifies a deployment that succeeded: by its id, else by its status's id, else by the body. The report's own id
// is not signed, so a body that is sent again under another id is not a new deploy.
func (p payload) deploymentKey(e event) core.SCMKey {
	number := fmt.Sprintf("status %d", p.DeploymentStatus.ID)
	switch {
	case p.Deployment.ID != 0:
		number = fmt.Sprintf("deployment %d", p.Deployment.ID)
	case p.DeploymentStatus.ID == 0:
		return e.bodyKey()
	}
	return core.SCMKey{Text: strings.Join([]string{"success of", strings.ToLower(p.Repository.FullName), number,
		strings.ToLower(p.Deployment.SHA), p.environment()}, "\n")}
}

func (p payload) readPush() *core.SCMPush {
	branch := strings.TrimPrefix(p.Ref, "refs/heads/")
	push := &core.SCMPush{
		Branch: branch, OnDefaultBranch: p.isDefaultBranch(branch), IsQueued: strings.HasPrefix(branch, "gh-readonly-queue/"),
	}
	if isBranch := p.Ref == "" || strings.HasPrefix(p.Ref, "refs/heads/"); isBranch {
		push.After = p.After
	}
	if len(p.Commits) > 0 && !p.Forced { // a branch that was moved back has no new commits, whether or not the sender says so
		push.Before = p.Before
	}
	for _, c := range p.Commits {
		push.Commits = append(push.Commits, core.SCMCommit{SHA: c.ID, Message: c.Message, WasPushed: c.Distinct != nil && !*c.Distinct})
	}
	if last := len(p.Commits) - 1; last > 0 && p.Commits[0].ID == p.After && p.Commits[last].ID != p.After {
		slices.Reverse(push.Commits) // Gitea and Forgejo report the newest first
	}
	return push
}

// isDefaultBranch reports whether a branch is the default one. It is true, too, when the payload does not name the default branch.
func (p payload) isDefaultBranch(name string) bool {
	return p.Repository.DefaultBranch == "" || name == p.Repository.DefaultBranch
}

func (p payload) readPullRequest() (request *core.SCMPullRequest, ignored string) {
	r := p.PullRequest
	request = &core.SCMPullRequest{
		URL: r.HTMLURL, Number: r.Number, Title: r.Title, Body: r.Body, Head: readBranch(r.Head).SHA, IsTrusted: r.isTrusted(),
	}
	if r.isOfRepository() {
		request.Branch = readBranch(r.Head).Ref
	}
	onto := readBranch(r.Base).Ref
	request.OntoOtherBranch = onto != "" && !p.isDefaultBranch(onto)
	request.ChangedAt, _ = time.Parse(time.RFC3339, r.UpdatedAt) // zero when it is not a time
	if request.Number == 0 {
		request.Number = p.Number
	}
	isDead := r.State == "closed" && !r.Merged // hosts report edits after the end, too
	switch {
	case p.Action != "closed" && isDead:
		return nil, "the pull request is closed"
	case p.Action == "opened" || p.Action == "reopened":
		request.Change = core.SCMOpened
	case p.Action == "edited":
		request.Change = core.SCMEdited
	case p.Action == "closed" && r.Merged:
		request.Change, request.MergeCommit = core.SCMMerged, r.MergeCommitSHA
	case p.Action == "closed":
		request.Change = core.SCMClosed
	default:
		return nil, "nothing is done on this action of a pull request, only on opened, reopened, edited and closed"
	}
	return request, ""
}

func (p payload) readDeployment() (deployment *core.SCMDeployment, ignored string) {
	if p.DeploymentStatus.State != "success" {
		return nil, "the deployment has not succeeded, or not yet"
	}
	return &core.SCMDeployment{Commit: p.Deployment.SHA, Environment: p.environment()}, ""
}

// environment returns the environment of a deployment; empty when it names none.
func (p payload) environment() string {
	return cmp.Or(p.Deployment.Environment, p.DeploymentStatus.Environment)
}
