package prompts

import (
	"fmt"
	"strings"
	"time"

	"errand/core"
)

// listRest lists releases, deploys, counts, triage and other changes of the issue.
func (b *brief) listRest() []piece {
	var pieces []piece
	if text := b.describeTags(); text != "" {
		pieces = append(pieces, makeFenced(text).named("count of tags"))
	}
	if text := b.describeDeploys(); text != "" {
		pieces = append(pieces, makePiece(text).named("list of deploys"))
	}
	if text := b.describeReleases(); text != "" {
		pieces = append(pieces, makeFenced(text).named("list of releases"))
	}
	const worthHours = 3
	if b.Issue.Events7d > worthHours {
		pieces = append(pieces, makePiece(b.describeHours()).named("count by hour"))
	}
	pieces = append(pieces, makePiece(b.describeTriage()).named("triage"))
	for i := range b.History {
		a := &b.History[i]
		pieces = append(pieces, makePiece(fmt.Sprintf("- %s: %s by %s%s", minuteOf(a.At), strings.TrimPrefix(string(a.Action), "issue."),
			describeActor(a), describeChange(a))).named("earlier change"))
	}
	return pieces
}

// describeDeploys says which deploy first brought the error, and what was deployed last.
func (b *brief) describeDeploys() string {
	var text strings.Builder
	if first := b.FirstDeploy; first != nil {
		fmt.Fprintf(&text, "The first release with it was deployed %s as commit %s.", minuteOf(first.DeployedAt), shortenCommit(first.Commit))
		if before := b.BeforeFirst; before != nil && before.Commit != first.Commit {
			fmt.Fprintf(&text, " Commit %[1]s ran before: if the release brought the error, it is in `git log %[1]s..%[2]s`.",
				shortenCommit(before.Commit), shortenCommit(first.Commit))
		}
		text.WriteString("\n")
	}
	if len(b.Deploys) > 0 {
		text.WriteString("Latest deploys:")
		for i, d := range b.Deploys {
			if i > 0 {
				text.WriteString(",")
			}
			fmt.Fprintf(&text, " %s %s", shortenCommit(d.Commit), minuteOf(d.DeployedAt))
		}
		text.WriteString("\n")
	}
	return text.String()
}

// describeReleases names the releases and environments that have the error.
func (b *brief) describeReleases() string {
	text := joinFacts([]fact{{"first release", b.Issue.FirstRelease}, {"last release", b.Issue.LastRelease}})
	if len(b.Releases) > 1 {
		text += "seen in releases " + joinNames(b.Releases) + "\n"
	}
	if len(b.Environments) > 0 {
		text += "environments " + joinNames(b.Environments) + "\n"
	}
	if len(b.Deploys) > 0 {
		d := &b.Deploys[0]
		text += "last deployed: release " + cleanLine(string(d.Release), maxName) + " to " + cleanLine(d.Environment, maxName) + "\n"
	}
	return text
}

func joinNames(names []core.Untrusted) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = cleanLine(string(name), maxName/2)
	}
	return strings.Join(list, ", ")
}

// describeHours says how many events there were, by hour for the last day and by day for the last week.
func (b *brief) describeHours() string {
	const day = 24
	var hours [day]int64
	var days [7]int64
	for _, h := range b.Hours {
		age := int(b.Now.Sub(h.Hour.Time) / time.Hour)
		if age >= 0 && age < day {
			hours[day-1-age] += h.Events
		}
		if age >= 0 && age < day*len(days) {
			days[len(days)-1-age/day] += h.Events
		}
	}
	return fmt.Sprintf("Events by hour of the last 24, oldest first: %s. By day of the last 7: %s.",
		joinNumbers(hours[:]), joinNumbers(days[:]))
}

func joinNumbers(numbers []int64) string { return strings.Trim(fmt.Sprint(numbers), "[]") }

// describeTriage says what kind of error it is.
func (b *brief) describeTriage() string {
	t := &b.Issue.Triage
	text := fmt.Sprintf("Triage by %s, confidence %.2g: %s, severity %d of 3", t.Model, t.Confidence, t.Category, t.Severity)
	for _, word := range []struct {
		is   bool
		text string
	}{{t.Transient, ", may go away by itself"}, {t.Noise, ", noise"}, {t.AgentFixable, ", fixable in the code"},
		{!t.AgentFixable, ", perhaps not fixable in the code"}} {
		if word.is {
			text += word.text
		}
	}
	text += "."
	if t.CorrectedBy != "" {
		text += " Corrected by hand."
	}
	return text + " " + strings.Join(t.Reasons, " ")
}

// describeActor says who made a change. It leaves out names that others chose: list_issue_activity has them, marked.
func describeActor(a *core.Activity) string {
	switch a.ActorType {
	case core.ActorSystem:
		return cleanLine(a.ActorName, maxName)
	case core.ActorUser:
		return "a person"
	case core.ActorAdminToken:
		return "the admin"
	default:
		return "a token"
	}
}

// describeChange names the old and the new status of a change.
func describeChange(a *core.Activity) string {
	var data struct{ From, To core.Status }
	if readData(a, &data) && data.From != "" && data.To != "" {
		return fmt.Sprintf(" (%s to %s)", cleanLine(string(data.From), 20), cleanLine(string(data.To), 20))
	}
	return ""
}
