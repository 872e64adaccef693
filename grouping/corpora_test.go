package grouping_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/envelope"
	"errand/grouping"
	"errand/testkit/corpora"
)

// TestCorporaGrouping scores the groups against another tracker's. One pair is impossible: three of the events differ only in
// settings of that tracker, and two pairs of them must group and the third must not.
func TestCorporaGrouping(t *testing.T) {
	t.Parallel()
	dir := corpora.FindCorpus(t, "grouping")
	expected := readJSON[map[string][]string](t, filepath.Join(dir, "expected.json"))
	keys, names := map[string]grouping.Key{}, []string{}
	for name := range expected {
		keys[name] = grouping.ComputeKey(readEvent(t, filepath.Join(dir, "inputs", name)))
		names = append(names, name)
	}
	slices.Sort(names)
	var must, together, mustNot, wrong int
	for i, first := range names {
		for _, second := range names[i+1:] {
			same := keys[first] == keys[second]
			shared := slices.ContainsFunc(expected[first], func(hash string) bool { return slices.Contains(expected[second], hash) })
			switch {
			case shared && same:
				must, together = must+1, together+1
			case shared:
				must++
				t.Logf("apart: %s, %s", first, second)
			case len(expected[first]) > 0 && len(expected[second]) > 0:
				mustNot++
				if same {
					wrong++
					t.Logf("merged: %s, %s", first, second)
				}
			}
		}
	}
	t.Logf("%d of %d pairs that must group, %d wrong merges of %d", together, must, wrong, mustNot)
	require.GreaterOrEqual(t, together, 31)
	require.LessOrEqual(t, wrong, 3)
}

// trackerAnswer is a real tracker's result for an event. One of its programming interfaces has the exceptions as an entry.
type trackerAnswer struct {
	Title, Culprit string
	Exception      trackerExceptions
	Entries        []struct {
		Type string
		Data json.RawMessage
	}
}

type trackerExceptions struct {
	Values []struct {
		Stacktrace struct{ Frames []struct{ Filename string } }
	}
}

// setSources marks the frames that the tracker found in source maps, which the corpus lacks.
func (a *trackerAnswer) setSources(t *testing.T, event *core.Event) {
	t.Helper()
	list := a.Exception
	for _, entry := range a.Entries {
		if entry.Type == "exception" {
			require.NoError(t, json.Unmarshal(entry.Data, &list))
		}
	}
	for i, x := range list.Values {
		for j, frame := range x.Stacktrace.Frames {
			if strings.HasPrefix(frame.Filename, "webpack://") {
				frames := event.Exceptions[len(list.Values)-1-i].Frames
				frames[len(frames)-1-j].Source = &core.SourcePosition{Path: core.Untrusted(frame.Filename)}
			}
		}
	}
}

// TestCorporaTitles scores titles and culprits against another tracker's. Two culprits are impossible: the corpus has lost the
// frame that they name.
func TestCorporaTitles(t *testing.T) {
	t.Parallel()
	dir := corpora.FindCorpus(t, "glitchtip-2022")
	var answers, titles, culprits int
	for _, folder := range []string{"oss_sentry_json", "oss_sentry_events"} {
		files, err := filepath.Glob(filepath.Join(dir, folder, "*.json"))
		require.NoError(t, err)
		for _, file := range files {
			want := readJSON[trackerAnswer](t, file)
			event := readEvent(t, filepath.Join(dir, "incoming_events", filepath.Base(file)))
			want.setSources(t, event)
			answers++
			if title := grouping.MakeTitle(event); isTitle(title, want.Title) {
				titles++
			} else {
				t.Logf("title of %s: %q, not %q", filepath.Base(file), title, want.Title)
			}
			if culprit := grouping.FindCulprit(event); culprit == want.Culprit {
				culprits++
			} else {
				t.Logf("culprit of %s: %q, not %q", filepath.Base(file), culprit, want.Culprit)
			}
		}
	}
	t.Logf("%d titles and %d culprits of %d", titles, culprits, answers)
	require.Equal(t, answers, titles)
	require.GreaterOrEqual(t, culprits*10, answers*9)
}

// isTitle compares titles; the other tracker cuts them at 100 characters.
func isTitle(got, want string) bool {
	if start, found := strings.CutSuffix(want, "..."); found {
		return strings.HasPrefix(got, start)
	}
	return got == want
}

func readEvent(t *testing.T, file string) *core.Event {
	t.Helper()
	payload, err := os.ReadFile(file)
	require.NoError(t, err)
	e, err := new(envelope.Decoder).Decode(payload, envelope.Hints{ReceivedAt: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)})
	require.NoError(t, err, "in %s", file)
	return e
}

func readJSON[T any](t *testing.T, file string) T {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var v T
	require.NoError(t, json.Unmarshal(text, &v), "in %s", file)
	return v
}
