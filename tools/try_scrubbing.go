package tools

import (
	"context"

	"errand/core"
	"errand/scrub"
)

func (t *Tools) tryScrubbing(ctx context.Context, _ core.Call, in core.TryScrubbingInput) (core.Data[core.ScrubbedText], error) {
	id, err := t.store.FindProjectExactly(ctx, in.Project)
	if err != nil {
		return wrapData(core.ScrubbedText{}, err)
	}
	project, err := t.store.ReadProject(ctx, id)
	if err != nil {
		return wrapData(core.ScrubbedText{}, err)
	}
	tried := core.ProjectChange{ScrubKeys: in.ScrubKeys, ScrubPatterns: in.ScrubPatterns}
	if err := checkScrubbing(ctx, tried); err != nil {
		return wrapData(core.ScrubbedText{}, err)
	}
	keys, patterns := project.ScrubKeys, project.ScrubPatterns
	if in.ScrubKeys.Set {
		keys = in.ScrubKeys.Value
	}
	if in.ScrubPatterns.Set {
		patterns = in.ScrubPatterns.Value
	}
	rules, err := scrub.NewRules(keys, patterns)
	if err != nil {
		return wrapData(core.ScrubbedText{}, err)
	}
	text := rules.ScrubText(in.Text)
	return wrapData(core.ScrubbedText{Text: text, Changed: text != in.Text}, nil)
}
