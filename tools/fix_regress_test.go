package tools_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
)

// eventsAfterDeploy are events after the deploy of a fix (1.1, to production, after 1.0), and the resulting status of the issue.
var eventsAfterDeploy = map[string]struct {
	before func(*fixture) // the event
	event  []func(*intake.NewEvent)
	want   core.Status
}{
	"in the release":                  {event: []func(*intake.NewEvent){inRelease("1.1")}, want: core.Regressed},
	"in the release, by commit":       {event: []func(*intake.NewEvent){inRelease(fixCommit)}, want: core.Regressed},
	"in the release, by short commit": {event: []func(*intake.NewEvent){inRelease(fixCommit[:8])}, want: core.Regressed},
	"in the release, elsewhere":       {event: []func(*intake.NewEvent){inEnvironment("1.1", "staging")}, want: core.Regressed},
	"of an old client":                {event: []func(*intake.NewEvent){inRelease("1.0")}, want: core.FixPending},
	"of an old client, by commit":     {event: []func(*intake.NewEvent){inRelease(oldCommit)}, want: core.FixPending},
	"late":                            {event: []func(*intake.NewEvent){inRelease("1.1"), beforeArrival(time.Hour)}, want: core.FixPending},
	"of an unknown release":           {event: []func(*intake.NewEvent){inRelease("7.0")}, want: core.FixPending},
	"of a later release": {
		before: func(h *fixture) { h.createDeploy(newCommit, "0.9") },
		event:  []func(*intake.NewEvent){inRelease("0.9")}, want: core.Regressed,
	},
	"of a later release, by commit": {
		before: func(h *fixture) { h.createDeploy(newCommit, "0.9") },
		event:  []func(*intake.NewEvent){inRelease(newCommit[:10])}, want: core.Regressed,
	},
	"of a later release, elsewhere": {
		before: func(h *fixture) { h.createDeploy(newCommit, "0.9", `"environment": "staging"`) },
		event:  []func(*intake.NewEvent){inEnvironment("0.9", "staging")}, want: core.FixPending,
	},
	"of the old release, deployed again": {
		before: func(h *fixture) { h.createDeploy(oldCommit, "1.0") },
		event:  []func(*intake.NewEvent){inRelease("1.0")}, want: core.FixPending,
	},
	"of the old release, under a new name": {
		before: func(h *fixture) { h.createDeploy(oldCommit, "rollback") },
		event:  []func(*intake.NewEvent){inRelease("rollback")}, want: core.FixPending,
	},
	"of the release under another name, elsewhere": {
		before: func(h *fixture) { h.createDeploy(fixCommit[:7], "canary", `"environment": "canary"`) },
		event:  []func(*intake.NewEvent){inEnvironment("canary", "canary")}, want: core.Regressed,
	},
	"without release, soon": {event: []func(*intake.NewEvent){inRelease("")}, want: core.FixPending},
	"without release": {
		before: func(h *fixture) { h.passTime(10 * time.Minute) },
		event:  []func(*intake.NewEvent){inRelease("")}, want: core.Regressed,
	},
	"without release, of the environment": {
		before: func(h *fixture) { h.passTime(10 * time.Minute) },
		event:  []func(*intake.NewEvent){inEnvironment("", "production")}, want: core.Regressed,
	},
	"without release, elsewhere": {
		before: func(h *fixture) { h.passTime(10 * time.Minute) },
		event:  []func(*intake.NewEvent){inEnvironment("", "staging")}, want: core.FixPending,
	},
	"of a release of another project": {
		before: func(h *fixture) { h.createDeployElsewhere(newCommit, "0.9") },
		event:  []func(*intake.NewEvent){inRelease("0.9")}, want: core.FixPending,
	},
}

func TestEventsAfterTheDeployOfAFix(t *testing.T) {
	t.Parallel()
	for name, test := range eventsAfterDeploy {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openShop(t)
			issue := addFixedIssue(h)
			h.passTime(time.Minute)
			if test.before != nil {
				test.before(h)
			}
			seen := h.showIssue(issue)["times_seen"].(float64)

			h.addEvent("boom", test.event...)

			h.requireStatus(test.want, issue)
			require.EqualValues(t, seen+1, h.showIssue(issue)["times_seen"], "it counts in any case")
		})
	}
}

