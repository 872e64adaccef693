package triage

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

var update = flag.Bool("update", false, "write the golden files anew")

// issueOf makes an issue of an exception, with the title that ingest would make.
func issueOf(platform, kind, value string) *core.Issue {
	title := value
	if kind != "" && value != "" {
		title = kind + ": " + value
	} else if kind != "" {
		title = kind
	}
	return &core.Issue{
		Title: core.Untrusted(title), Type: core.Untrusted(kind), Platform: platform, Level: "error", Status: core.Unresolved,
		Trust: core.TrustHigh, TimesSeen: 1,
	}
}

// TestGoldens shows the triage of many errors in the words of runtimes: testdata/errors.txt has platform, type and value,
// separated by bars; the golden file shows how the rules judge each under the app's own code.
func TestGoldens(t *testing.T) {
	t.Parallel()
	const golden = "testdata/errors.golden"
	file, err := os.Open("testdata/errors.txt")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	var got strings.Builder
	for lines := bufio.NewScanner(file); lines.Scan(); {
		platform, rest, _ := strings.Cut(lines.Text(), " | ")
		kind, value, _ := strings.Cut(rest, " | ")
		if lines.Text() == "" {
			continue
		}
		answer := JudgeIssue(issueOf(platform, strings.TrimSpace(kind), value), Crash{Site: App})
		fmt.Fprintf(&got, "%s\n    %s\n", lines.Text(), summarize(answer))
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func summarize(t core.Triage) string {
	words := []string{string(t.Category), fmt.Sprint("severity ", t.Severity)}
	for _, f := range []struct {
		is   bool
		name string
	}{{t.Transient, "transient"}, {t.AgentFixable, "fixable"}, {t.Noise, "noise"}} {
		if f.is {
			words = append(words, f.name)
		}
	}
	return strings.Join(append(words, fmt.Sprint(t.Confidence)), ", ")
}

func TestSite(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	app, lib := core.Frame{Function: "pay", InApp: true}, core.Frame{Function: "query"}
	page := core.Frame{Function: "e", AbsPath: "https://shop.example/app.js", InApp: true}
	ext := core.Frame{Function: "x", AbsPath: "chrome-extension://abc/content.js", InApp: true}
	for name, test := range map[string]struct {
		event core.Event
		want  Crash
	}{
		"nothing":   {core.Event{}, Crash{Site: NoStack}},
		"no frames": {core.Event{Exceptions: core.List[core.Exception]{{Type: "E"}}}, Crash{Site: NoStack}},
		"app":       {core.Event{Exceptions: core.List[core.Exception]{{Frames: core.List[core.Frame]{lib, app}}}}, Crash{Site: App}},
		"library": {core.Event{Exceptions: core.List[core.Exception]{{Frames: core.List[core.Frame]{lib, lib}}}},
			Crash{Site: Library}},
		"app in the cause": {core.Event{Exceptions: core.List[core.Exception]{{Frames: core.List[core.Frame]{lib}},
			{Frames: core.List[core.Frame]{app}}}}, Crash{Site: App}},
		"extension": {core.Event{Exceptions: core.List[core.Exception]{{Frames: core.List[core.Frame]{ext, page}}}},
			Crash{Site: Extension}},
		"called by extension": {core.Event{Exceptions: core.List[core.Exception]{{Frames: core.List[core.Frame]{page, ext}}}}, Crash{Site: App}},
		"thread": {core.Event{Threads: core.List[core.Thread]{{Frames: core.List[core.Frame]{lib}},
			{Crashed: true, Frames: core.List[core.Frame]{app}}}}, Crash{Site: App}},
		"other thread": {core.Event{Threads: core.List[core.Thread]{{Frames: core.List[core.Frame]{app}}}}, Crash{Site: NoStack}},
		"unhandled": {core.Event{Exceptions: core.List[core.Exception]{{Mechanism: &core.Mechanism{Handled: &no}}}},
			Crash{Site: NoStack, Handled: &no}},
		"handled": {core.Event{Exceptions: core.List[core.Exception]{{Mechanism: &core.Mechanism{Handled: &yes}}}},
			Crash{Site: NoStack, Handled: &yes}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, FindCrash(&test.event))
		})
	}
}

func TestExtensionsAreNoise(t *testing.T) {
	t.Parallel()
	bug := issueOf("javascript", "TypeError", "x is not a function")
	require.False(t, JudgeIssue(bug, Crash{Site: App}).Noise)
	require.True(t, JudgeIssue(bug, Crash{Site: Extension}).Noise)
	bug.Culprit = "inject(chrome-extension://abcdef/content.js)"
	answer := JudgeIssue(bug, Crash{})
	require.True(t, answer.Noise)
	require.False(t, answer.AgentFixable)
	require.Equal(t, core.SeverityLow, answer.Severity)
}

