package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) listReleases(ctx context.Context, _ core.Call, in core.ListReleasesInput) (core.Page[core.Release], error) {
	project, err := t.findOptionalProject(ctx, in.Project)
	if err != nil {
		return core.Page[core.Release]{}, err
	}
	return t.store.ListReleases(ctx, store.ReleaseFilter{ProjectID: project, Paging: in.Paging})
}