// createDeployElsewhere reports a deploy of another project.
func (h *fixture) createDeployElsewhere(commit, release string) {
	h.Helper()
	other := store.NewProject{ID: shop + 1, Name: "Other", PublicKey: "f" + shopKey[1:]}
	_, err := h.store.CreateProject(h.Context(), core.NewBootstrapActor(), other)
	require.NoError(h, err)
	h.callData(deployer, core.CreateDeploy.Operation, fmt.Sprintf(`{"project": %d, "commit": %q, "release": %q}`, shop+1, commit, release))
}

func TestRegress(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.passTime(time.Minute)

	h.addEvent("boom", inRelease("1.1"))

	shown := h.showIssue(issue)
	fix := shown["fix"].(object)
	require.Equal(t, "regressed", fix["outcome"])
	require.Equal(t, core.At(h.now).Format(core.TimeLayout), fix["regressed_at"])
	require.Equal(t, "1.1", fix["regressed_in"])
	row := h.latestActivity(issue)
	require.Equal(t, core.ActionIssueRegress, row.Action)
	require.Equal(t, []any{core.ActorSystem, "ingest"}, []any{row.ActorType, row.ActorName})
	require.JSONEq(t, `{"from": "fix_pending", "to": "regressed", "fix_id": 1, "release": "1.1"}`, string(row.Data))
	require.Equal(t, []string{"issue.new", "issue.regressed"}, h.alertsOf(issue))
	require.Contains(t, h.mustCall(core.NewBootstrapActor(), core.ListLabels.Operation, `{}`),
		`"label":"regressed","actor_type":"system","actor_name":"ingest"`)

	h.addEvent("boom", inRelease("1.1"))

	h.requireStatus(core.Regressed, issue)
	require.Equal(t, row.ID, h.latestActivity(issue).ID, "it stays regressed, and nothing more is told")
}

func TestVerifiedIssueRegresses(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.passTime(24 * time.Hour)
	h.markAlive()
	h.verifyFixes()
	verifiedAt := h.showIssue(issue)["fix"].(object)["verified_at"]
	h.passTime(time.Hour)
	h.addEvent("boom", inRelease("1.0"))
	h.requireStatus(core.Verified, issue)

	h.addEvent("boom", inRelease("1.1"))

	h.requireStatus(core.Regressed, issue)
	fix := h.showIssue(issue)["fix"].(object)
	require.Equal(t, "regressed", fix["outcome"])
	require.Equal(t, verifiedAt, fix["verified_at"], "it keeps that it was verified")
	require.Equal(t, []string{"issue.new", "issue.verified", "issue.regressed"}, h.alertsOf(issue))
}

func TestBatchOfOldAndNewClients(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.passTime(time.Minute)
	var events []intake.NewEvent
	for n, release := range []string{"1.0", "1.0", "1.1", "1.0"} {
		e := h.newEvent("boom", 1000+n)
		e.Release = release
		events = append(events, e, h.newEvent(fmt.Sprint("new ", n), n))
	}

	h.addEvents(events...)

	h.requireStatus(core.Regressed, issue)
	require.EqualValues(t, 21+4, h.showIssue(issue)["times_seen"])
}

func TestEventsOfFixThatIsNotDeployedOnlyCount(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.createDeploy(oldCommit, "1.0")
	issue := h.addEvent("boom", inRelease("1.0"))
	h.linkFix(issue)
	h.passTime(time.Hour)

	h.addEvent("boom", inRelease("1.0"))

	h.requireStatus(core.FixPending, issue)
}

func TestDuplicateDoesNotRegress(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.passTime(time.Minute)
	old := h.newEvent("boom", 5000)
	old.Release = "1.0"
	h.addEvents(old)
	again := h.newEvent("boom", 5000)
	again.Release = "1.1"

	require.True(t, h.addEvents(again).Duplicate)

	h.requireStatus(core.FixPending, issue)
}
