package web

import (
	"fmt"
	"strings"
	"time"

	"errand/core"
)

// issueAside is what stands beside an issue.
type issueAside struct {
	Days    bars
	Facts   issueFacts
	Shares  []shareGroup
	Of      int64 // how many events the shares are of
	Similar []similarRow
	Agent   *agentPart
}

// issueFacts are the numbers and the names of an issue.
type issueFacts struct {
	Events, Users       string
	First, Last         moment
	FirstIn, LastIn     core.Untrusted
	Priority            string
	Culprit             core.Untrusted
	Fix                 string // a link to the pull request; empty without one
	FixName             string
	UnknownReleases     int
	Severity, Platform  string
	TriageReasons       []string
	TriageBy            core.Text
	Environment, Server core.Untrusted
}

// shareGroup is how the newest events are spread over the values of a tag.
type shareGroup struct {
	Key  core.Untrusted
	Rows []shareRow
	More int64 // values that are not shown
}

type shareRow struct {
	Value   core.Untrusted
	Path    string // of the page with these events alone
	Percent int64
}

// similarRow is an issue that is like this one, with what fixed it.
type similarRow struct {
	Path   string
	Title  core.Untrusted
	Remark string
}

// agentPart is what an agent sees of the issue.
type agentPart struct {
	Line  string // for an agent that is connected
	Path  string
	Brief string
}

// makeAside makes what stands beside the issue.
func (v *visit) makeAside(at issueAddress, found *issueFindings) issueAside {
	aside := issueAside{Days: v.drawDays(&found.days), Facts: v.listFacts(&found.issue), Of: found.shares.Events}
	aside.Shares = makeShares(at, &found.shares)
	if found.issue.Status != core.Merged {
		aside.Agent = v.makeAgentPart(at.id)
	}
	for _, similar := range found.similar {
		aside.Similar = append(aside.Similar, similarRow{
			Path: issueAddress{similar.Issue.ID, nil}.path(""), Title: similar.Issue.Title, Remark: describeSimilar(&similar),
		})
	}
	return aside
}

// drawDays draws the events of the last 30 days, with the deploys.
func (v *visit) drawDays(days *core.IssueDays) bars {
	const day = 24 * time.Hour
	names, total := make([]string, len(days.Events)), int64(0)
	for i, n := range days.Events {
		names[i] = days.Since.Add(time.Duration(i) * day).UTC().Format("Jan 2")
		total += n
	}
	chart := newChart(fmt.Sprintf("Events by day, %s altogether", writeCount(total)), names, days.Events)
	if len(names) > 0 {
		chart.To = "today"
	}
	chart.MarksAre = "deploys"
	for _, deploy := range days.Deploys {
		since := deploy.DeployedAt.Sub(days.Since.Time)
		if i := int(since / day); since >= 0 && i < len(names) {
			text := fmt.Sprintf("%s %s, %s", deploy.Release, deploy.Environment, v.at(deploy.DeployedAt).Date())
			chart.mark(i, float64(since%day)/float64(day), text)
		}
	}
	return chart
}

// severityWords are the severities of triage.
var severityWords = []string{"low", "medium", "high", "critical"}

// listFacts lists the numbers and the names of an issue.
func (v *visit) listFacts(issue *core.IssueDetail) issueFacts {
	facts := issueFacts{
		Events: writeCount(issue.TimesSeen) + " · " + writeCount(issue.Events24h) + " in 24 h", Users: describeUsers(issue.UsersAffected),
		First: v.at(issue.FirstSeen), FirstIn: cutName(issue.FirstRelease), Last: v.at(issue.LastSeen), LastIn: cutName(issue.LastRelease),
		Priority: writePriority(issue.Priority), Culprit: core.Untrusted(cutText(string(issue.Culprit), maxValue)), Platform: issue.Platform,
		TriageReasons: issue.Triage.Reasons, TriageBy: issue.Triage.CorrectedBy,
	}
	if severity := issue.Triage.Severity; severity >= 0 && severity < len(severityWords) {
		facts.Severity = severityWords[severity]
	}
	if fix := issue.Fix; fix != nil {
		facts.FixName, facts.Fix, facts.UnknownReleases = describeFix(fix), string(fix.PRURL), len(fix.UnknownReleases)
	}
	return facts
}

// writePriority writes a priority with one decimal.
func writePriority(priority float64) string {
	whole, part, _ := strings.Cut(fmt.Sprintf("%.1f", priority), ".")
	return writeCount(whole) + "." + part
}

// Of the shares, these are shown: maxShares values of each of the first maxTags tags.
const maxTags, maxShares = 8, 3

// makeShares makes the shares of tags. A value leads to its events.
func makeShares(at issueAddress, shares *core.IssueShares) []shareGroup {
	const whole = 100
	var groups []shareGroup
	for _, tag := range shares.Tags[:min(len(shares.Tags), maxTags)] {
		group := shareGroup{Key: tag.Key}
		for _, value := range tag.Values[:min(len(tag.Values), maxShares)] {
			group.Rows = append(group.Rows, shareRow{
				Value: value.Value, Path: at.narrow(string(tag.Key), string(value.Value)), Percent: (value.Events*whole + tag.Of/2) / max(tag.Of, 1),
			})
		}
		group.More = tag.Distinct - int64(len(group.Rows))
		groups = append(groups, group)
	}
	return groups
}

// narrow returns the address of the events that have a value of a tag.
func (a issueAddress) narrow(key, value string) string {
	field := "tag"
	switch key {
	case "release", "environment", "user":
		field = key
	default:
		value = key + ":" + value
	}
	return a.with(field, value, eventField, "", threadField, "", activityField, "")
}

// describeSimilar says how a similar issue stands, what fixed it, and how alike it is.
func describeSimilar(similar *core.SimilarIssue) string {
	const whole = 100
	words := strings.ReplaceAll(string(similar.Issue.Status), "_", " ")
	if fix := similar.Fix; fix != nil {
		words += " · " + describeFix(fix)
	}
	return fmt.Sprintf("%s · %.0f %% alike", words, similar.Score*whole)
}
