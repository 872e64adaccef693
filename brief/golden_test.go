package brief_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
	"errand/testkit/golden"
)

// TestGoldens writes the briefs of events from SDKs. An agent must be able to start with the first 2 KB, since
// clients show only that much of a long text.
func TestGoldens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(s *shop) (issue int64)
		must    []string // must be within the first 2 KB
	}{
		"node": {func(s *shop) int64 { return s.sendEvent(readEvent(s, "node")) },
			[]string{"(reading 'lines')", "src/pricing/reduction.js:12", ">   12 |   for (const line of cart.lines)", "claim_issue id=1"}},
		"browser": {sendMapped,
			[]string{"t is undefined", "countItems at ", "src/cart/countItems.ts:5", "cart.items.reduce", "Low trust"}},
		"python": {makePythonHistory,
			[]string{"no VAT rate for order 90211", "caused by KeyError: 'CH'", "return table[country]", "country = "}},
		"go": {func(s *shop) int64 { return s.sendEvent(readEvent(s, "go")) },
			[]string{"reserve 3 of article 5512: short read", "(*Store).Reserve at /build/reserve.go:88", "ReserveError{line.Article"}},
		"java": {sendAfterFramesless,
			[]string{"because \"facet\" is null", "FacetCounter", ":39", "2 newer events have none"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t)
			issue := c.prepare(s)

			made := s.buildBrief(issue, core.DefaultBriefBudget)

			golden.CheckFile(t, "testdata/"+name+".md", made.Markdown)
			golden.CheckFile(t, "testdata/"+name+".out.json", writeJSON(t, made.JSON))
			require.LessOrEqual(t, core.CountTokens(made.Markdown), core.DefaultBriefBudget)
			for _, text := range c.must {
				require.Contains(t, made.Markdown[:min(2048, len(made.Markdown))], text)
			}
		})
	}
}

func writeJSON(t *testing.T, facts core.BriefFacts) string {
	t.Helper()
	text, err := core.MarshalPlain(facts)
	require.NoError(t, err)
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, text, "", "  "))
	return pretty.String() + "\n"
}

// sendMapped sends an event of a page whose source map was uploaded.
func sendMapped(s *shop) int64 {
	s.callWith(core.UploadSourceMap.Operation, object{"project": "shop", "release": "web@8.1.0", "name": "~/assets/app-3f9c.js"},
		&core.FileBody{Type: core.SourceMapJSON, Reader: bytes.NewReader(readFile(s, "browser.js.map"))})
	return s.sendEvent(readEvent(s, "browser"))
}

// makePythonHistory makes an error that returns after a fix, with a note, and with a similar issue that was fixed.
func makePythonHistory(s *shop) int64 {
	event := readEvent(s, "python")
	deploy := func(release, commit string) {
		s.Forward(time.Hour)
		s.callOperation(core.CreateDeploy.Operation, object{"project": "shop", "release": release, "commit": commit})
	}
	s.callOperation(core.UpdateProject.Operation, object{"project": "shop", "repository": "acme/billing"})
	similar := s.sendEvent(changeEvent(s, event, object{
		"event_id": "0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c01", "fingerprint": []string{"export"}, "transaction": "billing.tasks.export",
	}))
	s.callOperation(core.AddNote.Operation, object{"id": similar,
		"text": "RATES_BY_YEAR has only countries of the EU; rate_of must ask is_outside_eu() first."})
	s.callOperation(core.LinkFix.Operation, object{"id": similar, "commit": "77aa77aa77aa77aa77aa77aa77aa77aa77aa77aa"})
	deploy("billing@2026.3.0", "1111111111111111111111111111111111111111")
	deploy("billing@2026.3.1", "2222222222222222222222222222222222222222")
	s.Forward(time.Minute)
	issue := s.sendEvent(changeEvent(s, event, object{
		"event_id": "0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c02", "release": "billing@2026.3.1", "timestamp": s.Now.Format(time.RFC3339),
	}))
	s.callOperation(core.AddNote.Operation, object{"id": issue,
		"text": "rate_of() has no row for CH.\nAdded CH to the table of 2026; ## not a heading, ``` not a fence."})
	s.callOperation(core.LinkFix.Operation, object{"id": issue, "commit": "3333333333333333333333333333333333333333"})
	deploy("billing@2026.3.2", "3333333333333333333333333333333333333333")
	s.Forward(20 * time.Minute)
	s.sendEvent(changeEvent(s, event, object{"timestamp": s.Now.Format(time.RFC3339)}))
	return issue
}

// sendAfterFramesless sends an event of the error, and then two without a stack.
func sendAfterFramesless(s *shop) int64 {
	event := changeEvent(s, readEvent(s, "java"), object{"fingerprint": []string{"search"}})
	issue := s.sendEvent(event)
	for _, id := range []string{"9988776655443322110099aabbccdd01", "9988776655443322110099aabbccdd02"} {
		s.Forward(time.Second)
		require.Equal(s, issue, s.sendEvent(changeEvent(s, event, object{
			"event_id": id, "threads": nil, "timestamp": s.Now.Format(time.RFC3339),
			"exception": object{"values": []object{{"type": "SearchException", "value": "search for 'desk' failed"}}},
		})))
	}
	return issue
}

func TestBriefOfNothing(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	target, source := storetest.MakeIssue(t, s.store, "pay"), storetest.MakeIssue(t, s.store, "pay again")
	storetest.MergeIssues(t, s.store, target, source)
	for name, id := range map[string]int64{"unknown": 4711, "merged": source} {
		_, failure := s.registry.Call(t.Context(), core.GetBrief.Operation, core.Call{Actor: core.NewBootstrapActor()}, object{"id": id})
		require.True(t, core.HasCode(failure, core.NotFound), "%s: %v", name, failure)
	}
	storetest.HideProject(t, s.store, storetest.Shop)
	_, failure := s.registry.Call(t.Context(), core.GetBrief.Operation, core.Call{Actor: core.NewBootstrapActor()}, object{"id": target})
	require.True(t, core.HasCode(failure, core.NotFound), "of a deleted project: %v", failure)
}
