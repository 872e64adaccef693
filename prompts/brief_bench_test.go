package prompts_test

import (
	"fmt"
	"testing"

	"errand/core"
)

// BenchmarkRenderBrief writes a brief of an event with as many frames as an exception may have.
func BenchmarkRenderBrief(b *testing.B) {
	facts := makeFacts("text of the app")
	x := &facts.Event.Event.Exceptions[0]
	for n := range 250 {
		frame := x.Frames[n%2]
		frame.Function, frame.Lineno = core.Untrusted(fmt.Sprint("function", n)), core.OptInt(n+10)
		x.Frames = append(x.Frames, frame)
	}
	for b.Loop() {
		renderBrief(facts, core.DefaultBriefBudget)
	}
}