func TestSeverity(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, test := range map[string]struct {
		change func(*core.Issue)
		crash  Crash
		want   int
	}{
		"error":      {func(*core.Issue) {}, Crash{Site: App}, core.SeverityHigh},
		"unhandled":  {func(*core.Issue) {}, Crash{Site: App, Handled: &no}, core.SeverityHigh},
		"handled":    {func(*core.Issue) {}, Crash{Site: App, Handled: &yes}, core.SeverityMedium},
		"fatal":      {func(i *core.Issue) { i.Level = "fatal" }, Crash{Site: App}, core.SeverityCritical},
		"warning":    {func(i *core.Issue) { i.Level = "warning" }, Crash{Site: App}, core.SeverityMedium},
		"info":       {func(i *core.Issue) { i.Level = "info" }, Crash{Site: App}, core.SeverityLow},
		"many users": {func(i *core.Issue) { i.UsersAffected = 100 }, Crash{Site: App}, core.SeverityCritical},
		"few users":  {func(i *core.Issue) { i.UsersAffected = 99 }, Crash{Site: App}, core.SeverityHigh},
		"many a day": {func(i *core.Issue) { i.Events24h = 1000 }, Crash{Site: App}, core.SeverityCritical},
		"came back":  {func(i *core.Issue) { i.Status = core.Regressed }, Crash{Site: App, Handled: &yes}, core.SeverityHigh},
		"all of it": {func(i *core.Issue) { i.Level, i.Status, i.UsersAffected = "fatal", core.Regressed, 1000 }, Crash{},
			core.SeverityCritical},
		"a timeout":         {func(i *core.Issue) { i.Title = "Error: connect ETIMEDOUT" }, Crash{Site: App}, core.SeverityMedium},
		"a timeout as info": {func(i *core.Issue) { i.Title, i.Level = "connect ETIMEDOUT", "info" }, Crash{Site: App}, core.SeverityLow},
		"out of memory":     {func(i *core.Issue) { i.Title = "Error: JavaScript heap out of memory" }, Crash{Site: App}, core.SeverityCritical},
		"noise with users": {func(i *core.Issue) { i.Title, i.UsersAffected = "ResizeObserver loop limit exceeded", 900 },
			Crash{Site: App}, core.SeverityLow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issue := issueOf("node", "TypeError", "x is not a function")
			test.change(issue)
			require.Equal(t, test.want, JudgeIssue(issue, test.crash).Severity)
		})
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	issue := issueOf("node", "TypeError", "Cannot read properties of undefined (reading 'total')")
	issue.Status, issue.UsersAffected, issue.Trust = core.Regressed, 500, core.TrustLow
	require.Equal(t, core.List[string]{
		"The code uses a value that is not there.",
		"The stack trace has code of the app.",
		"It happens to many users or many times a day.",
		"It came back after a fix.",
		"Anybody on the web can send events to this project, so they may be made up.",
	}, JudgeIssue(issue, Crash{Site: App}).Reasons)
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	sure := func(kind, value string, crash Crash) float64 {
		return JudgeIssue(issueOf("node", kind, value), crash).Confidence
	}
	known := sure("TypeError", "x is not a function", Crash{Site: App})
	require.Greater(t, known, sure("TypeError", "x is not a function", Crash{Site: NoStack}), "a stack trace of the app makes a bug surer")
	require.Greater(t, known, sure("TypeError", "ouch", Crash{Site: App}), "type and wording agree")
	require.Greater(t, sure("TypeError", "ouch", Crash{Site: App}), sure("Ouch", "ouch", Crash{Site: App}))
	require.Greater(t, sure("Error", "connect ECONNREFUSED", Crash{}), sure("JSONDecodeError", "connect ECONNREFUSED", Crash{}),
		"type and wording disagree")
	low := issueOf("node", "TypeError", "x is not a function")
	low.Trust = core.TrustLow
	require.Less(t, JudgeIssue(low, Crash{Site: App}).Confidence, known)
}

func TestCorrect(t *testing.T) {
	t.Parallel()
	model := JudgeIssue(issueOf("node", "TypeError", "x is not a function"), Crash{Site: App})
	reasons := slices.Clone(model.Reasons)
	require.Equal(t, model, CorrectTriage(model, core.TriageChange{}, "nobody"))
	category, severity, yes := core.Configuration, core.SeverityLow, true
	got := CorrectTriage(model, core.TriageChange{Category: &category, Severity: &severity, Noise: &yes}, "fixer")
	want := model
	want.Category, want.Severity, want.Noise, want.CorrectedBy = core.Configuration, core.SeverityLow, true, "fixer"
	want.Reasons = append(reasons, "Corrected by hand: category, severity, noise.")
	require.Equal(t, want, got)
	require.Len(t, model.Reasons, len(want.Reasons)-1, "the model's answer is left alone")
}
