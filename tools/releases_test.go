package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestCreateDeploy(t *testing.T) {
	t.Parallel()
	h := openShop(t)

	body := h.mustCall(deployer, core.CreateDeploy.Operation, fmt.Sprintf(`{"project": "shop", "commit": %q}`, strings.ToUpper(fixCommit)))

	h.sameJSON(object{"data": object{
		"id": 1, "project_id": shop, "release": fixCommit, "environment": "production", "commit": fixCommit, "deployed_at": noonText,
		"fixes_deployed": []any{}, "fixes_waiting": []any{},
	}}, body)
	var page core.Page[core.Activity]
	decodeInto(t, h.mustCall(core.NewBootstrapActor(), core.ListActivity.Operation, `{"limit": 1}`), &page)
	row := page.Data[0]
	require.Equal(t, []any{core.ActionReleaseDeploy, core.TargetRelease, deployer.Name}, []any{row.Action, row.TargetType, row.ActorName})
	require.JSONEq(t, `{"release": "`+fixCommit+`", "environment": "production", "commit": "`+fixCommit+`", "deploy_id": 1}`, string(row.Data))
}

func TestCreateDeployRefuses(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	tooMany := strings.TrimSuffix(strings.Repeat(`"abc1234",`, 1001), ",")
	tooManyURLs := strings.TrimSuffix(strings.Repeat(`"`+pullRequest+`",`, 101), ",")
	for name, test := range map[string]struct{ commit, more, path string }{
		"6 characters":      {"abc123", ``, "commit"},
		"41 characters":     {fixCommit + "0", ``, "commit"},
		"not hex":           {"main-branch", ``, "commit"},
		"a wrong commit":    {fixCommit, `, "commits": ["abc1234", "abc123"]`, "commits.1"},
		"1001 commits":      {fixCommit, `, "commits": [` + tooMany + `]`, "commits"},
		"another host":      {fixCommit, `, "pull_requests": ["https://gitlab.com/acme/shop/pull/1"]`, "pull_requests.0"},
		"101 pull requests": {fixCommit, `, "pull_requests": [` + tooManyURLs + `]`, "pull_requests"},
		"blank release":     {fixCommit, `, "release": " "`, "release"},
		"long release":      {fixCommit, `, "release": "` + strings.Repeat("x", 201) + `"`, "release"},
		"long environment":  {fixCommit, `, "environment": "` + strings.Repeat("x", 65) + `"`, "environment"},
	} {
		t.Run(name, func(*testing.T) {
			h.mustRefuse(core.CreateDeploy.Operation, fmt.Sprintf(`{"project": "shop", "commit": %q%s}`, test.commit, test.more), test.path)
		})
	}
	h.sameJSON(object{"data": []any{}, "next_cursor": nil}, h.mustCall(reader, core.ListReleases.Operation, `{}`))
}

func TestBoundTokenDeploysItsAppOnly(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	mine, other := newAgent(7, core.ReleasesWrite), newAgent(8, core.ReleasesWrite)
	mine.ProjectID, other.ProjectID = shop, shop+1
	args := fmt.Sprintf(`{"project": %d, "commit": %q}`, shop, fixCommit)

	h.mustCall(mine, core.CreateDeploy.Operation, args)

	h.sameJSON(object{"error": "forbidden_project", "reason": "this token is for another app"},
		h.mustFail(other, core.CreateDeploy.Operation, args))
}

func TestDeployOf1000Commits(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := h.addEvent("boom")
	h.linkFix(issue)
	commits := make([]string, 1000)
	for n := range commits {
		commits[n] = fmt.Sprintf("%q", fmt.Sprintf("%040x", n))
	}
	commits[999] = fmt.Sprintf("%q", fixCommit[:7])
	commits[998] = commits[999] // named twice

	deployed := h.createDeploy(newCommit, "1.1", `"commits": [`+strings.Join(commits, ",")+`]`)

	require.Equal(t, []any{float64(issue)}, deployed["fixes_deployed"])
	row := h.latestActivity(issue)
	require.Equal(t, core.ActionIssueFixDeployed, row.Action)
	require.JSONEq(t, `{"release": "1.1", "environment": "production", "fix_id": 1}`, string(row.Data))
}

