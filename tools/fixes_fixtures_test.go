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

var deployer = agent(3, core.ReleasesWrite)

// wait lets time pass.
func (h *house) wait(d time.Duration) { h.now = h.now.Add(d) }

// happen adds an event of a group, after changes to it, and returns its issue.
func (h *house) happen(group string, changes ...func(*intake.NewEvent)) int64 {
	h.Helper()
	h.events++
	e := h.event(group, h.events)
	for _, change := range changes {
		change(&e)
	}
	return h.add(e).IssueID
}

// in has an event be of a release, and without environment.
func in(release string) func(*intake.NewEvent) {
	return func(e *intake.NewEvent) { e.Release, e.Environment = release, "" }
}

// inEnvironment has an event be of a release in an environment.
func inEnvironment(release, environment string) func(*intake.NewEvent) {
	return func(e *intake.NewEvent) { e.Release, e.Environment = release, environment }
}

// ago has an event happen before it arrives.
func ago(d time.Duration) func(*intake.NewEvent) {
	return func(e *intake.NewEvent) { e.OccurredAt = core.At(e.OccurredAt.Add(-d)) }
}

// deploy reports a deploy of the shop, with further arguments, and returns the answer.
func (h *house) deploy(commit, release string, more ...string) object {
	h.Helper()
	args := fmt.Sprintf(`{"project": %d, "commit": %q, "release": %q`, shop, commit, release)
	for _, arg := range more {
		args += ", " + arg
	}
	return h.data(deployer, core.CreateDeploy.Operation, args+"}")
}

// link links the fix to an issue.
func (h *house) link(issue int64) object {
	h.Helper()
	return h.data(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "commit": %q}`, issue, fixCommit))
}

// openFixed makes a house with an issue whose fix is deployed with 1.1 in production, after 1.0. 21 events in the week before
// make the window a day.
func openFixed(h *house) (issue int64) {
	h.Helper()
	h.deploy(oldCommit, "1.0")
	for range 21 {
		issue = h.happen("boom", in("1.0"))
	}
	h.wait(time.Hour)
	h.link(issue)
	h.deploy(fixCommit, "1.1")
	return issue
}

// show returns an issue as it is now.
func (h *house) show(issue int64) object {
	h.Helper()
	return h.data(reader, core.GetIssue.Operation, id(issue))
}

// statusIs wants an issue to have the status.
func (h *house) statusIs(want core.Status, issue int64) {
	h.Helper()
	require.Equal(h, string(want), h.show(issue)["status"])
}

// verify runs the verification of fixes.
func (h *house) verify() {
	h.Helper()
	require.NoError(h, h.store.VerifyFixes(h.Context()))
}

// alive gives the shop a sign of life.
func (h *house) alive() {
	h.Helper()
	require.NoError(h, h.store.MarkAlive(h.Context(), map[int64]core.Time{shop: core.At(h.now)}))
}

// latest returns the newest activity row of an issue.
func (h *house) latest(issue int64) core.Activity {
	h.Helper()
	var page core.Page[core.Activity]
	decode(h.T, h.ok(reader, core.ListIssueActivity.Operation, id(issue)), &page)
	require.NotEmpty(h, page.Data)
	return page.Data[0]
}

// alerts returns what happened to an issue that somebody may want to be told of.
func (h *house) alerts(issue int64) []string {
	h.Helper()
	return column(h, `SELECT alert FROM issue_alerts WHERE issue_id = $1 ORDER BY at, alert`, issue)
}
