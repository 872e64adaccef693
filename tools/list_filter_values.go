package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listFilterValues(ctx context.Context, _ core.Call, in core.ListFilterValuesInput) (core.Data[core.FilterValues], error) {
	project, err := t.findOptionalProject(ctx, in.Project)
	if err != nil {
		return wrapData(core.FilterValues{}, err)
	}
	return wrapData(t.store.ListFilterValues(ctx, project))
}
