package prompts

import (
	"fmt"
	"strings"
	"time"

	"errand/core"
)

// step proposes something to do next.
type step struct {
	text  string
	short string // for when room is short; empty to leave it out
}

// listSteps says what to do next, with operations that the reader may call and the ids of this issue.
func (b *brief) listSteps() []step {
	var steps []step
	if text := b.describeStatus(); text != "" {
		steps = append(steps, step{text, text})
	}
	steps = append(steps, b.listApprovalSteps()...)
	id := b.Issue.ID
	if !b.Reader.Has(core.LinkFix.Operation.Scope) {
		return append(steps,
			step{"Find the cause in the source code. Write a test that fails because of it, then the smallest fix.",
				"Find the cause and fix it."},
			step{fmt.Sprintf("Your token cannot claim issue %d nor link a fix to it: hand the fix over to somebody who can.", id),
				fmt.Sprintf("Your token only reads: hand the fix of issue %d over.", id)},
		)
	}
	return append(steps, b.claimStep(),
		step{"Find the cause in the source code. Write a test that fails because of it, then the smallest fix that makes it pass.",
			"Fix it, with a test that fails without the fix."},
		step{fmt.Sprintf("%s id=%d with commit or pr_url, note (the cause, and what you changed) and release=true. Put the line "+
			"\"Errand-Issue: %d\" into the commit or pull request too. Its deploy starts the watch: verified or regressed.",
			core.LinkFix.Operation.Name, id, id),
			fmt.Sprintf("%s id=%d with commit or pr_url, note and release=true; \"Errand-Issue: %d\" in the commit.",
				core.LinkFix.Operation.Name, id, id)},
		step{fmt.Sprintf("If this code cannot fix it: %s where the triage is wrong, then %s id=%d with note: what you found.",
			core.CorrectTriage.Operation.Name, core.ReleaseIssue.Operation.Name, id),
			fmt.Sprintf("If you cannot: %s id=%d with note.", core.ReleaseIssue.Operation.Name, id)},
	)
}

// describeStatus says what the status of the issue means for a reader who starts now; empty where that is plain.
func (b *brief) describeStatus() string {
	switch b.Issue.Status {
	case core.Regressed:
		return "The last fix did not hold: see why before you fix anew."
	case core.FixPending:
		if b.Issue.Fix != nil && !b.Issue.Fix.DeployedAt.IsZero() {
			return fmt.Sprintf("A fix is deployed and watched until %s: wait for that, unless you know that it is wrong.",
				minuteOf(b.Issue.Fix.VerifyAfter))
		}
		if b.Issue.Fix != nil && b.Issue.Fix.Overdue != nil {
			return b.describeOverdue(b.Issue.Fix)
		}
		return "A fix is linked and waits for its deploy: there is nothing to do, unless you know that it is wrong."
	case core.Resolved, core.Verified:
		return fmt.Sprintf("The issue is %s: there is nothing to do, unless the error comes back.", b.Issue.Status)
	case core.Ignored:
		return "The issue is ignored: somebody decided that it is not worth work. Ask before you start."
	default:
		return ""
	}
}

// describeOverdue says why an issue whose fix waits for its deploy is work again, and what to look at first.
func (b *brief) describeOverdue(f *core.Fix) string {
	return fmt.Sprintf("The fix (%s) is overdue: linked %s ago; %s since %s not name it; %s since. See whether it was deployed: if so, "+
		"report that deploy again with its commit or pull request (%s); if it waits for review or was dropped, finish it; "+
		"else fix the error anew and link that.",
		refOf(f), describeSpan(b.Now.Sub(f.LinkedAt.Time)), countThings(f.Overdue.Deploys, "deploy"), doOf(f.Overdue.Deploys),
		countThings(f.Overdue.Events, "event"), core.CreateDeploy.Operation.Name)
}

// describeSpan writes a duration in its largest unit, such as 3 days.
func describeSpan(span time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case span >= day:
		return countThings(int64(span/day), "day")
	case span >= time.Hour:
		return countThings(int64(span/time.Hour), "hour")
	default:
		return countThings(int64(max(0, span)/time.Minute), "minute")
	}
}

func doOf(n int64) string {
	if n == 1 {
		return "does"
	}
	return "do"
}

// renderSteps writes the steps, in short when the whole brief has little room.
func renderSteps(steps []step, limit int) string {
	const longFrom = 6000 // steps are short below this weight of the whole brief
	var text strings.Builder
	text.WriteString("\n## What to do next\n")
	number := 0
	for _, s := range steps {
		line := s.text
		if limit < longFrom {
			line = s.short
		}
		if line != "" {
			number++
			fmt.Fprintf(&text, "%d. %s\n", number, line)
		}
	}
	return text.String()
}
