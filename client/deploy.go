package client

import (
	"context"
	"fmt"
	"io"
	"slices"

	"errand/core"
)

// DeployReport is a deploy for a CI script to report: `errand deploy`.
type DeployReport struct {
	Project      string   `required:"" help:"Public id or slug of the app."`
	Commit       string   `required:"" help:"SHA of the deployed commit."`
	Release      string   `help:"The version, as the app's events name it; by default the commit."`
	Environment  string   `default:"production" help:"Where it was deployed, as the app's events name it."`
	Commits      []string `help:"SHAs of the commits since the last deploy, separated by commas; by default from git log."`
	CommitsFrom  string   `name:"commits-from" placeholder:"REVISION" help:"The last deployed commit; by default the server is asked."`
	PullRequests []string `name:"pull-request" help:"URL of a pull request that the deploy brings; repeat the flag or separate with commas."`

	Dir string `kong:"-"` // folder for git; empty for the current one
}

// Send reports the deploy to a running Errand, and announces repeated tries on w.
func (d DeployReport) Send(ctx context.Context, c Client, w io.Writer) (core.ReportedDeploy, error) {
	var reported core.ReportedDeploy
	if err := c.check(); err != nil { // before running git
		return reported, err
	}
	input := core.CreateDeployInput{
		Project: core.ProjectRef(d.Project), Commit: d.Commit, Release: d.Release, Environment: d.Environment,
		Commits: d.Commits, PullRequests: d.PullRequests,
	}
	var found []string // pull requests that were found, not named
	if d.CommitsFrom != "" || len(d.Commits) == 0 {
		var logged []string
		var err error
		if logged, found, err = d.findChanges(ctx, c, w); err != nil {
			return reported, err
		}
		input.Commits = append(input.Commits, logged...)
		input.PullRequests = joinPullRequests(d.PullRequests, found)
	}
	if len(input.Commits) > maxDeployCommits {
		return reported, fmt.Errorf("a deploy has at most %d commits, not %d", maxDeployCommits, len(input.Commits))
	}
	err := c.callOperation(ctx, core.CreateDeploy.Operation, input, &reported, w)
	if err != nil && len(found) > 0 && refusesIn(err, "pull_requests") { // from a host that the server does not know
		_, _ = fmt.Fprintf(w, "  The pull requests of the log are left out: %v\n", err)
		input.PullRequests = d.PullRequests
		err = c.callOperation(ctx, core.CreateDeploy.Operation, input, &reported, w)
	}
	return reported, err
}

// joinPullRequests returns the named pull requests, and as many found ones as a deploy may have.
func joinPullRequests(named, found []string) []string {
	for _, url := range found {
		if len(named) < maxDeployPullRequests && !slices.Contains(named, url) {
			named = append(slices.Clone(named), url)
		}
	}
	return named
}

// PrintDeploy prints what was reported, and which fixes are live now.
func PrintDeploy(w io.Writer, d core.ReportedDeploy) error {
	text := fmt.Sprintf("Reported: release %s in %s (commit %s).\n", d.Release, d.Environment, d.Commit)
	for _, issue := range d.FixesDeployed {
		text += fmt.Sprintf("It contains the fix of issue %d.\n", issue)
	}
	for _, fix := range d.FixesWaiting {
		text += fmt.Sprintf("The fix of issue %d waits still: no deploy named %s.\n", fix.IssueID, fix.Ref)
	}
	_, err := io.WriteString(w, text)
	return err
}
