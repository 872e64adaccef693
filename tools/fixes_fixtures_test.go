package tools_test

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
)

const (
	oldCommit = "aaaaaaa1111111111111111111111111111111aa"
	fixCommit = "bbbbbbb2222222222222222222222222222222bb"
	newCommit = "ccccccc3333333333333333333333333333333cc"

	pullRequest = "https://github.com/acme/shop/pull/42"
)

var deployer = newAgent(3, core.ReleasesWrite)

// passTime moves the clock forward.
func (h *fixture) passTime(d time.Duration) { h.now = h.now.Add(d) }

// addEvent adds an event to a group, with changes, and returns its issue.
func (h *fixture) addEvent(group string, changes ...func(*intake.NewEvent)) int64 {
	h.Helper()
	h.events++
	e := h.newEvent(group, h.events)
	for _, change := range changes {
		change(&e)
	}
	return h.addEvents(e).IssueID
}

// inRelease sets the release of an event, and no environment.
func inRelease(release string) func(*intake.NewEvent) {
	return func(e *intake.NewEvent) { e.Release, e.Environment = release, "" }
}

// inEnvironment sets the release and the environment of an event.
func inEnvironment(release, environment string) func(*intake.NewEvent) {
	return func(e *intake.NewEvent) { e.Release, e.Environment = release, environment }
}

// beforeArrival makes an event happen before it arrives.
func beforeArrival(d time.Duration) func(*intake.NewEvent) {
	return func(e *intake.NewEvent) { e.OccurredAt = core.At(e.OccurredAt.Add(-d)) }
}

// createDeploy reports a deploy of the shop, with further arguments, and returns the answer.
func (h *fixture) createDeploy(commit, release string, more ...string) object {
	h.Helper()
	args := fmt.Sprintf(`{"project": %d, "commit": %q, "release": %q`, shop, commit, release)
	for _, arg := range more {
		args += ", " + arg
	}
	return h.callData(deployer, core.CreateDeploy.Operation, args+"}")
}

// linkFix links the fix to an issue.
func (h *fixture) linkFix(issue int64) object {
	h.Helper()
	return h.callData(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "commit": %q}`, issue, fixCommit))
}

// addFixedIssue makes an issue whose fix is deployed with 1.1 in production, after 1.0. 21 bursts in the week before
// make the window a day. An agent hears of it.
func addFixedIssue(h *fixture) (issue int64) {
	h.Helper()
	h.addListener(1, "agent", core.TrustHigh, 0)
	h.createDeploy(oldCommit, "1.0")
	for n := range 21 {
		issue = h.addEvent("boom", inRelease("1.0"), beforeArrival(time.Duration(20-n)*5*time.Minute))
	}
	h.passTime(time.Hour)
	h.linkFix(issue)
	h.createDeploy(fixCommit, "1.1")
	return issue
}

// showIssue returns an issue in its present state.
func (h *fixture) showIssue(issue int64) object {
	h.Helper()
	return h.callData(reader, core.GetIssue.Operation, idArgs(issue))
}

// requireStatus requires an issue to have the status.
func (h *fixture) requireStatus(want core.Status, issue int64) {
	h.Helper()
	require.Equal(h, string(want), h.showIssue(issue)["status"])
}

// verifyFixes runs the verification of fixes.
func (h *fixture) verifyFixes() {
	h.Helper()
	require.NoError(h, h.store.VerifyFixes(h.Context()))
}

// markAlive gives the shop a sign of life.
func (h *fixture) markAlive() {
	h.Helper()
	require.NoError(h, h.store.MarkAlive(h.Context(), map[int64]core.Time{shop: core.At(h.now)}))
}

// latestActivity returns the newest row of an issue's activity.
func (h *fixture) latestActivity(issue int64) core.Activity {
	h.Helper()
	var page core.Page[core.Activity]
	decodeInto(h.T, h.mustCall(reader, core.ListIssueActivity.Operation, idArgs(issue)), &page)
	require.NotEmpty(h, page.Data)
	return page.Data[0]
}

// alertsOf returns the events of an issue that an agent hears of.
func (h *fixture) alertsOf(issue int64) []string {
	h.Helper()
	return queryTexts(h, `SELECT event FROM deliveries WHERE issue_id = $1 ORDER BY created_at, event`, issue)
}
