package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// deployWithout reports a deploy that does not name the fix, and adds the error in its release.
func (h *fixture) deployWithout(n int) {
	h.Helper()
	h.createDeploy(fmt.Sprintf("%040x", 0xd0000000+n), fmt.Sprint("2.", n))
	h.passTime(time.Minute)
	h.addEvent("boom", inRelease(fmt.Sprint("2.", n)))
}

// overdueOf judges the fixes, and returns how overdue the fix of an issue is.
func (h *fixture) overdueOf(issue int64) any {
	h.Helper()
	require.NoError(h, h.store.JudgeWaitingFixes(h.Context()))
	return h.showIssue(issue)["fix"].(object)["overdue"]
}

// listOpen returns the open issues.
func (h *fixture) listOpen(more string) []int64 {
	h.Helper()
	var page core.Page[core.Issue]
	decodeInto(h.T, h.mustCall(reader, core.ListIssues.Operation, `{"status": "open"`+more+`}`), &page)
	ids := []int64{}
	for _, issue := range page.Data {
		ids = append(ids, issue.ID)
	}
	return ids
}

// TestFixThatNoDeployNames checks that after three deploys that do not name the fix, each with the error, the issue is work again.
func TestFixThatNoDeployNames(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.createDeploy(oldCommit, "1.0")
	issue := h.addEvent("boom", inRelease("1.0"))
	h.passTime(time.Minute)
	h.linkFix(issue)
	h.passTime(time.Minute)
	for n := range 2 {
		h.deployWithout(n)
		require.Nil(t, h.overdueOf(issue))
	}
	h.addEvent("boom", inRelease("1.0"))
	require.Empty(t, h.listOpen(""))

	h.deployWithout(2)

	since := core.At(h.now).Format(core.TimeLayout)
	require.Equal(t, object{"since": since, "deploys": 3.0, "events": 3.0}, h.overdueOf(issue))
	h.requireStatus(core.FixPending, issue)
	for _, more := range []string{"", `, "sort": "priority"`, `, "claimed": false`, `, "search": "boom"`, `, "project": "shop"`} {
		require.Equal(t, []int64{issue}, h.listOpen(more), more)
	}
	h.passTime(3 * day)
	h.deployWithout(3)
	require.Equal(t, object{"since": since, "deploys": 4.0, "events": 4.0}, h.overdueOf(issue))

	taken := h.callData(writer, core.NextIssueOp.Operation, `{}`)
	require.EqualValues(t, issue, taken["issue"].(object)["id"])
	brief := h.callData(newAgent(2, core.IssuesRead, core.IssuesWrite), core.GetBrief.Operation, idArgs(issue))["markdown"].(string)
	require.Contains(t, brief, "is overdue: linked 3 days ago; 4 deploys since do not name it; 4 events since.")

	deployed := h.createDeploy(newCommit, "3.0", fmt.Sprintf(`"commits": [%q]`, fixCommit))
	require.Equal(t, []any{float64(issue)}, deployed["fixes_deployed"])
	require.Nil(t, h.overdueOf(issue))
	require.Empty(t, h.listOpen(""))
}

