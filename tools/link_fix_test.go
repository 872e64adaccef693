package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// openFix is a fix that has just been linked.
var openFix = object{
	"kind": "commit", "commit": fixCommit, "pr_url": nil, "linked_by": writer.Name, "linked_at": noonText, "release": nil, "environment": nil,
	"deployed_at": nil, "verify_after": nil, "outcome": nil, "overdue": nil, "verified_at": nil, "regressed_at": nil, "regressed_in": nil,
	"unknown_releases": []any{},
}

func TestLinkFix(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := h.addEvent("boom")

	linked := h.callData(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "commit": %q}`, issue, strings.ToUpper(fixCommit)))

	require.Equal(t, "fix_pending", linked["status"])
	require.Equal(t, openFix, linked["fix"])
	require.Equal(t, linked, h.showIssue(issue))
	row := h.latestActivity(issue)
	require.Equal(t, core.ActionIssueFix, row.Action)
	require.JSONEq(t, `{"kind": "commit", "ref": "`+fixCommit+`", "from": "unresolved", "to": "fix_pending"}`, string(row.Data))
}

func TestLinkPullRequest(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := h.addEvent("boom")

	linked := h.callData(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "pr_url": "https://GitHub.com/Acme/Shop/pull/42"}`, issue))

	want := withChanges(openFix, object{"kind": "pull_request", "commit": nil, "pr_url": pullRequest})
	require.Equal(t, want, linked["fix"])
}

func TestLinkFixRefuses(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := h.addEvent("boom")
	h.changeRows(`UPDATE projects SET repository = 'acme/shop'`)
	for name, test := range map[string]struct{ fields, path string }{
		"nothing":                  {``, ""},
		"both":                     {`, "commit": "abc1234", "pr_url": "` + pullRequest + `"`, ""},
		"6 characters":             {`, "commit": "abc123"`, "commit"},
		"41 characters":            {`, "commit": "` + fixCommit + `0"`, "commit"},
		"not hex":                  {`, "commit": "my-branch"`, "commit"},
		"http":                     {`, "pr_url": "http://github.com/acme/shop/pull/42"`, "pr_url"},
		"other host":               {`, "pr_url": "https://gitlab.com/acme/shop/pull/42"`, "pr_url"},
		"other repository":         {`, "pr_url": "https://github.com/acme/other/pull/42"`, "pr_url"},
		"no URL of a pull request": {`, "pr_url": "https://github.com/acme/shop/issues/42"`, "pr_url"},
	} {
		t.Run(name, func(*testing.T) {
			h.mustRefuse(core.LinkFix.Operation, fmt.Sprintf(`{"id": %d%s}`, issue, test.fields), test.path)
		})
	}
	h.requireStatus(core.Unresolved, issue)
}

func TestFixOfMergedIssueIsNotFound(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	target, source := h.addEvent("one"), h.addEvent("two")
	h.mustCall(writer, core.MergeIssues.Operation, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, target, source))
	for _, fix := range []string{`"commit": "abc1234"`, `"pr_url": "` + pullRequest + `"`} {
		h.sameJSON(object{"error": "not_found"}, h.mustFail(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, %s}`, source, fix)))
	}
}

func TestFixIsLinkedFromEveryStatus(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	for status, op := range map[core.Status]*core.Operation{
		core.Resolved: core.ResolveIssue.Operation, core.Ignored: core.IgnoreIssue.Operation, core.Unresolved: core.UnresolveIssue.Operation,
	} {
		issue := h.addEvent("boom")
		h.mustCall(writer, op, idArgs(issue))

		linked := h.linkFix(issue)

		require.Equal(t, "fix_pending", linked["status"], status)
	}
}

func TestNewLinkReplacesOpenFix(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := h.addEvent("boom")
	h.linkFix(issue)

	replaced := h.callData(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "commit": %q}`, issue, newCommit))

	require.Equal(t, newCommit, replaced["fix"].(object)["commit"])
	require.Empty(t, h.createDeploy(fixCommit, "1.1")["fixes_deployed"], "the first link does not count any more")
	require.Equal(t, []any{float64(issue)}, h.createDeploy(newCommit, "1.2")["fixes_deployed"])
}

func TestFixThatWasDeployedBefore(t *testing.T) {
	t.Parallel()
	for name, deploy := range map[string]func(*fixture){
		"its commit":     func(h *fixture) { h.createDeploy(fixCommit, "1.1") },
		"short commit":   func(h *fixture) { h.createDeploy(fixCommit[:7], "1.1") },
		"of its commits": func(h *fixture) { h.createDeploy(newCommit, "1.1", fmt.Sprintf(`"commits": [%q]`, fixCommit[:9])) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openShop(t)
			issue := h.addEvent("boom", inRelease("1.0"))
			h.createDeploy(oldCommit, "1.0")
			h.passTime(time.Hour)
			deploy(h)
			deployedAt := core.At(h.now)
			h.passTime(time.Hour)
			h.createDeploy(newCommit, "1.2", fmt.Sprintf(`"commits": [%q]`, fixCommit))

			linked := h.linkFix(issue)

			require.Equal(t, "fix_pending", linked["status"])
			fix := linked["fix"].(object)
			require.Equal(t, "1.1", fix["release"], "the first deploy that contains it")
			require.Equal(t, deployedAt.Format(core.TimeLayout), fix["deployed_at"])
			require.Equal(t, core.ActionIssueFixDeployed, h.latestActivity(issue).Action)
		})
	}
}

func TestPullRequestThatWasDeployedBefore(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := h.addEvent("boom")
	h.createDeploy(newCommit, "1.1", `"pull_requests": ["`+strings.ToUpper(pullRequest)+`"]`)

	linked := h.callData(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "pr_url": %q}`, issue, pullRequest))

	require.Equal(t, "1.1", linked["fix"].(object)["release"])
}

func TestFixIsClosedByHand(t *testing.T) {
	t.Parallel()
	for status, op := range map[core.Status]*core.Operation{
		core.Resolved: core.ResolveIssue.Operation, core.Ignored: core.IgnoreIssue.Operation, core.Unresolved: core.UnresolveIssue.Operation,
	} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			h := openShop(t)
			waiting := h.addEvent("waiting")
			h.callData(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "commit": %q}`, waiting, newCommit))
			watched := addFixedIssue(h)
			h.mustCall(writer, op, idArgs(waiting))
			h.mustCall(writer, op, idArgs(watched))

			require.Empty(t, h.createDeploy(newCommit, "1.2")["fixes_deployed"])
			h.passTime(8 * 24 * time.Hour)
			h.markAlive()
			h.verifyFixes()

			h.requireStatus(status, waiting)
			h.requireStatus(status, watched)
			require.NotNil(t, h.showIssue(watched)["fix"], "it stays visible")
			require.Nil(t, h.showIssue(watched)["fix"].(object)["outcome"])
		})
	}
}

func TestResolvedIssueWithClosedFixReopens(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.mustCall(writer, core.ResolveIssue.Operation, idArgs(issue))
	h.passTime(time.Minute)

	h.addEvent("boom", inRelease("1.1"))

	h.requireStatus(core.Unresolved, issue)
	var data map[string]string
	require.NoError(t, json.Unmarshal(h.latestActivity(issue).Data, &data))
	require.Equal(t, map[string]string{"from": "resolved", "to": "unresolved"}, data)
}
