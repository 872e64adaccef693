package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
)

// TestOpenIssuesOfProjects counts what waits for somebody.
func TestOpenIssuesOfProjects(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	require.Empty(t, h.callList(reader, core.CountOpenIssues.Operation, `{}`))
	h.addEvent("cart")
	resolved := h.addEvent("pay")
	ignored := h.addEvent("stock")
	h.mustCall(writer, core.ResolveIssue.Operation, idArgs(resolved))
	h.mustCall(writer, core.IgnoreIssue.Operation, idArgs(ignored))

	open := h.callList(reader, core.CountOpenIssues.Operation, `{}`)

	require.Len(t, open, 1)
	require.EqualValues(t, shop, open[0]["project_id"])
	require.EqualValues(t, 1, open[0]["open"])
}

// TestTeamsOfAProject asks who sees a project, as people of each kind.
func TestTeamsOfAProject(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	args := fmt.Sprintf(`{"project": "%d"}`, shop)
	for who, want := range map[string]struct{ teams, others int }{
		"site admin": {5, 0}, "viewer": {1, 4}, "owner": {1, 4},
	} {
		found := h.callData(people[who], core.ListProjectTeams.Operation, args)
		teams := found["teams"].([]any)
		require.Len(t, teams, want.teams, who)
		require.EqualValues(t, want.others, found["others"], who)
		if who == "viewer" {
			members := teams[0].(object)["members"].([]any)
			require.Equal(t, object{"email_address": "viewer@example.org", "role": "viewer", "disabled": false}, members[0])
		}
	}
	_, failure := h.callOperation(people["in no team"], core.ListProjectTeams.Operation, args)
	require.Equal(t, core.ProjectNotFound, failure.Code)
}

// TestSourceMapState counts mapped and unmapped frames of each release.
func TestSourceMapState(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	const file, debugID = "https://shop.example/app.js", "00000000-0000-4000-8000-000000000001"
	mapped := core.Frame{AbsPath: file, Source: &core.SourcePosition{Path: "src/pay.js"}}
	lost := core.Frame{AbsPath: file}
	add := func(group string, n int, release string, frames core.List[core.Frame], problems ...core.Problem) {
		event := h.newEvent(group, n)
		event.Release = release
		stored := core.Event{
			Exceptions: core.List[core.Exception]{{Frames: frames}}, Problems: problems,
			DebugImages: core.List[core.DebugImage]{{Type: "sourcemap", DebugID: debugID, CodeFile: file}},
		}
		event.Payload = intake.PackPlain(stored.AppendJSON(nil))
		h.addEvents(comparableEvent(event))
	}
	add("pay", 1, "1.4.0", core.List[core.Frame]{mapped, mapped, {AbsPath: "/lib.js"}})
	add("cart", 1, "1.5.0", core.List[core.Frame]{mapped, lost, lost},
		core.Problem{Path: "exceptions.0.frames.1", Reason: core.NotMapped + "upload it"},
		core.Problem{Path: "exceptions.0.frames.2", Reason: core.NotMapped + "upload it"}, core.Problem{Path: "tags", Reason: "cut"})
	add("stock", 1, "1.5.0", core.List[core.Frame]{{AbsPath: "/app/main.go"}})

	state := h.callData(reader, core.GetSourceMapState.Operation, `{"project": "shop"}`)

	require.EqualValues(t, 3, state["events"])
	releases := map[string]object{}
	for _, r := range state["releases"].([]any) {
		releases[r.(object)["release"].(string)] = r.(object)
	}
	require.Len(t, releases, 2)
	require.EqualValues(t, 2, releases["1.4.0"]["mapped"])
	require.EqualValues(t, 0, releases["1.4.0"]["unmapped"])
	require.EqualValues(t, 1, releases["1.5.0"]["events"], "the one with frames of minified code")
	require.EqualValues(t, 1, releases["1.5.0"]["mapped"])
	require.EqualValues(t, 2, releases["1.5.0"]["unmapped"])
	require.Equal(t, []any{object{"reason": "upload it", "frames": 2.0, "file_untrusted": file, "debug_id_untrusted": debugID}},
		releases["1.5.0"]["missing"])
}
