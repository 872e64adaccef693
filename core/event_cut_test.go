package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// heavyEvent returns an event with long texts everywhere, far more than a model can take.
func heavyEvent() EventDetail {
	long := Untrusted(strings.Repeat("日本 <&> ", 700))
	lines := List[Untrusted]{long[:400], long[:400]}
	object := Value{Kind: Object}
	for n := range 40 {
		object.Kids = append(object.Kids, Member{Key: fmt.Sprint("key", n), Value: StringValue(string(long[:1000]))})
	}
	e := Event{Title: long[:200], Message: long, User: object, Tags: object,
		Contexts: object, Extra: object, Request: &Request{URL: long, Data: object}}
	for range 3 {
		x := Exception{Type: "ValueError", Value: long}
		for n := range 100 {
			x.Frames = append(x.Frames, Frame{Function: "pay", Module: "shop", InApp: n%4 == 0, ContextLine: long[:200], PreContext: lines,
				PostContext: lines, Vars: Value{Kind: Object, Kids: object.Kids[:2]}})
		}
		e.Exceptions = append(e.Exceptions, x)
	}
	e.Threads = List[Thread]{{Name: "main", Frames: slices.Clone(e.Exceptions[0].Frames)}}
	for range 100 {
		e.Breadcrumbs = append(e.Breadcrumbs, Breadcrumb{Message: long[:600], Data: Value{Kind: Object, Kids: object.Kids[:1]}})
	}
	return EventDetail{Event: e}
}

func TestAHeavyEventIsCutToFit(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string][]EventPart{
		"the whole": nil, "exceptions": {"exceptions"}, "breadcrumbs": {"breadcrumbs"}, "extra": {"extra"},
		"threads": {"threads"}, "two parts": {"exceptions", "contexts"}, "both stacks": {"exceptions", "threads"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			detail := heavyEvent()
			detail.Event.KeepParts(parts)

			detail.Event.CutToFit(ModelBudget, parts)

			answer, err := newAnswer(GetEvent.Operation, Data[EventDetail]{detail}, &Standing{})
			require.NoError(t, err)
			body, err := fitBudget(answer.Body, GetEvent.Operation.derive().freeForm, ModelBudget)
			require.NoError(t, err)
			require.LessOrEqual(t, WeighText(body), ModelBudget)
			if parts == nil {
				require.NotEmpty(t, detail.Event.Exceptions)
				require.Contains(t, detail.Event.Problems[0].Reason, "library frames", "what helps least comes first")
				require.Equal(t, "threads[].frames[]", detail.Event.Problems[0].Path)
				require.Equal(t, "exceptions[].frames[]", detail.Event.Problems[1].Path)
				require.Contains(t, detail.Event.Problems[2].Path, "breadcrumbs")
			}
			if len(parts) == 1 && parts[0] == "threads" {
				require.Equal(t, "threads[].frames[]", detail.Event.Problems[0].Path)
			}
			requireProblemsSayWhatBringsBack(t, detail.Event.Problems)
		})
	}
}

// requireProblemsSayWhatBringsBack checks that each problem names the part that was cut, and only arguments that bring it back.
func requireProblemsSayWhatBringsBack(t *testing.T, problems []Problem) {
	t.Helper()
	for _, p := range problems {
		part, _, _ := strings.Cut(p.Path, "[")
		if _, back, isNamed := strings.Cut(p.Reason, "parts="); isNamed {
			require.True(t, strings.HasPrefix(back, part+" "), "%s: %s", p.Path, p.Reason)
		}
	}
}

func TestAnyAnswerFitsTheBudget(t *testing.T) {
	t.Parallel()
	issue := Issue{Title: Untrusted(strings.Repeat("字", 200)), Culprit: Untrusted(strings.Repeat("字", 200))}
	page := IssuePage{}
	for range 1000 {
		page.Data = append(page.Data, ListedIssue{Issue: issue})
	}
	answer, err := newAnswer(ListIssues.Operation, page, &Standing{})
	require.NoError(t, err)
	require.Greater(t, WeighText(answer.Body), ModelBudget)

	body, err := fitBudget(answer.Body, ListIssues.Operation.derive().freeForm, ModelBudget)

	require.NoError(t, err)
	require.LessOrEqual(t, WeighText(body), ModelBudget)
	require.Contains(t, string(body), `"left_out":[{"path":"data","kept":`)
}
