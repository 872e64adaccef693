package web

import (
	"fmt"
	"strings"

	"errand/core"
)

// issueHead is what stands above an issue: what it is, how it stands, and what can be done.
type issueHead struct {
	Name, Message core.Untrusted // the type and the message, or the message alone
	Badges        []badge
	Claim         *claimBadge
	Term          *moment // until when it is ignored
	MergedInto    int64
	Version       string // changes with what the other live parts show, so that the script asks for them

	IsDone        bool // reopening it is the first thing to do
	CanResolve    bool
	IsIgnored     bool
	IsMine        bool // the person holds the claim
	CanReopenMore bool // it is not the first thing to do
}

// claimBadge says who works on an issue, and how long yet.
type claimBadge struct {
	Holder string
	Left   string
	Until  moment
}

// makeHead makes the head of an issue.
func (v *visit) makeHead(issue *core.IssueDetail, newest int64) issueHead {
	head := issueHead{
		Badges: append(v.stateBadges(&issue.Issue), statusBadges(issue)...), MergedInto: int64(issue.MergedInto),
		Version: describeVersion(issue, newest), IsIgnored: issue.Status == core.Ignored, CanResolve: issue.Status != core.Resolved,
		CanReopenMore: issue.Status == core.FixPending,
	}
	head.Name, head.Message = splitTitle(&issue.Issue)
	if head.Name == "" {
		head.Name, head.Message = head.Message, ""
	}
	switch issue.Status {
	case core.Resolved, core.Ignored, core.Verified:
		head.IsDone = true
	}
	if claim := issue.Claim; claim != nil {
		head.Claim = &claimBadge{holderOf(claim), writeMinutes(claim.MinutesLeft(core.At(v.now))), v.at(claim.ExpiresAt)}
		head.IsMine = claim.Holder == v.actor.Name && claim.Worker == ""
	}
	if end := issue.IgnoreEnd; end != nil && !end.At.IsZero() {
		until := v.at(end.At)
		head.Term = &until
	}
	return head
}

// describeVersion returns a short text that is another one after each change of an issue that its activity lists, and of its fix. Newest
// is the id of the latest row of the activity.
func describeVersion(issue *core.IssueDetail, newest int64) string {
	version := fmt.Sprint(newest, " ")
	if fix := issue.Fix; fix != nil {
		version += fmt.Sprint(fix.Commit, fix.PRURL, fix.LinkedAt, fix.DeployedAt, fix.Environment, fix.VerifiedAt, fix.RegressedAt)
	}
	return hashShortly([]byte(version))
}

// statusBadges say how an issue stands, what waits, and what triage and trust say.
func statusBadges(issue *core.IssueDetail) []badge {
	var badges []badge
	switch issue.Status {
	case core.FixPending:
		badges = append(badges, badge{kindGood, "fix linked"})
	case core.Verified:
		badges = append(badges, badge{kindGood, "the fix held"})
	case core.Resolved, core.Ignored, core.Merged:
		badges = append(badges, badge{"", string(issue.Status)})
	}
	if end := issue.IgnoreEnd; end != nil && end.TimesSeen > 0 {
		badges = append(badges, badge{"", "until it has " + writeCount(int64(end.TimesSeen)) + " events"})
	}
	if end := issue.IgnoreEnd; end != nil && end.UsersAffected > 0 {
		badges = append(badges, badge{"", "until it has " + describeUsers(int64(end.UsersAffected))})
	}
	if issue.Approval != nil {
		badges = append(badges, badge{kindWarn, string(issue.Approval.Action) + " waits for approval"})
	}
	badges = append(badges, triageBadge(&issue.Triage))
	if issue.Triage.Transient {
		badges = append(badges, badge{"", "may go away by itself"})
	}
	if issue.Triage.Noise {
		badges = append(badges, badge{"", "noise: no error of the app"})
	}
	if issue.SourceTrust == core.TrustLow {
		badges = append(badges, badge{"", "low trust: anybody may send events to the project"})
	}
	if issue.Test {
		badges = append(badges, badge{"", "test of the setup"})
	}
	return badges
}

// triageBadge says what kind of error it is, and whether a change of code fixes it.
func triageBadge(triage *core.Triage) badge {
	kind := strings.ReplaceAll(string(triage.Category), "_", " ")
	if triage.Category == core.UnknownCause || kind == "" {
		kind = "unknown kind"
	}
	if triage.AgentFixable {
		return badge{"", kind + " · an agent can fix it"}
	}
	return badge{"", kind + " · no code to change"}
}

// makeSteps makes the four steps of a fix; none without one.
func (v *visit) makeSteps(fix *core.Fix) []step {
	if fix == nil {
		return nil
	}
	at := func(t core.Time) *moment {
		if t.IsZero() {
			return nil
		}
		m := v.at(t)
		return &m
	}
	deployed := step{"", "Deployed", "waits for a deploy that brings it", nil}
	switch {
	case !fix.DeployedAt.IsZero():
		deployed = step{"done", "Deployed", describeDeployed(fix), at(fix.DeployedAt)}
	case fix.Overdue != nil:
		deployed = step{"back", "Overdue", fmt.Sprintf("%s since the link, none of them names it, and the error goes on",
			writePlural(fix.Overdue.Deploys, "deploy", "deploys")), at(fix.Overdue.Since)}
	}
	quiet := step{"", "Verified", "when the error stays away", nil}
	switch {
	case !fix.VerifiedAt.IsZero():
		quiet = step{"done", "Verified", "quiet for " + writeMinutes(int64(fix.VerifiedAt.Sub(fix.DeployedAt.Time).Minutes())),
			at(fix.VerifiedAt)}
	case !fix.RegressedAt.IsZero():
		quiet.Text = "did not get so far"
	case !fix.DeployedAt.IsZero():
		quiet = step{"now", "Quiet until", "then it is verified", at(fix.VerifyAfter)}
	}
	back := step{"", "Held", "or came back", nil}
	switch {
	case !fix.RegressedAt.IsZero() && fix.RegressedIn != "":
		back = step{"back", "Came back", "in " + fix.RegressedIn, at(fix.RegressedAt)}
	case !fix.RegressedAt.IsZero():
		back = step{"back", "Came back", nil, at(fix.RegressedAt)}
	case !fix.VerifiedAt.IsZero():
		back = step{"done", "Held", "it has not come back", nil}
	}
	return []step{{"done", "Fix linked", describeFix(fix) + " by " + fix.LinkedBy, at(fix.LinkedAt)}, deployed, quiet, back}
}

// describeDeployed says which deploy brought a fix.
func describeDeployed(fix *core.Fix) string {
	words := string(fix.Release)
	if fix.Environment != "" {
		words += " to " + string(fix.Environment)
	}
	return strings.TrimSpace(words)
}

// describeFix names a fix in a word or two: PR 311, commit 9f8e7d6c5b.
func describeFix(fix *core.Fix) string {
	return nameFix(fix.Kind, string(fix.Commit)+string(fix.PRURL))
}

// nameFix names a fix by its commit or the URL of its pull request.
func nameFix(kind core.FixKind, ref string) string {
	if kind == core.FixByCommit {
		const shown = 10
		return "commit " + ref[:min(len(ref), shown)]
	}
	return "PR " + ref[strings.LastIndexByte(ref, '/')+1:]
}
