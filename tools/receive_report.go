package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"errand/core"
	"errand/fixes"
	"errand/scrub"
	"errand/store"
)

// scmActor is the actor of changes that source control reports.
var scmActor = core.NewSystemActor("scm")

const (
	// maxLinksOfReport is how many issues one report links at most: a push of thousands of commits must not hold the locks
	// of the project for long.
	maxLinksOfReport   = 100
	defaultEnvironment = "production"
)

// ReceiveReport does what a report of the source-control webhook asks for, once, and returns its answer. A report
// that asks for something impossible is ignored with a reason: the sender is a program, which cannot mend it.
func (t *Tools) ReceiveReport(ctx context.Context, d core.SCMReport) (core.SCMAnswer, error) {
	change, reason := t.readReport(d)
	if reason != "" {
		isDuplicate, err := t.store.RememberReport(ctx, d.Keys)
		return ignoreReport(reason, isDuplicate), err
	}
	outcome, err := t.store.ReceiveReport(ctx, scmActor, change)
	switch {
	case err != nil:
		return core.SCMAnswer{}, err
	case outcome.IsDuplicate:
		return core.SCMAnswer{OK: true, Duplicate: true}, nil
	case outcome.Projects == 0:
		return ignoreReport(t.explainNoProject(d, change.Repository), false), nil
	}
	answer := core.SCMAnswer{
		OK: true, Projects: outcome.Projects, Linked: outcome.Linked, Kept: outcome.Kept, GivenBack: outcome.GivenBack,
	}
	switch {
	case d.Push != nil:
		commits := len(d.Push.Commits)
		answer.Commits = &commits
	case d.Deployment != nil:
		return core.SCMAnswer{OK: true, Deploys: outcome.Deploys}, nil
	case d.PullRequest.Change == core.SCMMerged:
		answer.Merged = change.PullRequest
	case d.PullRequest.Change == core.SCMClosed && len(outcome.Noted)+len(outcome.GivenBack) > 0:
		answer.Closed = change.PullRequest
	case d.PullRequest.Change == core.SCMClosed:
		return ignoreReport("the pull request was closed without being merged, and no fix waits for it", false), nil
	case len(outcome.Linked)+len(outcome.GivenBack) == 0:
		ignored := ignoreReport(explainNoLink(change, outcome), false)
		ignored.Kept = outcome.Kept
		return ignored, nil
	}
	return answer, nil
}

func ignoreReport(reason string, isDuplicate bool) core.SCMAnswer {
	if isDuplicate {
		return core.SCMAnswer{OK: true, Duplicate: true}
	}
	return core.SCMAnswer{OK: true, Ignored: reason}
}

// explainNoLink says why a pull request was linked to nothing.
func explainNoLink(change store.RepositoryChange, outcome store.SCMOutcome) string {
	switch {
	case len(outcome.Kept) > 0:
		return "the issues that the pull request names keep the fix they have"
	case len(change.Links) == 0 && len(change.Named) > 0:
		return "the pull request is of a fork, and its author is no owner, member or collaborator: what it names counts once it is merged"
	}
	return "the pull request names no issue of a project with this repository that it is not linked to already, or has changed since"
}

// explainNoProject says why a report concerns no project.
func (t *Tools) explainNoProject(d core.SCMReport, repository string) string {
	if repository == "" && slices.ContainsFunc(d.Repository, func(name string) bool { return name != "" }) {
		return "the repository is not one on " + strings.Join(t.scmHosts, " or ") + " (SCM_HOST)"
	}
	return "no project has this repository"
}

// readReport applies the rules of fixes to a report. It returns a reason when the report is ignored.
func (t *Tools) readReport(d core.SCMReport) (change store.RepositoryChange, reason string) {
	change = store.RepositoryChange{Keys: d.Keys}
	if d.Ignored != "" {
		return change, d.Ignored
	}
	repository, host, ok := t.scmHosts.ParseRepository(cmp.Or(d.Repository...))
	if !ok {
		return change, "" // no project has the repository
	}
	change.Repository = repository
	switch {
	case d.Push != nil:
		t.readPush(&change, host, *d.Push)
	case d.PullRequest != nil:
		reason = t.readPullRequest(&change, host, *d.PullRequest)
	case d.Deployment != nil:
		reason = readDeployment(&change, *d.Deployment)
	}
	return change, reason
}

