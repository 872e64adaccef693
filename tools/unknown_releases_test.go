package tools_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// TestFixesOfADeployThatNoEventNames deploys 1.1, but the events that follow call it shop@1.1.
func TestFixesOfADeployThatNoEventNames(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.passTime(time.Minute)
	unknown := func() any { return h.showIssue(issue)["fix"].(object)["unknown_releases"] }
	require.Equal(t, []any{}, unknown(), "there were no events since")
	h.addEvent("boom", inRelease("1.0"))
	require.Equal(t, []any{}, unknown(), "1.0 was deployed")

	h.addEvent("boom", inRelease("shop@1.1"))
	h.addEvent("something else", inRelease("shop@1.2"))

	require.Equal(t, []any{"shop@1.1", "shop@1.2"}, unknown())
	brief := h.mustCall(reader, core.GetBrief.Operation, idArgs(issue))
	require.Contains(t, brief, "no event names the release of its deploy")
	require.Contains(t, brief, `"unknown_releases_untrusted":["shop@1.1","shop@1.2"]`)
	h.passTime(2 * day)
	h.markAlive()
	h.verifyFixes()
	h.requireStatus(core.Verified, issue)
	require.Contains(t, h.mustCall(core.NewBootstrapActor(), core.ListFixOutcomes.Operation, `{}`),
		`"unknown_releases":["shop@1.1","shop@1.2"]`)

	h.addEvent("a third one", inRelease(fixCommit[:9])) // the commit of a deploy is also a name of its release

	require.Equal(t, []any{}, unknown())
	require.Contains(t, h.mustCall(core.NewBootstrapActor(), core.ListFixOutcomes.Operation, `{}`), `"unknown_releases":[]`)
}

// TestDeployedReleasesAreKnownByEachOfTheirNames uses events that name releases by commits and by masked names.
func TestDeployedReleasesAreKnownByEachOfTheirNames(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	issue := addFixedIssue(h)
	h.createDeploy(newCommit, "1.2")
	h.createDeploy("ddddddd4444444444444444444444444444444dd", "app@1.0+378282246310005")
	h.passTime(time.Minute)

	for _, release := range []string{newCommit, newCommit[:7], "1.2", core.StoreName("app@1.0+378282246310005", "app@1.0+[Filtered]")} {
		h.addEvent("boom of "+release[:3], inRelease(release))
	}

	require.Equal(t, []any{}, h.showIssue(issue)["fix"].(object)["unknown_releases"])
}
