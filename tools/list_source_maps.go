package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) listSourceMaps(ctx context.Context, _ core.Call, in core.ListSourceMapsInput) (core.Page[core.SourceMap], error) {
	project, err := t.store.FindProject(ctx, in.Project)
	if err != nil {
		return core.Page[core.SourceMap]{}, err
	}
	return t.store.ListSourceMaps(ctx, store.SourceMapFilter{
		ProjectID: project, Release: in.Release, Paging: core.Paging{Limit: in.Limit, Cursor: in.Cursor},
	})
}
