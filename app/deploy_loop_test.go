package app_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/client"
	"errand/core"
)

// gitRepository is a repository of the shop with a main branch.
type gitRepository struct {
	*testing.T
	dir string
}

func openRepository(t *testing.T) gitRepository {
	t.Helper()
	r := gitRepository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	r.git("remote", "add", "origin", "git@github.com:Acme/Shop.git")
	r.commit("Start")
	return r
}

func (r gitRepository) git(args ...string) string {
	r.Helper()
	command := exec.CommandContext(r.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	command.Dir = r.dir
	out, err := command.CombinedOutput()
	require.NoError(r, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// commit changes a new file and commits it with the message.
func (r gitRepository) commit(message string) (sha string) {
	r.Helper()
	name, _, _ := strings.Cut(regexp.MustCompile(`[^a-z]`).ReplaceAllString(strings.ToLower(message), ""), "\n")
	require.NoError(r, os.WriteFile(filepath.Join(r.dir, name), []byte(message), 0o600))
	r.git("add", "-A")
	r.git("commit", "-q", "-m", message)
	return r.head()
}

func (r gitRepository) head() string {
	r.Helper()
	return r.git("rev-parse", "HEAD")
}

// squash commits the changes of a branch as one commit on main, as GitHub does.
func (r gitRepository) squash(branch, message string) string {
	r.Helper()
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--squash", branch)
	r.git("commit", "-q", "-m", message)
	return r.head()
}

// push reports the commits of main since a commit to the webhook, as GitHub does.
func (s *scmShop) pushMain(r gitRepository, since string) {
	s.Helper()
	var commits []string
	for sha := range strings.FieldsSeq(r.git("rev-list", "--reverse", since+"..HEAD")) {
		commits = append(commits, commitOf(sha, r.git("log", "-1", "--format=%B", sha)))
	}
	s.sendReport("push", fmt.Sprintf(`{"ref": "refs/heads/main", "before": %q, "after": %q, "forced": false, "commits": [%s], %s}`,
		since, r.head(), strings.Join(commits, ","), shopRepository))
}

// addIssue makes a new issue for the kind.
func (s *scmShop) addIssue(kind string) int64 {
	s.Helper()
	body := fmt.Sprintf(`{"message": %q, "platform": "go", "fingerprint": [%q]}`, kind, kind)
	got := s.sendRequest(s.Context(), http.MethodPost, "/v1/ingest", s.key, strings.NewReader(body))
	require.Equal(s, http.StatusOK, got.status, got.body)
	var issues []struct{ ID int64 }
	s.getJSON(s.T, "/v1/issues?search="+kind, &issues)
	require.Len(s, issues, 1)
	return issues[0].ID
}

// deployByCommand reports a deploy of the checked-out commit, as `errand deploy` does.
func (s *scmShop) deployByCommand(r gitRepository) (core.ReportedDeploy, string) {
	s.Helper()
	var said strings.Builder
	report := client.DeployReport{Project: "web-shop", Commit: r.head(), Environment: "production", Dir: r.dir}
	reported, err := report.Send(s.Context(), client.Client{URL: "http://" + s.Addr(), Token: adminToken}, &said)
	require.NoError(s, err)
	return reported, said.String()
}

// fixInEveryWay links one fix for each way that agents and people use to get a fix into main, and returns the issues.
func fixInEveryWay(s *scmShop, r gitRepository) core.List[int64] {
	s.Helper()
	before := r.head()
	first, second := s.addIssue("first"), s.addIssue("second")
	squashed, branched, named, merged := s.addIssue("squashed"), s.addIssue("branched"), s.addIssue("named"), s.addIssue("merged")
	link := func(issue int64, field, ref string) {
		s.postAsAdmin(s.T, fmt.Sprintf("/v1/issues/%d/fix", issue), fmt.Sprintf(`{%q: %q}`, field, ref))
	}
	link(first, "commit", r.commit("Fix the first")[:9])
	link(second, "commit", r.commit("Fix the second"))

	r.git("checkout", "-q", "-b", "squashed")
	r.commit("Fix what is squashed")
	link(squashed, "pr_url", "https://github.com/acme/shop/pull/7")
	r.squash("squashed", "Fix the cart (#7)")

	r.git("checkout", "-q", "-b", "branched")
	onBranch := r.commit("Fix on a branch")
	link(branched, "commit", onBranch)
	merge := r.squash("branched", "Fix the cart once more (#42)")
	s.sendReport("pull_request", pullRequestOf("closed", "Cart", "", strings.Replace(fromRepository, fixCommit, onBranch, 1)+
		fmt.Sprintf(`, "merged": true, "merge_commit_sha": %q`, merge)))

	r.commit(fmt.Sprintf("Fix by a name\n\nErrand-Issue: %d\n", named))
	r.git("checkout", "-q", "-b", "merged")
	link(merged, "commit", r.commit("Fix what is merged"))
	r.git("checkout", "-q", "main")
	r.commit("Something else")
	r.git("merge", "-q", "--no-ff", "-m", "Merge pull request #9 from acme/merged", "merged")
	s.pushMain(r, before)
	return core.List[int64]{first, second, squashed, branched, named, merged}
}

// TestNoFixWaitsUnseen checks that the next deploy by the command brings every fix that agents linked, however it reached main.
func TestNoFixWaitsUnseen(t *testing.T) {
	t.Parallel()
	s, r := openSCMShop(t), openRepository(t)
	s.deployByCommand(r)
	issues := fixInEveryWay(s, r)
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", s.issue), `{"pr_url": "https://github.com/acme/shop/pull/77"}`)

	reported, said := s.deployByCommand(r)

	require.ElementsMatch(t, issues, reported.FixesDeployed)
	require.Len(t, reported.FixesWaiting, 1)
	const waiting = "https://github.com/acme/shop/pull/77"
	require.Equal(t, []any{s.issue, waiting}, []any{reported.FixesWaiting[0].IssueID, reported.FixesWaiting[0].Ref})
	require.Empty(t, said)
	var text strings.Builder
	require.NoError(t, client.PrintDeploy(&text, reported))
	require.Contains(t, text.String(), fmt.Sprintf("The fix of issue %d waits still: no deploy named %s.\n", s.issue, waiting))

	again, _ := s.deployByCommand(r)
	require.Equal(t, reported.FixesWaiting, again.FixesWaiting)
}

// TestDeployCommandInAShallowClone checks the advice for a shallow clone, for a token that may only report, and for an unknown host.
func TestDeployCommandInAShallowClone(t *testing.T) {
	t.Parallel()
	s, r := openSCMShop(t), openRepository(t)
	s.deployByCommand(r)
	s.linkCommit(r.commit("Fix it (#3)"))
	r.commit("Something else")
	shallow := gitRepository{t, t.TempDir()}
	shallow.git("clone", "-q", "--depth", "1", "file://"+r.dir, ".")

	reported, said := s.deployByCommand(shallow)
	require.Empty(t, reported.FixesDeployed)
	require.Contains(t, said, "fetch-depth: 0")

	token := s.postAsAdmin(t, "/v1/tokens", `{"name": "ci", "scopes": ["releases:write"], "project": "web-shop"}`)["token"].(string)
	r.git("remote", "set-url", "origin", "https://git.example/acme/shop.git")
	var text strings.Builder
	report := client.DeployReport{Project: "web-shop", Commit: r.head(), Environment: "production", Dir: r.dir}
	reported, err := report.Send(t.Context(), client.Client{URL: "http://" + s.Addr(), Token: core.Secret(token)}, &text)
	require.NoError(t, err)
	require.Equal(t, core.List[int64]{s.issue}, reported.FixesDeployed, "the whole log, without what was deployed last")
	require.Contains(t, text.String(), "The pull requests of the log are left out")
	require.NotContains(t, text.String(), token)
}

// TestDeployByATokenThatMayNotRead checks that the command says so, and names the newest commits instead of the whole history.
func TestDeployByATokenThatMayNotRead(t *testing.T) {
	t.Parallel()
	s, r := openSCMShop(t), openRepository(t)
	old := r.commit("Long before")
	for n := range 60 {
		r.commit(fmt.Sprintf("Change %d", n))
	}
	fix := r.commit("Fix it")
	r.commit("The last")
	s.linkCommit(old)
	other := s.addIssue("other")
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", other), fmt.Sprintf(`{"commit": %q}`, fix))
	token := s.postAsAdmin(t, "/v1/tokens", `{"name": "ci", "scopes": ["releases:write"], "project": "web-shop"}`)["token"].(string)
	report := client.DeployReport{Project: "web-shop", Commit: r.head(), Environment: "production", Dir: r.dir}
	var text strings.Builder

	reported, err := report.Send(t.Context(), client.Client{URL: "http://" + s.Addr(), Token: core.Secret(token)}, &text)

	require.NoError(t, err)
	require.Equal(t, core.List[int64]{other}, reported.FixesDeployed)
	require.Contains(t, text.String(), "The token may not read releases")
	require.Contains(t, text.String(), "issues:read")
	require.Contains(t, text.String(), "--commits-from")

	report.Environment = "staging" // it had no deploy, so the whole history is new there
	text.Reset()
	reported, err = report.Send(t.Context(), client.Client{URL: "http://" + s.Addr(), Token: adminToken}, &text)
	require.NoError(t, err)
	require.Contains(t, reported.FixesDeployed, s.issue)
	require.Empty(t, text.String())
}

// TestDeployScriptOfTheGuide runs the script from the guide with the agent's token of a setup.
func TestDeployScriptOfTheGuide(t *testing.T) {
	t.Parallel()
	s, r := openSCMShop(t), openRepository(t)
	guide := s.sendRequest(t.Context(), http.MethodGet, "/v1/setup/guide?platform=go&project=web-shop", "", nil)
	script := regexp.MustCompile("(?s)```sh deploy.sh\\\\n(.*?)```").FindStringSubmatch(guide.body)
	require.NotNil(t, script, guide.body)
	text := strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\\`, `\`, `\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(script[1])
	text = strings.ReplaceAll(text, "https://errand.example", "http://"+s.Addr())
	made := s.postAsAdmin(t, "/v1/setup/tokens", `{"name": "ci", "project": "web-shop", "deploys": true, "only_project": true}`)
	require.Equal(t, []any{"issues:read", "issues:write", "releases:write"}, made["scopes"])
	run := func(with ...string) string {
		shell := exec.CommandContext(t.Context(), with[0], append(with[1:], "-c", text)...) //nolint:gosec // the script of the guide
		shell.Dir = r.dir
		shell.Env = append(os.Environ(), "ERRAND_TOKEN="+made["token"].(string))
		out, err := shell.CombinedOutput()
		require.NoError(t, err, "%s\n%s", out, text)
		return string(out)
	}
	run("sh", "-e")
	issues := fixInEveryWay(s, r)
	answer := run("bash", "-eo", "pipefail") // like CI

	for _, issue := range issues {
		require.Regexp(t, fmt.Sprintf(`"fixes_deployed":\[[^]]*\b%d\b`, issue), answer)
	}
	require.Contains(t, answer, `"fixes_waiting":[]`)
	s.postAsAdmin(t, "/v1/projects", `{"name": "Other"}`)
	report := client.DeployReport{Project: "other", Commit: r.head(), Environment: "production", Dir: r.dir}
	_, err := report.Send(t.Context(), client.Client{URL: "http://" + s.Addr(), Token: core.Secret(made["token"].(string))}, io.Discard)
	require.ErrorContains(t, err, "404 Not Found: project_not_found")
}
