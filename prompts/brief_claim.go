package prompts

import (
	"fmt"

	"errand/core"
)

// holding is the relation of a brief's reader to the claim on the issue.
type holding int

const (
	isFree         holding = iota
	isYours                // the reader's token and worker hold it
	isOfYourWorker         // another worker of the reader's token holds it
	isOfOthers
)

// findHolding compares the reader with the holder of the issue.
func (b *brief) findHolding() holding {
	switch {
	case b.Issue.Claim == nil:
		return isFree
	case b.AnyOne || b.Holder == nil || !b.Holder.IsSame(b.Reader):
		return isOfOthers
	case b.Holder.Worker != b.Reader.Worker:
		return isOfYourWorker
	default:
		return isYours
	}
}

// describeClaim says who works on the issue, and where to start when nobody does. nameHolder adds the names.
func (b *brief) describeClaim() string {
	holding := b.findHolding()
	if holding == isFree {
		if b.Reader.Has(core.ClaimIssue.Operation.Scope) {
			return fmt.Sprintf("Nobody has claimed it: start with %s id=%d.", core.ClaimIssue.Operation.Name, b.Issue.ID)
		}
		return "Nobody has claimed it."
	}
	until := minuteOf(b.Issue.Claim.ExpiresAt)
	switch {
	case holding == isYours:
		return fmt.Sprintf("You hold it since %s, %d min left.", minuteOf(b.HeldSince), b.Issue.Claim.MinutesLeft(b.Now))
	case holding == isOfYourWorker && b.Holder.Worker == "":
		return fmt.Sprintf("Your token holds it, without a worker, until %s.", until)
	case holding == isOfYourWorker:
		return fmt.Sprintf("Another worker of your token holds it until %s.", until)
	default:
		return fmt.Sprintf("Claimed by another until %s.", until)
	}
}

// nameHolder names the holder of the issue unless it is the reader; empty when there is nothing to say.
func (b *brief) nameHolder() string {
	if holding := b.findHolding(); holding == isFree || holding == isYours {
		return ""
	}
	claim := b.Issue.Claim
	name := cleanLine(claim.Holder, maxName)
	if claim.Worker != "" {
		name += ", worker " + cleanLine(string(claim.Worker), maxName)
	}
	return "the issue is claimed by " + name + "\n"
}

// claimStep says what to do first about the claim.
func (b *brief) claimStep() step {
	id, holding := b.Issue.ID, b.findHolding()
	switch {
	case b.AnyOne:
		return step{
			fmt.Sprintf("%s id=%d, before anything else: this brief is for whoever claims the issue. The answer claimed means that another "+
				"works on it, and that there is nothing to do here.", core.ClaimIssue.Operation.Name, id),
			fmt.Sprintf("%s id=%d; when that answers claimed, stop.", core.ClaimIssue.Operation.Name, id),
		}
	case holding == isFree:
		return step{
			fmt.Sprintf("%s id=%d, before anything else, so that nobody does the same.", core.ClaimIssue.Operation.Name, id),
			fmt.Sprintf("%s id=%d.", core.ClaimIssue.Operation.Name, id),
		}
	case holding == isYours:
		return step{
			fmt.Sprintf("You hold the claim: go on. Each write renews it, and so does %s id=%d.", core.ClaimIssue.Operation.Name, id),
			"You hold the claim.",
		}
	case holding == isOfYourWorker:
		return step{
			fmt.Sprintf("The claim is that of one worker of your token, which alone goes on; %s has work for the others.",
				core.NextIssueOp.Operation.Name),
			fmt.Sprintf("One worker of your token holds it; others: %s.", core.NextIssueOp.Operation.Name),
		}
	}
	return step{
		fmt.Sprintf("Another holds the issue until %s: do not start. %s has other work.",
			minuteOf(b.Issue.Claim.ExpiresAt), core.NextIssueOp.Operation.Name),
		fmt.Sprintf("Another holds it: %s.", core.NextIssueOp.Operation.Name),
	}
}

// listApprovalSteps says which actions on the issue wait for an admin, and what that means for the reader.
func (b *brief) listApprovalSteps() (steps []step) {
	for _, a := range b.Approvals {
		steps = append(steps, b.explainApproval(a))
	}
	return steps
}

func (b *brief) explainApproval(a core.BriefApproval) step {
	asked := fmt.Sprintf("An action waits for an admin (approval %d, asked %s, ends %s): ",
		a.ID, minuteOf(a.RequestedAt), minuteOf(a.ExpiresAt))
	switch {
	case a.Action == core.HeldIssueAction(core.HoldIgnore):
		return step{
			asked + "to ignore this issue. If it is approved no work on it is wanted: do not start now. If not, the issue is work again.",
			fmt.Sprintf("Approval %d waits: to ignore this issue. Do not start now.", a.ID),
		}
	case int64(a.TargetID) != b.Issue.ID:
		return step{
			asked + fmt.Sprintf("to merge this issue into issue %d. If it is approved, that issue has these events and this one is gone: "+
				"work on that one, not here.", a.TargetID),
			fmt.Sprintf("Approval %d waits: to merge this issue into issue %d. Work there.", a.ID, a.TargetID),
		}
	default:
		return step{
			asked + fmt.Sprintf("to merge %s into this one. It stays; a fix should cover them too.", nameIssues(a.SourceIDs)),
			fmt.Sprintf("Approval %d waits: to merge %s into this one.", a.ID, nameIssues(a.SourceIDs)),
		}
	}
}

// nameIssues names some issues by their ids.
func nameIssues(ids []int64) string {
	names := "issue"
	if len(ids) != 1 {
		names = "issues"
	}
	for i, id := range ids {
		separator := ", "
		if i == 0 {
			separator = " "
		}
		names += fmt.Sprint(separator, id)
	}
	return names
}
