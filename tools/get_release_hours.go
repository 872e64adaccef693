package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getReleaseHours(ctx context.Context, _ core.Call, in core.GetReleaseHoursInput) (core.Data[core.ReleaseHours], error) {
	project, err := t.store.FindProject(ctx, in.Project)
	if err != nil {
		return wrapData(core.ReleaseHours{}, err)
	}
	return wrapData(t.store.ReadReleaseHours(ctx, project, in.Version, in.Environment))
}
