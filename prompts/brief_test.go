package prompts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/prompts"
)

func makeReader(scopes ...core.Scope) core.Actor {
	return core.Actor{Type: core.ActorToken, ID: 1, Name: "agent", Scopes: scopes}
}

// TestStepsNameOnlyWhatTheReaderMayCall looks for the names of all operations in the briefs of readers.
func TestStepsNameOnlyWhatTheReaderMayCall(t *testing.T) {
	t.Parallel()
	for name, scopes := range map[string]core.List[core.Scope]{
		"reads": {core.IssuesRead}, "works": {core.IssuesRead, core.IssuesWrite}, "admin": {core.Admin},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader := makeReader(scopes...)
			for _, status := range []core.Status{core.Unresolved, core.Resolved, core.Ignored, core.FixPending, core.Verified, core.Regressed} {
				facts := makeFacts("x")
				facts.Issue.Status = status
				for _, budget := range []int{core.MinBriefBudget, core.DefaultBriefBudget} {
					made := prompts.RenderBrief(facts, prompts.BriefForm{Budget: budget, FenceID: fenceID, Now: briefNow, Reader: reader})
					said := outsideOfFences(t, made.Markdown) + strings.Join(made.JSON.NextSteps, " ")
					for _, op := range core.V1.Operations() {
						require.False(t, strings.Contains(said, op.Name) && !reader.Has(op.Scope), "%s is not for the reader", op.Name)
					}
					require.Equal(t, reader.Has(core.IssuesWrite), strings.Contains(said, "link_fix id=42"))
				}
			}
		})
	}
}

func TestBriefSaysWhoWorksOnIt(t *testing.T) {
	t.Parallel()
	facts := makeFacts("x")
	require.Contains(t, renderBrief(facts, core.DefaultBriefBudget).Markdown, "Nobody has claimed it: start with claim_issue id=42.")
	facts.Issue.Claim = &core.Claim{Holder: "fixer", Worker: "w-2", ExpiresAt: briefNow}
	require.Contains(t, renderBrief(facts, core.DefaultBriefBudget).Markdown, "Claimed by fixer (worker w-2) until 2026-03-14 12:30Z.")
}

func TestBriefWarnsOfLowTrust(t *testing.T) {
	t.Parallel()
	facts := makeFacts("x")
	for trust, warned := range map[core.Trust]bool{core.TrustLow: true, core.TrustHigh: false} {
		facts.Issue.Trust = trust
		require.Equal(t, warned, strings.Contains(renderBrief(facts, core.MinBriefBudget).Markdown, "**Low trust: anybody on the web"))
	}
}

func TestBriefWithoutAnEvent(t *testing.T) {
	t.Parallel()
	facts := makeFacts(planted)
	facts.Event = nil
	made := renderBrief(facts, core.MinBriefBudget)
	requireSafe(t, made, core.MinBriefBudget)
	require.Contains(t, made.Markdown, "No event of it is stored any more")
	require.Nil(t, made.JSON.Event)
}

// TestBriefSaysWhatIsMissing holds that less room leaves out the later parts, and that the brief says so.
func TestBriefSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	facts := makeFacts(strings.Repeat("x", 400))

	small, large := renderBrief(facts, 1000), renderBrief(facts, core.MaxBriefBudget)

	require.NotEmpty(t, small.JSON.LeftOut)
	require.Contains(t, small.Markdown, "Not shown for lack of room: ")
	require.Contains(t, small.Markdown, "get_event id=1001 has the whole event.")
	require.Contains(t, small.Markdown, "get_brief id=42 takes a budget up to 20000.")
	require.Empty(t, large.JSON.LeftOut)
	require.NotContains(t, large.Markdown, "Not shown")
	require.Greater(t, len(large.Markdown), len(small.Markdown))
}

// TestBriefMarksUnmappedFrames holds that a missing source map is said, and why it is missing.
func TestBriefMarksUnmappedFrames(t *testing.T) {
	t.Parallel()
	facts := makeFacts("x")
	facts.Event.Event.Problems = core.List[core.Problem]{
		{Path: "exceptions.0.frames.1", Reason: "not mapped: no source map of its file was uploaded for the release"},
		{Path: "exceptions.0.frames.2", Reason: "not mapped: no source map of its file was uploaded for the release"},
		{Path: "message", Reason: "cut to 8 KB"},
	}

	made := renderBrief(facts, core.DefaultBriefBudget)

	require.Contains(t, made.Markdown, "    (not mapped to its source)\n", "beside the frame")
	require.Contains(t, made.Markdown, "Source map missing: 2 frames of minified code could not be mapped to the source.")
	require.Equal(t, core.List[core.Untrusted]{"exceptions.0.frames.1: not mapped: no source map of its file was uploaded for the release"},
		made.JSON.Event.UnmappedFrames)
}
