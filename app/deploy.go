package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"errand/core"
)

// DeployReport is a deploy as a CI script reports it: `errand deploy`.
type DeployReport struct {
	Project      string   `required:"" help:"Public id or slug of the app."`
	Commit       string   `required:"" help:"SHA of the deployed commit."`
	Release      string   `help:"The version, as the app's events name it; by default the commit."`
	Environment  string   `default:"production" help:"Where it was deployed, as the app's events name it."`
	Commits      []string `help:"SHAs of the commits since the deploy before, separated by commas."`
	CommitsFrom  string   `name:"commits-from" placeholder:"REVISION" help:"What was deployed before: git log says what is new."`
	PullRequests []string `name:"pull-request" help:"URL of a pull request that the deploy brings; repeat the flag or separate with commas."`

	Dir string `kong:"-"` // where git runs; empty for the current folder
}

// maxDeployCommits is how many commits a deploy may have (primary API, Limits).
const maxDeployCommits = 1000

// Send reports the deploy to a running Errand, and says on w when it has to try again.
func (d DeployReport) Send(ctx context.Context, c Client, w io.Writer) (core.ReportedDeploy, error) {
	var reported core.ReportedDeploy
	if err := c.check(); err != nil { // before git is asked
		return reported, err
	}
	input := core.CreateDeployInput{
		Project: core.ProjectRef(d.Project), Commit: d.Commit, Release: d.Release, Environment: d.Environment,
		Commits: d.Commits, PullRequests: d.PullRequests,
	}
	if d.CommitsFrom != "" {
		logged, err := d.listCommits(ctx)
		if err != nil {
			return reported, err
		}
		input.Commits = append(input.Commits, logged...)
	}
	if len(input.Commits) > maxDeployCommits {
		return reported, fmt.Errorf("a deploy has at most %d commits, not %d", maxDeployCommits, len(input.Commits))
	}
	err := c.callOperation(ctx, core.CreateDeploy.Operation, input, &reported, w)
	return reported, err
}

// listCommits asks git for the commits since the deploy before, the newest if there are too many.
func (d DeployReport) listCommits(ctx context.Context) ([]string, error) {
	revisions := d.CommitsFrom + ".." + d.Commit
	count := "--max-count=" + strconv.Itoa(maxDeployCommits)
	git := exec.CommandContext(ctx, "git", "log", "--format=%H", count, "--end-of-options",
		revisions, "--")
	git.Dir = d.Dir
	out, err := git.Output()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return nil, fmt.Errorf("git log %s: %s", revisions, bytes.TrimSpace(failed.Stderr))
	case err != nil:
		return nil, fmt.Errorf("git log: %w", err)
	}
	return strings.Fields(string(out)), nil
}

// PrintDeploy says what was reported, and which fixes are live now.
func PrintDeploy(w io.Writer, d core.ReportedDeploy) error {
	text := fmt.Sprintf("Reported: release %s in %s (commit %s).\n", d.Release, d.Environment, d.Commit)
	for _, issue := range d.FixesDeployed {
		text += fmt.Sprintf("It contains the fix of issue %d.\n", issue)
	}
	_, err := io.WriteString(w, text)
	return err
}
