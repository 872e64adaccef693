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
	issue := openFixed(h)
	after := core.At(h.now.Add(day))
	require.Equal(t, after.Format(core.TimeLayout), h.show(issue)["fix"].(object)["verify_after"], "21 events in a week: 3 a day")
	h.wait(day - time.Millisecond)
	h.alive()
	h.verify()
	h.statusIs(core.FixPending, issue)

	h.wait(time.Millisecond)
	h.verify()

	h.statusIs(core.Verified, issue)
	fix := h.show(issue)["fix"].(object)
	require.Equal(t, "verified", fix["outcome"])
	require.Equal(t, after.Format(core.TimeLayout), fix["verified_at"])
	row := h.latest(issue)
	require.Equal(t, core.ActionIssueVerify, row.Action)
	require.Equal(t, []any{core.ActorSystem, "verifier"}, []any{row.ActorType, row.ActorName})
	require.Equal(t, []string{"issue.new", "issue.verified"}, h.alerts(issue))

	h.verify()

	require.Equal(t, row.ID, h.latest(issue).ID, "done again it does nothing")
}

func TestVerificationWaitsForASignOfLife(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := openFixed(h)
	h.wait(7*day - time.Millisecond)
	h.verify()
	h.statusIs(core.FixPending, issue)

	h.wait(time.Millisecond)
	h.verify()

	h.statusIs(core.Verified, issue)
}

func TestEventOfAnOldClientIsASignOfLife(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := openFixed(h)
	h.wait(time.Hour)
	h.happen("boom", in("1.0"))
	h.wait(day)

	h.verify()

	h.statusIs(core.Verified, issue)
}

// TestReturnThatCameBeforeItsDeployWasReported has an event arrive of a release that is deployed, but not reported yet.
func TestReturnThatCameBeforeItsDeployWasReported(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := openFixed(h)
	h.wait(time.Hour)
	h.happen("boom", in("1.2"))
	h.statusIs(core.FixPending, issue)
	h.wait(time.Minute)
	h.deploy(newCommit, "1.2")
	h.wait(day)

	h.verify()

	h.statusIs(core.Regressed, issue)
	require.Equal(t, "1.2", h.show(issue)["fix"].(object)["regressed_in"])
}

func TestFixLinkedAfterItsErrorReturned(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.deploy(fixCommit, "1.1")
	h.wait(time.Hour)
	issue := h.happen("boom", in("1.1"))
	h.wait(8 * day)
	h.link(issue)

	h.verify()

	h.statusIs(core.Regressed, issue)
}

func TestFixesOfADeletedProjectAreNotVerified(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	openFixed(h)
	h.ok(core.Bootstrap(), core.DeleteProject.Operation, fmt.Sprintf(`{"project": %d}`, shop))
	h.wait(8 * day)

	h.verify()

	require.Equal(t, []string{"0"}, column(h, `SELECT count(*)::text FROM fixes WHERE outcome IS NOT NULL`))
}

func TestManyFixesAreVerified(t *testing.T) {
	t.Parallel()
	const many = 250 // more than are read at a time
	h := openShop(t)
	for n := range many {
		h.link(h.happen(fmt.Sprint("boom ", n)))
	}
	require.Len(t, h.deploy(fixCommit, "1.1")["fixes_deployed"], many)
	h.wait(7 * day)

	h.verify()

	require.Equal(t, []string{fmt.Sprint(many)}, column(h, `SELECT count(*)::text FROM issues WHERE status = 'verified'`))
}

func TestAlertsAreDroppedAfterADay(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	old := h.happen("old")
	h.wait(day + time.Millisecond)
	recent := h.happen("recent")

	require.NoError(t, h.store.DropAlerts(t.Context()))

	require.Empty(t, h.alerts(old))
	require.Equal(t, []string{"issue.new"}, h.alerts(recent))
}

func TestFixOutcomes(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := openFixed(h)
	h.is(object{"data": []any{}, "next_cursor": nil}, h.ok(core.Bootstrap(), core.ListFixOutcomes.Operation, `{}`))
	linkedAt := core.At(h.now).Format(core.TimeLayout)
	h.wait(day + 30*time.Minute)
	h.alive()
	h.verify()
	verifiedAt := core.At(h.now).Format(core.TimeLayout)
	want := object{
		"fix_id": 1, "issue_id": issue, "kind": "commit", "ref": fixCommit, "linked_by_type": "token", "linked_by": writer.Name,
		"linked_at": linkedAt, "deployed_at": linkedAt, "outcome": "verified", "verified_at": verifiedAt, "regressed_at": nil, "regressed_in": nil,
		"hours_to_verified": 24.5, "hours_to_fix": 25.5,
	}

	h.is(object{"data": []any{want}, "next_cursor": nil}, h.ok(core.Bootstrap(), core.ListFixOutcomes.Operation, `{"since": "1h"}`))

	h.wait(2 * time.Hour)
	h.is(object{"data": []any{}, "next_cursor": nil}, h.ok(core.Bootstrap(), core.ListFixOutcomes.Operation, `{"since": "1h"}`))
	h.happen("boom", in("1.1"))
	want = with(want, object{"outcome": "regressed", "regressed_at": core.At(h.now).Format(core.TimeLayout), "regressed_in": "1.1"})
	h.is(object{"data": []any{want}, "next_cursor": nil}, h.ok(core.Bootstrap(), core.ListFixOutcomes.Operation, `{"since": "1h"}`))
}
