package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getRelease(ctx context.Context, _ core.Call, in core.GetReleaseInput) (core.Data[core.ReleaseDetail], error) {
	project, err := t.store.FindProject(ctx, in.Project)
	if err != nil {
		return wrapData(core.ReleaseDetail{}, err)
	}
	return wrapData(t.store.ReadRelease(ctx, project, in.Version))
}
