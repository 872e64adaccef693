package web

import (
	"fmt"
	"strings"
	"time"

	"errand/core"
)

// issueRow is an issue in a list.
type issueRow struct {
	ID               int64
	CanPick          bool // the list can change it
	Path, BriefPath  string
	Type, Message    core.Untrusted
	Culprit          core.Untrusted
	Project, Release string
	Badges           []badge
	Spark            *bars
	Events           int64
	Users            string
	Last             moment
	Work             *badge // who works on it, or how its fix stands; nil for what Rest says
	Rest             string
}

// newFor is how long an issue is new.
const newFor = 24 * time.Hour

// maxUsers is where counting the users of an issue stops (primary API, Issue).
const maxUsers = 1000

// makeIssueRow makes the row of an issue, without its hours.
func (v *visit) makeIssueRow(issue *core.Issue) issueRow {
	path := fmt.Sprintf("/issues/%d", issue.ID)
	row := issueRow{
		ID: issue.ID, CanPick: v.may(core.WriteRight), Path: path, BriefPath: path + "/brief", Culprit: issue.Culprit, Project: issue.Project,
		Release: string(issue.LastRelease), Badges: v.badgesOf(issue), Events: issue.TimesSeen, Last: v.at(issue.LastSeen),
		Users: describeUsers(issue.UsersAffected),
	}
	row.Type, row.Message = splitTitle(issue)
	row.Work, row.Rest = v.describeWork(issue)
	return row
}

// splitTitle returns the type and the message of an issue. The title of one with a type is often both of them.
func splitTitle(issue *core.Issue) (kind, message core.Untrusted) {
	rest, isBoth := strings.CutPrefix(string(issue.Title), string(issue.Type)+": ")
	switch {
	case isBoth:
		return issue.Type, core.Untrusted(rest)
	case issue.Title == "":
		return "", "(without a title)"
	default:
		return "", issue.Title
	}
}

// describeUsers says how many users have had an issue.
func describeUsers(n int64) string {
	switch {
	case n == 0:
		return "no users"
	case n >= maxUsers:
		return writeCount(n) + "+ users"
	}
	return writePlural(n, "user", "users")
}

// badgesOf returns what is special about an issue.
func (v *visit) badgesOf(issue *core.Issue) []badge {
	badges := v.stateBadges(issue)
	switch category := issue.Triage.Category; category {
	case core.Bug, core.UnknownCause, "":
	default:
		badges = append(badges, badge{"", strings.ReplaceAll(string(category), "_", " ")})
	}
	if issue.Triage.Transient {
		badges = append(badges, badge{"", "transient"})
	}
	if issue.Triage.Noise {
		badges = append(badges, badge{"", "noise"})
	}
	return badges
}

// stateBadges say that an issue came back, or is new, and how bad it is.
func (v *visit) stateBadges(issue *core.Issue) []badge {
	var badges []badge
	isOpen := issue.Status == core.Unresolved || issue.Status == core.Regressed
	switch {
	case issue.Status == core.Regressed && issue.LastRelease != "":
		badges = append(badges, badge{kindBad, "regressed in " + issue.LastRelease})
	case issue.Status == core.Regressed:
		badges = append(badges, badge{kindBad, "regressed"})
	case isOpen && issue.FirstSeen.After(v.now.Add(-newFor)):
		badges = append(badges, badge{kindInfo, "new today"})
	}
	switch issue.Level {
	case "fatal":
		badges = append(badges, badge{kindBad, issue.Level})
	case "error":
	default:
		badges = append(badges, badge{"", issue.Level})
	}
	return badges
}

// holderOf names who holds a claim.
func holderOf(claim *core.Claim) string { return nameWorker(string(claim.Worker), claim.Holder) }

// nameWorker names a worker with the token that it works for: any caller may call itself by any name, such as a person's.
func nameWorker(worker, actor string) string {
	if worker == "" || worker == actor {
		return actor
	}
	return worker + " (" + actor + ")"
}

// describeWork says who works on an issue, or how it stands.
func (v *visit) describeWork(issue *core.Issue) (*badge, string) {
	if issue.Approval != nil {
		return &badge{kindWarn, string(issue.Approval.Action) + " waits for approval"}, ""
	}
	if claim := issue.Claim; claim != nil {
		return &badge{kindInfo, holderOf(claim) + " · " + writeMinutes(claim.MinutesLeft(core.At(v.now))) + " left"}, ""
	}
	switch issue.Status {
	case core.FixPending:
		return &badge{kindGood, "fix linked"}, ""
	case core.Verified:
		return &badge{kindGood, "the fix held"}, ""
	case core.Resolved, core.Ignored, core.Merged:
		return nil, string(issue.Status)
	}
	if !issue.Triage.AgentFixable && issue.Triage.Category != core.UnknownCause && issue.Triage.Category != "" {
		return nil, "no code to change"
	}
	return nil, "free"
}
