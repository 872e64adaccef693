package tools_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestListClaims(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	first, second := h.addEvent("one"), h.addEvent("two")
	h.addEvent("three") // nobody works on it
	claim := func(id int64, worker string, minutes int) {
		h.mustCall(writer, core.ClaimIssue.Operation, fmt.Sprintf(`{"id": %d, "worker": %q, "minutes": %d}`, id, worker, minutes))
	}
	h.mustCall(writer, core.AddNote.Operation, fmt.Sprintf(`{"id": %d, "text": "before the claim"}`, second))
	h.passTime(time.Minute)
	claim(first, "ann-2", 60)
	claim(second, "ann-1", 30)
	since := h.now
	h.passTime(5 * time.Minute)
	claim(second, "ann-1", 30) // the renewal does not begin the claim anew
	h.mustCall(writer, core.AddNote.Operation, fmt.Sprintf(`{"id": %d, "text": "reading"}`, second))
	h.passTime(time.Second)
	h.mustCall(writer, core.AddNote.Operation, fmt.Sprintf(`{"id": %d, "text": "found it"}`, second))

	listed := h.callList(reader, core.ListClaims.Operation, `{"project": "shop"}`)

	require.Len(t, listed, 2)
	require.EqualValues(t, second, listed[0]["issue_id"], "its claim ends first")
	require.Equal(t, "ann-1", listed[0]["worker"])
	require.Equal(t, writer.Name, listed[0]["holder"])
	require.Equal(t, core.At(since).Format(time.RFC3339), listed[0]["since"].(string)[:19]+"Z")
	require.EqualValues(t, 2, listed[0]["notes"], "those since the claim")
	require.Equal(t, "found it", listed[0]["last_note"])
	require.EqualValues(t, first, listed[1]["issue_id"])
	require.Nil(t, listed[1]["last_note"])

	h.passTime(2 * time.Hour)
	require.Empty(t, h.callList(reader, core.ListClaims.Operation, `{}`), "the claims ended")
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	held, returned, waiting, given := h.addEvent("held"), h.addEvent("returned"), h.addEvent("waiting"), h.addEvent("given")
	for n, id := range []int64{held, returned, waiting, given} {
		worker := []string{"ann-1", "ann-1", "ann-2", "ann-2"}[n]
		h.mustCall(writer, core.ClaimIssue.Operation, fmt.Sprintf(`{"id": %d, "worker": %q}`, id, worker))
		h.mustCall(writer, core.ClaimIssue.Operation, fmt.Sprintf(`{"id": %d, "worker": %q}`, id, worker)) // renewed
	}
	h.mustCall(writer, core.ReleaseIssue.Operation, fmt.Sprintf(`{"id": %d, "worker": "ann-2", "note": "not mine"}`, given))
	link := func(id int64, worker, commit string) {
		h.mustCall(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "worker": %q, "commit": %q}`, id, worker, commit))
	}
	link(held, "ann-1", fixCommit)
	link(returned, "ann-1", fixCommit)
	link(waiting, "ann-2", "1234567")
	h.passTime(time.Hour)
	h.createDeploy(fixCommit, "shop@2")
	h.passTime(time.Minute)
	h.addEvent("returned", inRelease("shop@2"))
	for range 8 {
		h.passTime(24 * time.Hour)
		h.markAlive()
		h.verifyFixes()
	}
	h.requireStatus(core.Verified, held)
	h.requireStatus(core.Regressed, returned)

	outcomes := h.callData(reader, core.GetOutcomes.Operation, `{"project": "shop"}`)

	total := outcomes["total"].(object)
	hours := total["hours_to_verified"].(float64)
	require.Greater(t, hours, 1.0)
	require.Equal(t, object{"claims": 4.0, "given_back": 1.0, "fixes": 3.0, "verified": 1.0, "regressed": 1.0, "waiting": 1.0,
		"hours_to_verified": hours}, total)
	require.Equal(t, []any{
		object{"actor_type": "token", "actor": writer.Name, "worker": "ann-1", "claims": 2.0, "given_back": 0.0, "fixes": 2.0, "verified": 1.0,
			"regressed": 1.0, "waiting": 0.0, "hours_to_verified": hours},
		object{"actor_type": "token", "actor": writer.Name, "worker": "ann-2", "claims": 2.0, "given_back": 1.0, "fixes": 1.0, "verified": 0.0,
			"regressed": 0.0, "waiting": 1.0, "hours_to_verified": nil},
	}, outcomes["workers"])

	open := h.callList(reader, core.ListFixes.Operation, `{"project": "shop"}`)
	require.Len(t, open, 1)
	require.EqualValues(t, waiting, open[0]["issue_id"])
	require.Equal(t, "ann-2", open[0]["worker"])
	back := h.callList(reader, core.ListFixes.Operation, `{"state": "returned", "since": "30d"}`)
	require.Len(t, back, 1)
	require.EqualValues(t, returned, back[0]["issue_id"])
	require.Equal(t, "shop@2", back[0]["fix"].(object)["regressed_in"])

	later := h.callData(reader, core.GetOutcomes.Operation, `{"days": 1}`)
	require.EqualValues(t, 0, later["total"].(object)["fixes"], "they were linked before")
	require.Empty(t, later["workers"])
}

func TestListActivityFilters(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := h.addEvent("boom")
	h.passTime(time.Minute)
	h.mustCall(writer, core.AddNote.Operation, fmt.Sprintf(`{"id": %d, "text": "seen"}`, issue))
	h.mustCall(core.NewBootstrapActor(), core.CreateToken.Operation, `{"name": "other", "scopes": ["issues:read"]}`)
	actions := func(args string) (found []string) {
		for _, row := range h.callList(core.NewBootstrapActor(), core.ListActivity.Operation, args) {
			found = append(found, row["action"].(string))
		}
		return found
	}
	require.Equal(t, []string{"issue.note"}, actions(`{"action": "issue.note"}`))
	require.Equal(t, []string{"issue.note"}, actions(fmt.Sprintf(`{"actor": %q}`, writer.Name)))
	require.Equal(t, []string{"issue.note"}, actions(fmt.Sprintf(`{"issue": %d}`, issue)))
	require.Equal(t, []string{"issue.note"}, actions(`{"project": "shop", "actor": "`+writer.Name+`", "since": "1h"}`))
	require.Contains(t, actions(`{"actor": "ADMIN_TOKEN"}`), "token.create")
	require.NotContains(t, actions(`{"project": "shop"}`), "token.create")
	require.Empty(t, actions(`{"actor": "nobody"}`))
	h.mustRefuse(core.ListActivity.Operation, `{"action": "issue"}`, "action")
}

func TestTryScrubbing(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	admin := core.NewBootstrapActor()
	h.mustCall(admin, core.UpdateProject.Operation, `{"project": "shop", "scrub_patterns": ["ORD-[0-9]{1,9}"]}`)
	try := func(more string) object {
		return h.callData(admin, core.TryScrubbing.Operation, `{"project": "shop", `+more+`}`)
	}

	require.Equal(t, object{"text": "order [Filtered] of Ann", "changed": true}, try(`"text": "order ORD-4711 of Ann"`))
	require.Equal(t, object{"text": "order ORD-4711 of Ann", "changed": false}, try(`"text": "order ORD-4711 of Ann", "scrub_patterns": []`))
	require.NotContains(t, try(`"text": "iban=DE02120300000000202051", "scrub_keys": ["iban"]`)["text"], "DE02")
	h.mustRefuse(core.TryScrubbing.Operation, `{"project": "shop", "text": "x", "scrub_patterns": ["("]}`, "scrub_patterns.0")
	h.sameJSON(object{"error": "project_not_found"}, h.mustFail(admin, core.TryScrubbing.Operation, `{"project": "no-such-app", "text": "x"}`))
}

func TestReleaseHours(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.addEvent("old")
	h.passTime(26 * time.Hour)
	for range 12 { // within the 24 hours before
		h.addEvent("old")
	}
	h.passTime(2 * time.Hour)
	h.createDeploy(fixCommit, "shop@2")
	h.passTime(time.Hour)
	for range 6 {
		h.addEvent("old")
	}
	h.passTime(2 * time.Hour)

	hours := h.callData(reader, core.GetReleaseHours.Operation, `{"version": "shop@2", "project": "shop"}`)

	events := hours["events"].([]any)
	require.Len(t, events, core.ReleaseHoursShown+4, "the hour of the deploy, two that passed, and the running one")
	require.EqualValues(t, 12, events[core.ReleaseHoursShown-2])
	require.EqualValues(t, 6, events[core.ReleaseHoursShown+1])
	require.Equal(t, object{"before": 0.5, "since": 3.0}, hours["events_per_hour"])
	for _, args := range []string{`{"version": "shop@3"`, `{"version": "shop@2", "environment": "moon"`} {
		h.sameJSON(object{"error": "not_found"}, h.mustFail(reader, core.GetReleaseHours.Operation, args+`, "project": "shop"}`))
	}
}
