package grouping

import "errand/core"

// frameSelection is a rule that selects frames of a stack.
type frameSelection struct {
	onlyInApp   bool // only the application's
	withRuntime bool // also those of the language's runtime
}

// frameSelections are tried in order, the best first: the next one is tried when no frame of this one says anything. Frames of
// the runtime are the last resort for stacks without others.
var frameSelections = [...]frameSelection{
	{onlyInApp: true},
	{},
	{withRuntime: true},
}

// selectsFrame reports whether frames[i] counts.
func (s frameSelection) selectsFrame(frames []core.Frame, i int, lang language) bool {
	return (frames[i].InApp || !s.onlyInApp) && (s.withRuntime || !isRuntimeFrame(frames, i, lang))
}
