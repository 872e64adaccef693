package prompts_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/prompts"
)

func makeReader(scopes ...core.Scope) core.Actor {
	return core.Actor{Type: core.ActorToken, ID: 1, Name: "agent", Scopes: scopes}
}

// TestStepsNameOnlyWhatTheReaderMayCall looks for the names of all operations in the briefs of different readers.
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
	reader := makeReader(core.IssuesRead, core.IssuesWrite)
	facts.Issue.Claim = &core.Claim{Holder: reader.Name, Worker: planted, ExpiresAt: core.At(briefNow.Add(41*time.Minute + time.Second))}
	facts.HeldSince = core.At(briefNow.Add(-19 * time.Minute))
	render := func(by, reader core.Actor, anyOne bool) core.Brief {
		facts.Holder = &by
		form := prompts.BriefForm{Budget: core.DefaultBriefBudget, FenceID: fenceID, Now: briefNow, Reader: reader, AnyOne: anyOne}
		made := prompts.RenderBrief(facts, form)
		require.NotContains(t, outsideOfFences(t, made.Markdown), planted, "names of workers are text of others")
		require.NotContains(t, strings.Join(made.JSON.NextSteps, " "), planted)
		require.NotContains(t, made.Markdown, "if it is yours")
		return made
	}
	stranger := reader
	stranger.ID = 2 // with the same name

	yours := render(reader.As(planted), reader.As(planted), false)
	require.Contains(t, yours.Markdown, "You hold it since 2026-03-14 12:11Z, 41 min left.")
	require.Contains(t, yours.Markdown, "You hold the claim: go on.")
	require.NotContains(t, yours.Markdown, "is claimed by")
	require.True(t, yours.JSON.Issue.IsYours)
	for _, other := range []core.Actor{reader, reader.As("w-3")} {
		ofWorker := render(reader.As(planted), other, false)
		require.Contains(t, ofWorker.Markdown, "Another worker of your token holds it until 2026-03-14 13:11Z.")
		require.Contains(t, ofWorker.Markdown, "the issue is claimed by agent, worker "+planted)
		require.False(t, ofWorker.JSON.Issue.IsYours)
	}
	ofOther := render(stranger.As(planted), reader.As(planted), false)
	require.Contains(t, ofOther.Markdown, "Claimed by another until 2026-03-14 13:11Z.")
	require.Contains(t, ofOther.Markdown, "Another holds the issue until 2026-03-14 13:11Z: do not start.")
	anyOne := render(reader, reader, true)
	require.Contains(t, anyOne.Markdown, "claim_issue id=42, before anything else: this brief is for whoever claims the issue.")
	require.False(t, anyOne.JSON.Issue.IsYours)
}

func TestBriefSaysWhatWaitsForApproval(t *testing.T) {
	t.Parallel()
	facts := makeFacts("x")
	facts.Approvals = []core.BriefApproval{
		{ID: 1, Action: core.HeldIssueAction(core.HoldIgnore), TargetID: 42, RequestedBy: planted, RequestedAt: briefNow, ExpiresAt: briefNow},
		{ID: 2, Action: core.HeldIssueAction(core.HoldMerge), TargetID: 42, SourceIDs: core.List[int64]{43, 44}, RequestedAt: briefNow},
		{ID: 3, Action: core.HeldIssueAction(core.HoldMerge), TargetID: 50, SourceIDs: core.List[int64]{42}, RequestedAt: briefNow},
	}
	for _, budget := range []int{core.MinBriefBudget, core.DefaultBriefBudget} {
		made := renderBrief(facts, budget)

		require.Contains(t, made.Markdown, "to ignore this issue.")
		require.Contains(t, strings.ToLower(made.Markdown), "do not start now")
		require.Contains(t, made.Markdown, "to merge issues 43, 44 into this one.")
		require.Contains(t, made.Markdown, "to merge this issue into issue 50.")
		require.NotContains(t, outsideOfFences(t, made.Markdown), planted)
		require.Len(t, made.JSON.Approvals, 3)
	}
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

// TestBriefSaysWhatIsMissing checks that less room leaves out the later parts, and that the brief says so.
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

// TestBriefMarksUnmappedFrames checks that a brief says that a source map is missing, and why.
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
