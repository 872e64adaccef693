package core

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// manyKeys makes an object with a number of keys, each with a value of some bytes.
func manyKeys(keys, bytes int) Value {
	object := Value{Kind: Object}
	for n := range keys {
		object.Kids = append(object.Kids, Member{Key: fmt.Sprintf("key %05d", n), Value: StringValue(strings.Repeat("x", bytes))})
	}
	return object
}

// nest wraps a value in objects and arrays, depth levels deep.
func nest(v Value, depth int) Value {
	for range depth {
		v = Value{Kind: Object, Kids: []Member{{Key: "in", Value: Value{Kind: Array, Kids: []Member{{Value: v}}}}}}
	}
	return v
}

func frameWith(vars Value) List[Exception] {
	return List[Exception]{{Type: "Error", Frames: List[Frame]{{Function: "pay", InApp: true, Vars: vars}}}}
}

// Any part of an event may be long. Whichever it is, the answer is cut to the budget, quickly, and says where.
func TestAnEventOfManyMembersFitsTheBudget(t *testing.T) {
	t.Parallel()
	const variables = "data.event.exceptions[0].frames[0].vars"
	extra, tree := []EventPart{"extra"}, Value{Kind: Object}
	for n := range 300 {
		tree.Kids = append(tree.Kids, Member{Key: fmt.Sprint("branch ", n), Value: manyKeys(20, 20)})
	}
	largeAndSmall := manyKeys(100, 10)
	largeAndSmall.Kids[0].Value = StringValue(strings.Repeat("<\"\n", 100_000))
	longKey := Value{Kind: Object, Kids: []Member{{Key: strings.Repeat("k", 200_000)}}}
	for name, c := range map[string]struct {
		event Event
		parts []EventPart
		path  string
	}{
		"short keys":  {Event{Extra: manyKeys(12_000, 3)}, extra, "data.event.extra"},
		"texts":       {Event{Extra: manyKeys(1000, 240)}, extra, "data.event.extra"},
		"a tree":      {Event{Extra: tree}, extra, "data.event.extra"},
		"one large":   {Event{Extra: largeAndSmall}, extra, "data.event.extra"},
		"a key alone": {Event{Extra: longKey}, extra, "data.event.extra"},
		"nested deep": {Event{Extra: nest(manyKeys(12_000, 3), 200)}, extra, "data.event.extra"},
		"headers": {Event{Request: &Request{Headers: manyKeys(12_000, 3)}}, []EventPart{"request"},
			"data.event.request.headers"},
		"variables of the app":          {Event{Exceptions: frameWith(manyKeys(12_000, 3))}, nil, variables},
		"variables of the app, as text": {Event{Exceptions: frameWith(manyKeys(1000, 240))}, nil, variables},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			detail := EventDetail{Event: c.event}
			detail.Event.CutToFit(ModelBudget, c.parts)
			answer, err := newAnswer(GetEvent.Operation, Data[EventDetail]{detail}, &Standing{})
			require.NoError(t, err)
			whole := len(answer.Body)

			body, err := fitBudget(answer.Body, GetEvent.Operation.derive().freeForm, ModelBudget)

			require.NoError(t, err)
			t.Logf("%d bytes of %d in %s", len(body), whole, time.Since(start))
			require.LessOrEqual(t, WeighText(body), ModelBudget)
			require.True(t, name == "a key alone" || WeighText(body) > ModelBudget*9/10, "it is cut no more than it must be")
			var cut Value
			require.NoError(t, cut.UnmarshalJSON(body))
			require.Equal(t, c.path, cut.Get("left_out").Kids[0].Value.Get("path").Text)
			paths := cut.Get("untrusted").Get("paths").Kids
			require.Len(t, paths, len(GetEvent.Operation.derive().untrusted.Paths), "what marks the app's text stays")
		})
	}
}

// TestALongListIsReadTwice pages through items of very different lengths as a model: each answer fits, its cursor
// continues after its last item, and no answer takes more than two reads.
func TestALongListIsReadTwice(t *testing.T) {
	t.Parallel()
	const items = 40
	reads := 0
	r, _ := registryWith(t, BindHandler(ListIssues, func(_ context.Context, _ Call, in ListIssuesInput) (IssuePage, error) {
		reads++
		first := 0
		if in.Cursor != "" {
			after, err := in.Cursor.Position("n", 0)
			if err != nil {
				return IssuePage{}, err
			}
			first = int(after.ID)
		}
		page := IssuePage{}
		for n := first; n < min(first+in.Limit, items); n++ {
			length := 10 + n%7*n%11*2000
			page.Data = append(page.Data, ListedIssue{Issue: Issue{ID: int64(n + 1), Title: Untrusted(strings.Repeat("字", length))}})
		}
		if first+in.Limit < items {
			page.NextCursor = ListPosition{Sort: "n", At: time.Time{}, ID: int64(first + in.Limit)}.Cursor()
		}
		return page, nil
	}))
	var seen []int64
	args := map[string]any{"limit": json.Number("40")}
	for answers := 1; ; answers++ {
		call := adminCall()
		call.ForModel = true
		before := reads

		answer, failure := r.Call(t.Context(), ListIssues.Operation, call, args)

		require.Nil(t, failure)
		require.LessOrEqual(t, reads-before, 2)
		require.LessOrEqual(t, WeighText(answer.Body), ModelBudget)
		var page struct {
			Data       []struct{ ID int64 }
			NextCursor *string `json:"next_cursor"`
		}
		require.NoError(t, json.Unmarshal(answer.Body, &page))
		for _, issue := range page.Data {
			seen = append(seen, issue.ID)
		}
		if page.NextCursor == nil {
			require.Greater(t, answers, 2)
			break
		}
		args = map[string]any{"limit": json.Number("40"), "cursor": *page.NextCursor}
	}
	require.Len(t, seen, items)
	require.IsIncreasing(t, seen)
}