func TestFixIsOverdueAfterADay(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := h.addEvent("boom", inRelease("1.0"))
	h.linkFix(issue)
	h.passTime(time.Minute)
	h.deployWithout(1)
	require.Nil(t, h.overdueOf(issue))
	h.passTime(day - 2*time.Minute - time.Millisecond)
	require.Nil(t, h.overdueOf(issue))
	h.passTime(time.Millisecond)
	require.Equal(t, 1.0, h.overdueOf(issue).(object)["deploys"])

	// A decision about the issue, or a new link, ends it.
	h.mustCall(writer, core.ResolveIssue.Operation, idArgs(issue))
	require.Nil(t, h.overdueOf(issue))
	require.Empty(t, h.listOpen(""))
	h.callData(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "commit": %q}`, issue, newCommit))
	require.Nil(t, h.overdueOf(issue))
	require.Empty(t, h.listOpen(""))
}

// TestMadeUpReleasesHideNoOverdueFix checks that senders of events may make up any number of releases, which cost
// nothing and hide nothing.
func TestMadeUpReleasesHideNoOverdueFix(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := h.addEvent("boom", inRelease("1.0"))
	h.linkFix(issue)
	h.passTime(time.Minute)
	for n := range 400 {
		h.addEvent("boom", inRelease(fmt.Sprint("made-up-", n%200)))
	}
	for n := range 3 {
		h.deployWithout(n)
	}
	h.addEvent("boom", inRelease(fmt.Sprintf("%040x", 0xd0000002)[:12])) // the commit of a deploy

	require.Equal(t, 4.0, h.overdueOf(issue).(object)["events"])
}

// TestFixesThatAreNotOverdue checks that events of other releases do not make the fix overdue.
func TestFixesThatAreNotOverdue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		deploy func(h *fixture)
		event  func(h *fixture)
		want   any // the count of events
	}{
		"of an old release":     {nil, func(h *fixture) { h.addEvent("boom", inRelease("1.0")) }, nil},
		"of an unknown release": {nil, func(h *fixture) { h.addEvent("boom", inRelease("9.9")) }, nil},
		"of an old release that is deployed again": {func(h *fixture) { h.createDeploy(oldCommit, "1.0") },
			func(h *fixture) { h.addEvent("boom", inRelease("1.0")) }, nil},
		"of another issue":               {nil, func(h *fixture) { h.addEvent("bang", inRelease("2.0")) }, nil},
		"by the commit of a new release": {nil, func(h *fixture) { h.addEvent("boom", inRelease(newCommit[:9])) }, 1.0},
		"without a release":              {nil, func(h *fixture) { h.addEvent("boom", inEnvironment("", "production")) }, 1.0},
		"without a release, elsewhere":   {nil, func(h *fixture) { h.addEvent("boom", inEnvironment("", "staging")) }, nil},
		"without a release, too early": {nil, func(h *fixture) {
			h.addEvent("boom", inEnvironment("", "production"), beforeArrival(2*day-9*time.Minute))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openShop(t)
			h.createDeploy(oldCommit, "1.0")
			issue := h.addEvent("boom", inRelease("1.0"))
			h.passTime(time.Minute)
			h.linkFix(issue)
			h.passTime(time.Minute)
			h.createDeploy(newCommit, "2.0")
			if test.deploy != nil {
				test.deploy(h)
			}
			h.passTime(2 * day)
			test.event(h)

			overdue, _ := h.overdueOf(issue).(object)

			require.Equal(t, test.want, overdue["events"])
		})
	}
}

// TestDeploySaysWhichFixesWait checks that create_deploy answers with the fixes that the deploy does not contain, the latest 100.
func TestDeploySaysWhichFixesWait(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	first, second := h.addEvent("first"), h.addEvent("second")
	linkedAt := core.At(h.now).Format(core.TimeLayout)
	h.linkFix(first)
	h.callData(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "pr_url": %q}`, second, pullRequest))
	h.callData(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "commit": %q}`, h.addEvent("resolved"), newCommit))
	h.mustCall(writer, core.ResolveIssue.Operation, `{"id": 3}`)

	deployed := h.createDeploy(oldCommit, "1.0")
	require.Equal(t, []any{
		object{"issue_id": float64(second), "kind": "pull_request", "ref": pullRequest, "linked_at": linkedAt},
		object{"issue_id": float64(first), "kind": "commit", "ref": fixCommit, "linked_at": linkedAt},
	}, deployed["fixes_waiting"])
	require.Len(t, h.createDeploy(fixCommit, "1.1")["fixes_waiting"], 1)
	require.Empty(t, h.createDeploy(oldCommit, "1.2", fmt.Sprintf(`"pull_requests": [%q]`, pullRequest))["fixes_waiting"])

	for n := range 101 {
		h.callData(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "commit": "abcdef%03d"}`, h.addEvent(fmt.Sprint(n)), n))
	}
	require.Len(t, h.createDeploy(oldCommit, "1.3")["fixes_waiting"], 100)
}

// TestModelsAreToldOfWaitingFixes checks that over MCP the answer to a deploy says what to do about them.
func TestModelsAreToldOfWaitingFixes(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := h.addEvent("boom")
	h.linkFix(issue)
	report := func(commit string) string {
		args := fmt.Sprintf(`{"project": %d, "commit": %q}`, shop, commit)
		decoded, err := core.DecodeArgs([]byte(args))
		require.NoError(t, err)
		call := core.Call{Actor: core.NewBootstrapActor(), ForModel: true}
		answer, failure := h.registry.Call(t.Context(), core.CreateDeploy.Operation, call, decoded)
		require.Nil(t, failure)
		return string(answer.Body)
	}

	waiting := report(oldCommit)
	require.Contains(t, waiting, `"waiting":"1 linked fixes still wait for a deploy that names them`)
	require.True(t, strings.HasSuffix(waiting, fmt.Sprintf(`"next":[{"tool":"get_issue","arguments":{"id":%d}}]}`, issue)), waiting)
	require.NotContains(t, report(fixCommit), `"waiting"`)
}
