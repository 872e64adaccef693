package brief_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/brief"
	"errand/core"
)

// makeLargeEvent makes an event of the largest allowed size: frames with much code and many variables, and breadcrumbs.
func makeLargeEvent(t testing.TB) []byte {
	t.Helper()
	var event object
	require.NoError(t, json.Unmarshal(readEvent(t, "python"), &event))
	var frames, crumbs []object
	for n := range 100 {
		vars := object{}
		for v := range 20 {
			vars[fmt.Sprint("variable", v)] = object{"id": v, "name": strings.Repeat("n", 30), "list": []int{1, 2, 3}}
		}
		frames = append(frames, object{
			"filename": fmt.Sprintf("shop/part%d.py", n), "module": "shop.part", "function": fmt.Sprintf("function_%c%c", 'a'+n%26, 'a'+n/26),
			"lineno": n + 10, "in_app": n%3 > 0, "context_line": "    return call(order)", "vars": vars,
			"pre_context": []string{"def call(order):", "    x = order.lines", "", "    # next", "    y = 1"},
		})
		crumbs = append(crumbs, object{"category": "query", "message": strings.Repeat("SELECT 1 ", 20)})
	}
	event["breadcrumbs"] = crumbs
	event["exception"] = []object{{"type": "KeyError", "value": "'CH'", "stacktrace": object{"frames": frames}}}
	text, err := json.Marshal(event)
	require.NoError(t, err)
	require.Greater(t, len(text), 190<<10)
	return text
}

// BenchmarkLargeEvent makes briefs of a large event, of an issue with notes, from the database to the text. The
// yardstick is encoding/json, which reads only that event.
func BenchmarkLargeEvent(b *testing.B) {
	text := makeLargeEvent(b)
	b.Run("yardstick", func(b *testing.B) {
		for b.Loop() {
			var read any
			require.NoError(b, json.Unmarshal(text, &read))
		}
	})
	b.Run("brief", func(b *testing.B) { buildBriefs(b, text) })
}

// BenchmarkOrdinaryEvent does the same for an event from Django.
func BenchmarkOrdinaryEvent(b *testing.B) { buildBriefs(b, readEvent(b, "python")) }

func buildBriefs(b *testing.B, event []byte) {
	b.Helper()
	s := openShop(b)
	issue := s.sendEvent(event)
	for n := range 10 {
		s.callOperation(core.AddNote.Operation, object{"id": issue, "text": fmt.Sprint("note ", n, strings.Repeat(" word", 100))})
	}
	o := brief.Options{Reader: brief.RunnerActor(), Random: rand.Reader}
	for b.Loop() {
		_, err := brief.BuildBrief(b.Context(), s.store, issue, o)
		require.NoError(b, err)
	}
}
