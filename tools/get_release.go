package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getRelease(ctx context.Context, _ core.Call, in core.GetReleaseInput) (core.Data[core.ReleaseDetail], error) {
	project, err := t.store.FindProject(ctx, in.Project)
	if err != nil {
		return data(core.ReleaseDetail{}, err)
	}
	return data(t.store.ReadRelease(ctx, project, in.Version))
}
