package tools

import (
	"context"
	"errors"
	"fmt"
	"io"

	"errand/blob"
	"errand/core"
	"errand/scrub"
	"errand/sourcemap"
	"errand/store"
)

// maxUploads is how many source maps are taken at once: each takes some 16 MB while its index is made.
const maxUploads = 3

// maxMapPath is the longest path of a minified file in bytes: with a release it fits into an entry of an index of Postgres.
const maxMapPath = 1500

func (t *Tools) uploadSourceMap(ctx context.Context, call core.Call, in core.UploadSourceMapInput) (core.Data[core.SourceMap], error) {
	upload := store.NewSourceMap{Release: in.Release, Name: in.Name}
	var err error
	if upload.Path, err = sourcemap.ResolveName(in.Name); err != nil {
		return wrapData(core.SourceMap{}, core.RefuseField("name", "%s", err))
	}
	if len(upload.Path) > maxMapPath {
		return wrapData(core.SourceMap{}, core.RefuseField("name", "must have a path of at most %d bytes", maxMapPath))
	}
	if scrub.CleanRelease(in.Release) == "" { // before the body is read and its index stored
		return wrapData(core.SourceMap{}, core.RefuseField("release", "must not be blank"))
	}
	if upload.ProjectID, err = t.store.FindProjectExactly(ctx, in.Project); err != nil {
		return wrapData(core.SourceMap{}, err)
	}
	if err := call.Actor.CheckProject(upload.ProjectID); err != nil {
		return wrapData(core.SourceMap{}, err)
	}
	if t.blobs == nil {
		return wrapData(core.SourceMap{}, core.NewError(core.StorageNotConfigured))
	}
	select {
	case t.uploads <- struct{}{}:
		defer func() { <-t.uploads }()
	case <-ctx.Done():
		return wrapData(core.SourceMap{}, ctx.Err())
	}
	return wrapData(t.storeSourceMap(ctx, call, upload))
}

// storeSourceMap stores the index first, then records the map, then deletes what that replaced: whenever it is cut off, each
// recorded map has its index. A blob that is left over is deleted by a job.
func (t *Tools) storeSourceMap(ctx context.Context, call core.Call, upload store.NewSourceMap) (m core.SourceMap, err error) {
	if upload.ID, err = t.store.TakeSourceMapID(ctx); err != nil {
		return m, err
	}
	key := store.KeyOfSourceMap(upload.ProjectID, upload.ID)
	summary, err := t.storeIndex(ctx, key, call.Body)
	if err != nil {
		return m, explainUpload(err)
	}
	upload.DebugID, upload.Size, upload.Sources = summary.DebugID, summary.Size, summary.Sources
	m, replaced, err := t.store.PutSourceMap(ctx, call.Actor, upload)
	if core.HasCode(err, core.ProjectNotFound) { // else it may be recorded all the same
		t.deleteBlob(ctx, key)
	}
	if err != nil {
		return m, err
	}
	for _, id := range replaced {
		t.deleteBlob(ctx, store.KeyOfSourceMap(upload.ProjectID, id))
	}
	return m, nil
}

// storeIndex stores the index of a map, or one that was made before. What is refused leaves no blob.
func (t *Tools) storeIndex(ctx context.Context, key string, body *core.FileBody) (sourcemap.Summary, error) {
	if body.Type == core.SourceMapIndex {
		summary, err := t.storeMadeIndex(ctx, key, body.Reader)
		if err != nil {
			t.deleteBlob(ctx, key)
		}
		return summary, err
	}
	built, err := sourcemap.BuildIndex(body.Reader)
	if err != nil {
		return sourcemap.Summary{}, err
	}
	_, err = t.blobs.Put(ctx, key, built.Reader(), sourcemap.MaxIndexSize)
	return built.Summary(), err
}

// storeMadeIndex stores an index as it comes in, and checks it where it is: it may be too large for the memory.
func (t *Tools) storeMadeIndex(ctx context.Context, key string, body io.Reader) (sourcemap.Summary, error) {
	written, err := t.blobs.Put(ctx, key, body, core.MaxSourceMap)
	if err != nil {
		return sourcemap.Summary{}, err
	}
	stored, err := t.blobs.Open(ctx, key)
	if err != nil {
		return sourcemap.Summary{}, err
	}
	defer stored.Close()
	return sourcemap.CheckIndex(stored, written.Size)
}

// explainUpload makes an error of the API of one of a source map or of the storage.
func explainUpload(err error) error {
	var invalid *sourcemap.Invalid
	var known *core.Error
	var storage *blob.Error
	switch {
	case errors.As(err, &known):
		return known // of the body
	case errors.As(err, &invalid):
		refusal := core.NewError(core.InvalidSourceMap).With("reason", invalid.Reason)
		if invalid.Detail != "" {
			refusal = refusal.With("message", invalid.Detail)
		}
		return refusal
	case errors.As(err, &storage):
		return core.NewError(core.Unavailable).Because(err)
	}
	return fmt.Errorf("tools: storing a source map: %w", err)
}

// deleteBlob deletes a blob that nobody needs any more. Where it fails, a job does it later.
func (t *Tools) deleteBlob(ctx context.Context, key string) {
	_ = t.blobs.Delete(context.WithoutCancel(ctx), key)
}
