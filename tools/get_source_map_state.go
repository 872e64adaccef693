package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getSourceMapState(
	ctx context.Context, _ core.Call, in core.GetSourceMapStateInput,
) (core.Data[core.SourceMapState], error) {
	project, err := t.store.FindProject(ctx, in.Project)
	if err != nil {
		return wrapData(core.SourceMapState{}, err)
	}
	return wrapData(t.store.ReadSourceMapState(ctx, project))
}
