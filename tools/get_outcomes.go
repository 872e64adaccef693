package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getOutcomes(ctx context.Context, _ core.Call, in core.GetOutcomesInput) (core.Data[core.Outcomes], error) {
	project, err := t.findOptionalProject(ctx, in.Project)
	if err != nil {
		return wrapData(core.Outcomes{}, err)
	}
	since := core.At(t.store.Now().AddDate(0, 0, -in.Days))
	return wrapData(t.store.ReadOutcomes(ctx, project, since))
}
