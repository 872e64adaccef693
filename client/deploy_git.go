package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"errand/core"
	"errand/fixes"
)

// The most commits and pull requests that a deploy may name (primary API, Limits).
const (
	maxDeployCommits      = 1000
	maxDeployPullRequests = 100
)

// commitsUnasked is how many commits a deploy names when the server does not say what was deployed last. It is more
// than a deploy usually brings, but not the whole history.
const commitsUnasked = 50

// loggedCommit is a commit from the output of git log.
type loggedCommit struct{ sha, message string }

// findChanges lists the commits since the last deploy from git, with the pull requests that they merge. If no flag names the last
// deployed commit, it asks the server. It returns nothing in a folder without the commit of this deploy.
func (d DeployReport) findChanges(ctx context.Context, c Client, w io.Writer) (commits, pullRequests []string, err error) {
	from, most := d.CommitsFrom, maxDeployCommits
	if from == "" {
		if _, err := d.runGit(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", d.Commit+"^{commit}"); err != nil {
			return nil, nil, nil
		}
		if from, err = d.findLastDeployed(ctx, c); err != nil {
			most = commitsUnasked
			sayUnasked(err, w)
		}
		if !d.hasCommit(ctx, from) {
			d.sayShallow(ctx, from, w)
			from = ""
		}
	}
	logged, err := d.listCommits(ctx, from, most)
	if err != nil {
		return nil, nil, err
	}
	for _, commit := range logged {
		if d.CommitsFrom != "" || !fixes.IsSameCommit(commit.sha, d.Commit) { // reported as the commit of the deploy
			commits = append(commits, commit.sha)
		}
	}
	return commits, d.listPullRequests(ctx, logged), nil
}

// findLastDeployed returns the commit that was last deployed to the environment; empty when there was none. The error
// is the server's reason not to say.
func (d DeployReport) findLastDeployed(ctx context.Context, c Client) (string, error) {
	const most = 100
	input := core.ListReleasesInput{Project: core.ProjectRef(d.Project), Paging: core.Paging{Limit: most}}
	var releases []core.Release
	if err := c.callOperation(ctx, core.ListReleases.Operation, input, &releases, io.Discard); err != nil {
		return "", err
	}
	var last core.Deploy
	for _, release := range releases {
		for _, deploy := range release.Deploys {
			if deploy.Environment == d.Environment && deploy.ID > last.ID {
				last = deploy
			}
		}
	}
	return last.Commit, nil
}

// sayUnasked says what to do when the token may not read what was deployed last. Other errors will appear with the report itself.
func sayUnasked(err error, w io.Writer) {
	var refused *refusedCall
	if errors.As(err, &refused) && refused.status == http.StatusForbidden {
		_, _ = fmt.Fprintf(w, "  The token may not read releases, so it is not known what was deployed last, and the newest %d commits are "+
			"reported: give it the scope %s, or name the last one by --commits-from.\n", commitsUnasked, core.IssuesRead)
	}
}

func (d DeployReport) hasCommit(ctx context.Context, commit string) bool {
	if commit == "" {
		return false
	}
	_, err := d.runGit(ctx, "cat-file", "-e", commit+"^{commit}")
	return err == nil
}

// sayShallow says what to do when the repository lacks commits that were deployed before.
func (d DeployReport) sayShallow(ctx context.Context, last string, w io.Writer) {
	shallow, _ := d.runGit(ctx, "rev-parse", "--is-shallow-repository")
	switch {
	case strings.TrimSpace(shallow) == "true":
		_, _ = fmt.Fprintln(w, "  This clone is shallow, so fixes in older commits may be missed: fetch the whole history "+
			"(git fetch --unshallow; fetch-depth: 0 of actions/checkout).")
	case last != "":
		_, _ = fmt.Fprintf(w, "  The commit that was deployed before, %s, is not in this repository: the newest %d commits are reported.\n",
			last, maxDeployCommits)
	}
}

// listCommits lists the commits since a revision from git, at most a number, newest first; without a revision, the newest.
func (d DeployReport) listCommits(ctx context.Context, from string, most int) ([]loggedCommit, error) {
	revisions := d.Commit
	if from != "" {
		revisions = from + ".." + d.Commit
	}
	count := "--max-count=" + strconv.Itoa(most)
	out, err := d.runGit(ctx, "log", "-z", "--format=%H%n%B", count, "--end-of-options", revisions, "--")
	if err != nil {
		return nil, fmt.Errorf("git log %s: %w", revisions, err)
	}
	var logged []loggedCommit
	for entry := range strings.SplitSeq(out, "\x00") {
		if sha, message, _ := strings.Cut(strings.TrimLeft(entry, "\n"), "\n"); sha != "" {
			logged = append(logged, loggedCommit{sha, message})
		}
	}
	return logged, nil
}

// listPullRequests returns the URLs of the pull requests that commits merge or squash, according to their messages.
func (d DeployReport) listPullRequests(ctx context.Context, logged []loggedCommit) (urls []string) {
	remote, err := d.runGit(ctx, "remote", "get-url", "origin")
	if err != nil {
		return nil
	}
	host, repository, ok := fixes.ParseRemote(remote)
	if !ok {
		return nil
	}
	for _, commit := range logged {
		url := ""
		if number := fixes.FindMergedNumber(commit.message); number != "" {
			url = fixes.PullRequestURL(host, repository, number)
		}
		if project, number := fixes.FindMergeRequest(commit.message); number != "" {
			url = fixes.MergeRequestURL(host, project, number)
		}
		if url != "" && len(urls) < maxDeployPullRequests && !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	return urls
}

// runGit runs git in the folder of the report. The error has the words of git.
func (d DeployReport) runGit(ctx context.Context, args ...string) (string, error) {
	git := exec.CommandContext(ctx, "git", args...)
	git.Dir = d.Dir
	out, err := git.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = errors.New(string(bytes.TrimSpace(failed.Stderr)))
	}
	return string(out), err
}