// readPush finds the issues that commits name, the commits that others take back, and the pull requests that they merge. Of several
// commits that name an issue the last one is its fix.
func (t *Tools) readPush(change *store.RepositoryChange, host string, push core.SCMPush) {
	change.Steps = listSteps(push)
	if push.IsQueued {
		return
	}
	if !push.OnDefaultBranch {
		change.Branch = push.Branch
	}
	markers := fixes.NewIssueMarkers(t.store.Settings().BaseURL)
	isNamed := map[int64]bool{}
	for _, c := range slices.Backward(push.Commits) {
		commit, err := fixes.ParseCommit(c.SHA)
		if err != nil {
			continue
		}
		if number := fixes.FindMergedNumber(c.Message); number != "" && push.OnDefaultBranch {
			url := fixes.PullRequestURL(host, change.Repository, number)
			change.Merges = append(change.Merges, store.MergedPullRequest{URL: url, Commit: commit, IsInferred: true})
		}
		isOld := c.WasPushed && !push.OnDefaultBranch
		isReverted := slices.ContainsFunc(change.Reverted, func(other string) bool { return fixes.IsSameCommit(other, commit) })
		if isOld || isReverted {
			continue
		}
		if len(change.Reverted) < maxLinksOfReport {
			change.Reverted = append(change.Reverted, fixes.FindReverted(c.Message)...)
		}
		for _, id := range markers.FindIssues(c.Message) {
			if isNamed[id] || len(change.Links) == maxLinksOfReport {
				continue
			}
			isNamed[id] = true
			fix := store.NewFix{Kind: core.FixByCommit, Ref: commit, Branch: change.Branch}
			// A commit on a branch may be squashed, and is then never deployed. One from another branch may be merged back.
			keeps := !push.OnDefaultBranch || c.WasPushed
			change.Links = append(change.Links, store.NamedFix{NewFix: fix, Issues: []int64{id}, KeepsCalled: keeps, KeepsLanded: keeps})
		}
	}
	slices.Reverse(change.Merges)
	slices.SortFunc(change.Links, func(a, b store.NamedFix) int { return cmp.Compare(a.Issues[0], b.Issues[0]) }) // the locking order
}

func listSteps(push core.SCMPush) []fixes.Step {
	pushed := fixes.Push{Before: push.Before, After: push.After}
	for _, c := range push.Commits {
		pushed.Commits = append(pushed.Commits, fixes.PushedCommit{SHA: c.SHA, Message: c.Message, WasPushed: c.WasPushed})
	}
	return pushed.ListSteps()
}

func (t *Tools) readPullRequest(change *store.RepositoryChange, host string, request core.SCMPullRequest) (reason string) {
	text := request.URL
	if rest, isPlain := strings.CutPrefix(text, "http://"); isPlain { // the host has no TLS, and its name is enough
		text = "https://" + rest
	}
	if text == "" {
		text = fixes.PullRequestURL(host, change.Repository, fmt.Sprint(request.Number))
	}
	url, err := t.scmHosts.ParsePullRequest(text, change.Repository)
	if err != nil {
		return "the URL of the pull request " + strings.Replace(err.Error(), "project's repository", "repository that reports it", 1)
	}
	change.PullRequest, change.ChangedAt = url, request.ChangedAt
	change.Branch = request.Branch
	change.IsClosed, change.IsEdited = request.Change == core.SCMClosed, request.Change == core.SCMEdited
	if change.IsClosed {
		return ""
	}
	change.Named = fixes.NewIssueMarkers(t.store.Settings().BaseURL).FindIssues(request.Title + "\n" + request.Body)
	isBelieved := request.IsTrusted || request.Change == core.SCMMerged // somebody with write access is behind it
	if isBelieved && len(change.Named) > 0 {
		fix := store.NewFix{Kind: core.FixByPullRequest, Ref: url}
		change.Links = []store.NamedFix{{NewFix: fix, Issues: change.Named, KeepsCalled: true, KeepsLanded: request.OntoOtherBranch}}
	}
	commit, err := fixes.ParseCommit(request.MergeCommit)
	if request.Change == core.SCMMerged && err == nil {
		head, _ := fixes.ParseCommit(request.Head) // empty when it is not a commit
		merge := store.MergedPullRequest{URL: url, Commit: commit, Head: head}
		if !request.OntoOtherBranch {
			merge.Named, merge.Branch = change.Named, request.Branch
		}
		change.Merges = []store.MergedPullRequest{merge}
	}
	return ""
}

func readDeployment(change *store.RepositoryChange, deployment core.SCMDeployment) (reason string) {
	commit, err := fixes.ParseCommit(deployment.Commit)
	if err != nil {
		return "the commit of the deployment " + err.Error()
	}
	environment := cmp.Or(deployment.Environment, defaultEnvironment)
	if scrub.CleanEnvironment(environment) == "" { // the store cleans the name otherwise, as for every deploy
		return "the environment of the deployment must not be blank"
	}
	change.Deploy = &store.NewDeploy{Release: commit, Environment: environment, Commit: commit, Source: core.DeployedBySCM}
	return ""
}
