package tools_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

const day = 24 * time.Hour

func TestVerify(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	after := core.At(h.now.Add(day))
	require.Equal(t, after.Format(core.TimeLayout), h.showIssue(issue)["fix"].(object)["verify_after"], "21 events in a week: 3 a day")
	h.passTime(day - time.Millisecond)
	h.markAlive()
	h.verifyFixes()
	h.requireStatus(core.FixPending, issue)

	h.passTime(time.Millisecond)
	h.verifyFixes()

	h.requireStatus(core.Verified, issue)
	fix := h.showIssue(issue)["fix"].(object)
	require.Equal(t, "verified", fix["outcome"])
	require.Equal(t, after.Format(core.TimeLayout), fix["verified_at"])
	row := h.latestActivity(issue)
	require.Equal(t, core.ActionIssueVerify, row.Action)
	require.Equal(t, []any{core.ActorSystem, "verifier"}, []any{row.ActorType, row.ActorName})
	require.Equal(t, []string{"issue.new", "issue.verified"}, h.alertsOf(issue))

	h.verifyFixes()

	require.Equal(t, row.ID, h.latestActivity(issue).ID, "done again it does nothing")
}

func TestVerificationWaitsForASignOfLife(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.passTime(7*day - time.Millisecond)
	h.verifyFixes()
	h.requireStatus(core.FixPending, issue)

	h.passTime(time.Millisecond)
	h.verifyFixes()

	h.requireStatus(core.Verified, issue)
}

func TestEventOfAnOldClientIsASignOfLife(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.passTime(time.Hour)
	h.addEvent("boom", inRelease("1.0"))
	h.passTime(day)

	h.verifyFixes()

	h.requireStatus(core.Verified, issue)
}

// TestReturnThatCameBeforeItsDeployWasReported adds an event of a release that is deployed but not yet reported.
func TestReturnThatCameBeforeItsDeployWasReported(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.passTime(time.Hour)
	h.addEvent("boom", inRelease("1.2"))
	h.requireStatus(core.FixPending, issue)
	h.passTime(time.Minute)
	h.createDeploy(newCommit, "1.2")
	h.passTime(day)

	h.verifyFixes()

	h.requireStatus(core.Regressed, issue)
	require.Equal(t, "1.2", h.showIssue(issue)["fix"].(object)["regressed_in"])
	row := h.latestActivity(issue)
	require.Equal(t, core.ActionIssueRegress, row.Action)
	require.Equal(t, []any{core.ActorSystem, "ingest"}, []any{row.ActorType, row.ActorName}, "as when ingest finds the return")
}

func TestFixLinkedAfterItsErrorReturned(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.createDeploy(fixCommit, "1.1")
	h.passTime(time.Hour)
	issue := h.addEvent("boom", inRelease("1.1"))
	h.passTime(8 * day)
	h.linkFix(issue)

	h.verifyFixes()

	h.requireStatus(core.Regressed, issue)
}

func TestFixesOfADeletedProjectAreNotVerified(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	addFixedIssue(h)
	h.mustCall(core.NewBootstrapActor(), core.DeleteProject.Operation, fmt.Sprintf(`{"project": %d}`, shop))
	h.passTime(8 * day)

	h.verifyFixes()

	require.Equal(t, []string{"0"}, queryTexts(h, `SELECT count(*)::text FROM fixes WHERE outcome IS NOT NULL`))
}

func TestManyFixesAreVerified(t *testing.T) {
	t.Parallel()
	const many = 250 // more than one read takes
	h := openShop(t)
	for n := range many {
		h.linkFix(h.addEvent(fmt.Sprint("boom ", n)))
	}
	require.Len(t, h.createDeploy(fixCommit, "1.1")["fixes_deployed"], many)
	h.passTime(7 * day)

	h.verifyFixes()

	require.Equal(t, []string{fmt.Sprint(many)}, queryTexts(h, `SELECT count(*)::text FROM issues WHERE status = 'verified'`))
}

func TestFixOutcomes(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.sameJSON(object{"data": []any{}, "next_cursor": nil}, h.mustCall(core.NewBootstrapActor(), core.ListFixOutcomes.Operation, `{}`))
	linkedAt := core.At(h.now).Format(core.TimeLayout)
	h.passTime(day + 30*time.Minute)
	h.markAlive()
	h.verifyFixes()
	verifiedAt := core.At(h.now).Format(core.TimeLayout)
	want := object{
		"fix_id": 1, "issue_id": issue, "kind": "commit", "ref": fixCommit, "linked_by_type": "token", "linked_by": writer.Name,
		"linked_at": linkedAt, "deployed_at": linkedAt, "outcome": "verified", "verified_at": verifiedAt, "regressed_at": nil,
		"regressed_in": nil, "unknown_releases": []any{},
		"hours_to_verified": 24.5, "hours_to_fix": 27.167,
	}

	h.sameJSON(object{"data": []any{want}, "next_cursor": nil},
		h.mustCall(core.NewBootstrapActor(), core.ListFixOutcomes.Operation, `{"since": "1h"}`))

	h.passTime(2 * time.Hour)
	h.sameJSON(object{"data": []any{}, "next_cursor": nil},
		h.mustCall(core.NewBootstrapActor(), core.ListFixOutcomes.Operation, `{"since": "1h"}`))
	h.addEvent("boom", inRelease("1.1"))
	want = withChanges(want, object{"outcome": "regressed", "regressed_at": core.At(h.now).Format(core.TimeLayout), "regressed_in": "1.1"})
	h.sameJSON(object{"data": []any{want}, "next_cursor": nil},
		h.mustCall(core.NewBootstrapActor(), core.ListFixOutcomes.Operation, `{"since": "1h"}`))
}
