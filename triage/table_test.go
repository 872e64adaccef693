package triage

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
)

var categories = []core.Category{
	core.Bug, core.Dependency, core.Configuration, core.Infrastructure, core.Network, core.DataCategory, core.Client, core.ThirdParty,
	core.Security, core.Performance, core.UnknownCause,
}

func allAnswers() []answer {
	list := []answer{extensionAnswer, missingAnswer}
	for _, r := range slices.Concat(noiseWordings, wordings) {
		list = append(list, r.answer)
	}
	for _, r := range slices.Concat(types, endings) {
		list = append(list, r.answer)
	}
	return list
}

func TestEveryRuleIsComplete(t *testing.T) {
	t.Parallel()
	for _, a := range allAnswers() {
		require.Contains(t, categories, a.category)
		require.NotEqual(t, core.UnknownCause, a.category)
		require.Greater(t, a.confidence, 0.3, a.reason)
		require.Less(t, a.confidence, 1.0, a.reason)
		require.Regexp(t, `^[A-Z][^.!?]+[.]$`, a.reason, "a reason is one sentence")
	}
}

func TestEveryWordingCanBeFound(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range slices.Concat(noiseWordings, wordings) {
		for _, w := range r.wordings {
			require.Equal(t, strings.ToLower(w), w)
			require.False(t, seen[w], "%q is in the table twice", w)
			seen[w] = true
			platform := ""
			if len(r.platforms) > 0 {
				platform = r.platforms[0]
			}
			require.NotNil(t, wordingRules.findRule("Before it. "+strings.ToUpper(w)+" (after)", platform), w)
		}
	}
}

func TestEveryTypeIsThereOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range types {
		for _, name := range r.types {
			require.Equal(t, name, plainType(name), "%q cannot be found", name)
			require.False(t, seen[name], "%q is in the table twice", name)
			seen[name] = true
		}
	}
}

func TestPlainType(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"java.net.SocketTimeoutException": "sockettimeoutexception", "ActiveRecord::RecordInvalid": "recordinvalid", "*net.OpError": "operror",
		`Illuminate\Database\QueryException`: "queryexception", "System.Collections.Generic.List`1[[System.Int32]]": "list", "": "",
		"*": "", "...": "",
		"com.shop.Cart$Missing": "missing", "Error": "error", "class@anonymous/app/a.php": "class",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, plainType(kind))
		})
	}
}

// TestEveryIssueHasATriage holds that any text gets a complete answer, the same each time, and that the answer contains nothing
// of the text.
func TestEveryIssueHasATriage(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, a := range allAnswers() {
		known[a.reason] = true
	}
	rapid.Check(t, func(t *rapid.T) {
		issue := &core.Issue{
			Title: core.Untrusted(rapid.String().Draw(t, "title")), Type: core.Untrusted(rapid.String().Draw(t, "type")),
			Culprit:   core.Untrusted(rapid.String().Draw(t, "culprit")),
			Level:     rapid.SampledFrom([]string{"fatal", "error", "warning", "info", "debug", "?"}).Draw(t, "level"),
			Platform:  rapid.SampledFrom([]string{"node", "javascript", "go", ""}).Draw(t, "platform"),
			Status:    rapid.SampledFrom([]core.Status{core.Unresolved, core.Regressed, core.Merged}).Draw(t, "status"),
			Events24h: rapid.Int64().Draw(t, "events"),
		}
		crash := Crash{Site: rapid.SampledFrom([]CrashSite{"", App, Library, Extension, NoStack}).Draw(t, "site")}
		answer := JudgeIssue(issue, crash)
		require.Equal(t, answer, JudgeIssue(issue, crash))
		require.Contains(t, categories, answer.Category)
		require.GreaterOrEqual(t, answer.Severity, core.SeverityLow)
		require.LessOrEqual(t, answer.Severity, core.SeverityCritical)
		require.Greater(t, answer.Confidence, 0.0)
		require.Less(t, answer.Confidence, 1.0)
		require.NotEmpty(t, answer.Reasons)
		require.True(t, known[answer.Reasons[0]] || strings.Contains(answer.Reasons[0], "rules do not know") ||
			strings.Contains(answer.Reasons[0], "a message for information"), answer.Reasons[0])
		require.Equal(t, Model, answer.Model)
		require.Empty(t, answer.CorrectedBy)
		if answer.Noise {
			require.False(t, answer.AgentFixable)
			require.Equal(t, core.SeverityLow, answer.Severity)
		}
	})
}

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"timeout ", "a ", "\x00", "::", "::::$", "extension://", "chrome-extension:/", "\xff\xfe", "🙂"} {
		long := core.Untrusted(strings.Repeat(part, 1<<20/len(part)))
		issue := &core.Issue{Title: long, Type: long, Culprit: long, Level: "error"}
		require.Equal(t, JudgeIssue(issue, Crash{}),
			JudgeIssue(&core.Issue{Title: long[:maxText], Type: long[:maxText], Culprit: long[:maxText], Level: "error"}, Crash{}))
	}
}

func BenchmarkJudgeIssue(b *testing.B) {
	issue := issueOf("node", "TypeError",
		"Cannot read properties of undefined (reading 'total') while the cart of a customer was loaded from the store")
	b.ReportAllocs()
	for b.Loop() {
		JudgeIssue(issue, Crash{Site: App})
	}
}
