package tools_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// openGivenBack makes a fixture with an issue whose fix, a pull request from the webhook, is deployed with 1.1 and verified.
func openGivenBack(t *testing.T) (h *fixture, issue int64) {
	t.Helper()
	h, issue = openPulled(t)
	h.hearPull(41, core.SCMOpened, issue)
	h.deployPull(41)
	h.passTime(8 * day)
	h.verifyFixes()
	h.requireStatus(core.Verified, issue)
	return h, issue
}

// openPulled makes a fixture whose shop has a repository, an issue, and a deploy of 1.0.
func openPulled(t *testing.T) (h *fixture, issue int64) {
	t.Helper()
	h = openShop(t)
	h.mustCall(core.NewBootstrapActor(), core.UpdateProject.Operation, fmt.Sprintf(`{"project": %d, "repository": "acme/shop"}`, shop))
	h.addListener(1, "agent", core.TrustHigh, 0)
	h.createDeploy(oldCommit, "1.0")
	return h, h.addEvent("boom", inRelease("1.0"))
}

// hearPull reports a change of a pull request that names the issue.
func (h *fixture) hearPull(number int64, change core.SCMChange, issue int64) {
	h.Helper()
	h.passTime(time.Minute)
	_, err := h.tools.ReceiveReport(h.Context(), core.SCMReport{
		Keys:       []core.SCMKey{{Text: h.now.String()}},
		Repository: []string{"https://github.com/acme/shop"},
		PullRequest: &core.SCMPullRequest{
			Change: change, Number: number, Body: fmt.Sprintf("Errand-Issue: %d", issue), IsTrusted: true, ChangedAt: h.now,
		},
	})
	require.NoError(h, err)
}

func (h *fixture) deployPull(number int64) {
	h.Helper()
	h.createDeploy(fixCommit, "1.1", fmt.Sprintf(`"pull_requests": ["https://github.com/acme/shop/pull/%d"]`, number))
}

// TestVerifiedFixIsNotGivenBackWhileTheErrorGoesOn checks that events of a verified fix's release only count while
// another fix is in its place.
func TestVerifiedFixIsNotGivenBackWhileTheErrorGoesOn(t *testing.T) {
	t.Parallel()
	h, issue := openGivenBack(t)
	h.hearPull(42, core.SCMOpened, issue)
	h.passTime(time.Hour)
	h.addEvent("boom", inRelease("1.1"))
	h.requireStatus(core.FixPending, issue)

	h.hearPull(42, core.SCMClosed, issue)

	h.requireStatus(core.Regressed, issue)
	fix := h.showIssue(issue)["fix"].(object)
	require.Equal(t, []any{"https://github.com/acme/shop/pull/41", "regressed", "1.1"},
		[]any{fix["pr_url"], fix["outcome"], fix["regressed_in"]})
	row := h.latestActivity(issue)
	require.Equal(t, core.ActionIssueRegress, row.Action)
	require.Equal(t, []any{core.ActorSystem, "ingest"}, []any{row.ActorType, row.ActorName}, "as when ingest finds the return")
	require.Equal(t, []string{"issue.new", "issue.verified", "issue.regressed"}, h.alertsOf(issue))

	h.hearPull(43, core.SCMOpened, issue)
	h.hearPull(43, core.SCMClosed, issue)
	h.requireStatus(core.Regressed, issue)
	require.Len(t, h.alertsOf(issue), 3, "it did not return once more")
}

func TestVerifiedFixIsGivenBackWhenTheErrorStayedAway(t *testing.T) {
	t.Parallel()
	h, issue := openGivenBack(t)
	h.hearPull(42, core.SCMOpened, issue)
	h.addEvent("boom", inRelease("1.0"))
	h.addEvent("boom", inRelease("1.1"), beforeArrival(20*day))

	h.hearPull(42, core.SCMClosed, issue)

	h.requireStatus(core.Verified, issue)
	require.Equal(t, "verified", h.showIssue(issue)["fix"].(object)["outcome"])
}

// TestFixThatWasDeployedMeanwhileIsNotGivenBackWhileTheErrorGoesOn deploys the fix while another one is in its place.
func TestFixThatWasDeployedMeanwhileIsNotGivenBackWhileTheErrorGoesOn(t *testing.T) {
	t.Parallel()
	for name, deployFirst := range map[string]bool{"before": true, "meanwhile": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, issue := openPulled(t)
			h.hearPull(41, core.SCMOpened, issue)
			if deployFirst {
				h.deployPull(41)
			}
			h.hearPull(42, core.SCMOpened, issue)
			if !deployFirst {
				h.deployPull(41)
			}
			h.passTime(time.Hour)
			h.addEvent("boom", inRelease("1.1"))

			h.hearPull(42, core.SCMClosed, issue)

			h.requireStatus(core.Regressed, issue)
		})
	}
}

// TestVerifiedFixIsKeptFromABranch picks the fix onto a branch for releases.
func TestVerifiedFixIsKeptFromABranch(t *testing.T) {
	t.Parallel()
	h, issue := openGivenBack(t)
	answer, err := h.tools.ReceiveReport(h.Context(), core.SCMReport{
		Keys:       []core.SCMKey{{Text: "push"}},
		Repository: []string{"https://github.com/acme/shop"},
		Push: &core.SCMPush{Branch: "release/1.0", Commits: []core.SCMCommit{
			{SHA: "abcdef1", Message: fmt.Sprintf("Fix\n\nErrand-Issue: %d\n\n(cherry picked from commit %s)", issue, fixCommit)},
		}},
	})
	require.NoError(t, err)

	require.Equal(t, core.List[int64]{issue}, answer.Kept)
	h.requireStatus(core.Verified, issue)
}
