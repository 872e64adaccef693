package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) deleteSourceMap(ctx context.Context, call core.Call, in core.SourceMapInput) (core.Data[core.DeletedSourceMap], error) {
	deleted := core.DeletedSourceMap{ID: in.ID, Deleted: true}
	project, err := t.store.FindSourceMapProject(ctx, in.ID)
	if err != nil {
		return wrapData(deleted, err)
	}
	if err := call.Actor.CheckProject(project); err != nil {
		return wrapData(deleted, err)
	}
	blob, err := t.store.DeleteSourceMap(ctx, call.Actor, project, in.ID)
	if err == nil && t.blobs != nil {
		t.dropBlobs(ctx, project, blob)
	}
	return wrapData(deleted, err)
}
