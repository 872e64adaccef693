package triage_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/envelope"
	"errand/grouping"
	"errand/testkit/corpora"
	"errand/triage"
)

// labels are the errors of testdata/labels.txt, which says for each whether a change of the app's code can plausibly fix it.
type labels struct {
	isFixable  map[string]bool   // by the word of a reason
	reasonOf   map[string]string // by source and id, such as "demo go_stock.json"
	exceptions map[string]string // why the rules differ
}

func readLabels(t *testing.T) labels {
	t.Helper()
	text, err := os.ReadFile("testdata/labels.txt")
	require.NoError(t, err)
	l := labels{map[string]bool{}, map[string]string{}, map[string]string{}}
	for line := range strings.Lines(string(text)) {
		kind, rest, isLabel := strings.Cut(strings.TrimSpace(line), " | ")
		if !isLabel || strings.HasPrefix(line, "#") {
			continue
		}
		first, second, _ := strings.Cut(rest, " | ")
		switch kind {
		case "reason":
			l.isFixable[first] = strings.HasPrefix(second, "yes | ")
		case "exception": // the id may have bars itself
			at := strings.LastIndex(rest, " | ")
			l.exceptions[rest[:at]] = rest[at+len(" | "):]
		case "errors", "fresh":
			l.add(t, kind+" "+second, first)
		default:
			l.add(t, kind+" "+first, second)
		}
	}
	return l
}

func (l labels) add(t *testing.T, id, reason string) {
	t.Helper()
	require.Contains(t, l.isFixable, reason, id)
	require.NotContains(t, l.reasonOf, id, "it is labelled twice")
	l.reasonOf[id] = reason
}

// check compares the rules' answer for an error with its label, and counts the result.
func (l labels) check(t *testing.T, id string, score *labelScore, answer core.Triage) {
	t.Helper()
	reason, isLabelled := l.reasonOf[id]
	require.True(t, isLabelled, "%s has no label", id)
	score.all++
	why := l.exceptions[id]
	if answer.AgentFixable == l.isFixable[reason] {
		score.agreed++
		require.Empty(t, why, "%s is no exception any more", id)
	} else if why == "" {
		t.Errorf("%s is labelled %s: agent_fixable must not be %v (%s)", id, reason, answer.AgentFixable, answer.Reasons[0])
	}
}

// labelScore counts how often rules and labels agree.
type labelScore struct{ all, agreed int }

func (s *labelScore) print(t *testing.T) {
	t.Helper()
	t.Logf("agent_fixable agrees with %d of %d labels", s.agreed, s.all)
}

// judgeEvent returns the triage of the issue that an event makes.
func judgeEvent(t *testing.T, payload []byte) core.Triage {
	t.Helper()
	event, err := new(envelope.Decoder).Decode(payload, envelope.Hints{ReceivedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	require.NoError(t, err)
	issue := &core.Issue{
		Title: core.Untrusted(grouping.MakeTitle(event)), Type: grouping.FindType(event), Culprit: core.Untrusted(grouping.FindCulprit(event)),
		Platform: event.Platform, Level: event.Level, Status: core.Unresolved, Trust: core.TrustHigh,
	}
	return triage.JudgeIssue(issue, triage.FindCrash(event))
}

// TestLabelsOfDemo holds that the rules know for every example of the demo whether code fixes it.
func TestLabelsOfDemo(t *testing.T) {
	t.Parallel()
	l, score := readLabels(t), &labelScore{}
	files, err := filepath.Glob("../demo/issues/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var example struct{ Event json.RawMessage }
		require.NoError(t, json.Unmarshal(text, &example))
		l.check(t, "demo "+filepath.Base(file), score, judgeEvent(t, example.Event))
	}
	score.print(t)
}

// TestLabelsOfErrors holds the same for errors in the words of runtimes, under the app's own code: the errors of
// testdata/errors.txt, which the rules were written for, and fresh ones, which they were not.
func TestLabelsOfErrors(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"errors", "fresh"} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			l, score := readLabels(t), &labelScore{}
			for id := range l.reasonOf {
				line, isOfSource := strings.CutPrefix(id, source+" ")
				if !isOfSource {
					continue
				}
				parts := strings.SplitN(line+" ", " | ", 3)
				require.Len(t, parts, 3, line)
				l.check(t, id, score, triage.JudgeIssue(errorIssue(parts), triage.Crash{Site: triage.App}))
			}
			score.print(t)
		})
	}
}

// TestEveryErrorHasALabel holds that every error in testdata/errors.txt has a label.
func TestEveryErrorHasALabel(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/errors.txt")
	require.NoError(t, err)
	l := readLabels(t)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			require.Contains(t, l.reasonOf, "errors "+line)
		}
	}
}

// errorIssue makes an issue from a platform, a type and a value.
func errorIssue(parts []string) *core.Issue {
	kind, value := strings.TrimSpace(parts[1]), strings.TrimSpace(parts[2])
	title := strings.TrimSuffix(strings.TrimPrefix(kind+": "+value, ": "), ": ")
	return &core.Issue{
		Title: core.Untrusted(title), Type: core.Untrusted(kind), Platform: parts[0], Level: "error", Status: core.Unresolved,
		Trust: core.TrustHigh,
	}
}

// TestCorporaLabels holds the same for events of real SDKs. Without the corpora it is skipped.
func TestCorporaLabels(t *testing.T) {
	t.Parallel()
	l, score := readLabels(t), &labelScore{}
	for id := range l.reasonOf {
		file, isCorpora := strings.CutPrefix(id, "corpora ")
		if !isCorpora {
			continue
		}
		corpus, path, _ := strings.Cut(file, "/")
		text, err := os.ReadFile(filepath.Join(corpora.FindCorpus(t, corpus), path))
		require.NoError(t, err)
		l.check(t, id, score, judgeEvent(t, text))
	}
	score.print(t)
}