func TestListReleases(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.createDeploy(oldCommit, "1.0")
	h.passTime(time.Minute)
	h.createDeploy(fixCommit, "1.1", `"environment": "staging"`)
	h.passTime(time.Minute)
	h.createDeploy(newCommit, "1.0")
	deployAt := func(id, minute int, environment, commit string) object {
		return object{"id": id, "environment": environment, "commit": commit, "source": "api",
			"deployed_at": core.At(noon.Add(time.Duration(minute) * time.Minute)).Format(core.TimeLayout)}
	}
	first := object{"project_id": shop, "version": "1.0", "commit": newCommit, "created_at": noonText,
		"deploys": []any{deployAt(3, 2, "production", newCommit), deployAt(1, 0, "production", oldCommit)}}
	second := object{"project_id": shop, "version": "1.1", "commit": fixCommit, "created_at": "2026-03-14T12:31:00.000Z",
		"deploys": []any{deployAt(2, 1, "staging", fixCommit)}}

	h.sameJSON(object{"data": []any{first, second}, "next_cursor": nil}, h.mustCall(reader, core.ListReleases.Operation, `{}`))
	var page core.Page[core.Release]
	decodeInto(t, h.mustCall(reader, core.ListReleases.Operation, `{"project": "shop", "limit": 1}`), &page)
	h.sameJSON(object{"data": []any{second}, "next_cursor": nil},
		h.mustCall(reader, core.ListReleases.Operation, fmt.Sprintf(`{"project": "shop", "limit": 1, "cursor": %q}`, page.NextCursor)))
	h.mustRefuse(core.ListReleases.Operation, fmt.Sprintf(`{"limit": 1, "cursor": %q}`, page.NextCursor), "cursor")
}

func TestGetRelease(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.passTime(time.Minute)
	fresh := h.addEvent("new in 1.1", inRelease("1.1"))
	h.addEvent("boom", inRelease("1.1"))

	detail := h.callData(reader, core.GetRelease.Operation, `{"project": "shop", "version": "1.1"}`)

	require.Equal(t, []any{float64(fresh)}, detail["new_issue_ids"])
	require.Equal(t, []any{object{"issue_id": float64(issue), "kind": "commit", "ref": fixCommit, "outcome": "regressed"}},
		detail["fixes_deployed"])
	require.Equal(t, []any{float64(issue)}, detail["regressed_issue_ids"])
	h.sameJSON(object{"error": "not_found"}, h.mustFail(reader, core.GetRelease.Operation, `{"project": "shop", "version": "9"}`))
}

func TestReleasesOfADeletedProjectAreGone(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	addFixedIssue(h)
	h.mustCall(core.NewBootstrapActor(), core.DeleteProject.Operation, fmt.Sprintf(`{"project": %d}`, shop))

	h.sameJSON(object{"data": []any{}, "next_cursor": nil}, h.mustCall(reader, core.ListReleases.Operation, `{}`))
	h.sameJSON(object{"error": "project_not_found"},
		h.mustFail(deployer, core.CreateDeploy.Operation, fmt.Sprintf(`{"project": %d, "commit": "abc1234"}`, shop)))

	h.passTime(time.Hour)
	for done := false; !done; {
		var err error
		done, err = h.store.PurgeProject(t.Context(), shop)
		require.NoError(t, err)
	}
	for _, table := range []string{"releases", "deploys", "deploy_commits", "deploy_order", "fixes", "deliveries"} {
		require.Equal(t, []string{"0"}, queryTexts(h, `SELECT count(*)::text FROM `+table), table)
	}
}

func TestMergeEndsTheFixOfASource(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	target := h.addEvent("target")

	h.mustCall(writer, core.MergeIssues.Operation, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, target, issue))
	h.passTime(8 * day)
	h.verifyFixes()

	h.requireStatus(core.Merged, issue)
	require.Nil(t, h.showIssue(issue)["fix"].(object)["outcome"])
	h.addEvent("boom", inRelease("1.1"))
	h.requireStatus(core.Unresolved, target)
}

func TestMergeAndSplitLeaveTheFixOfTheTarget(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	source := h.addEvent("source", inRelease("1.0"))
	h.mustCall(writer, core.MergeIssues.Operation, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, issue, source))
	event := int64(h.showIssue(issue)["latest_event_id"].(float64))
	made := h.callData(writer, core.SplitIssue.Operation, fmt.Sprintf(`{"id": %d, "event_ids": [%d]}`, issue, event))
	require.Nil(t, h.showIssue(int64(made["id"].(float64)))["fix"])
	h.passTime(time.Minute)

	h.addEvent("source", inRelease("1.1"))

	h.requireStatus(core.Regressed, issue)
	require.True(t, slices.Contains(h.alertsOf(issue), "issue.regressed"))
}
