package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"errand/blob"
	"errand/core"
	"errand/scrub"
	"errand/sourcemap"
	"errand/store"
)

// maxUploads bounds the source maps that are taken at the same time: each needs some 16 MB while its index is made.
const maxUploads = 3

// maxMapPath is the longest path of a minified file in bytes. Path and release together fit into an entry of a Postgres index.
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
	if scrub.CleanRelease(in.Release) == "" { // check this before reading the body and storing its index
		return wrapData(core.SourceMap{}, core.RefuseField("release", "must not be blank"))
	}
	if upload.Dist = scrub.CleanDist(in.Dist); upload.Dist == "" && in.Dist != "" {
		return wrapData(core.SourceMap{}, core.RefuseField("dist", "must not be blank"))
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

// storeSourceMap stores the index first, then records the map, then deletes the index that it replaced. So each
// recorded map has its index, whenever a crash comes. A job deletes blobs that are left over.
func (t *Tools) storeSourceMap(ctx context.Context, call core.Call, upload store.NewSourceMap) (m core.SourceMap, err error) {
	index, err := readIndex(call.Body)
	if err != nil {
		return m, explainUpload(err)
	}
	defer index.close()
	upload.DebugID, upload.Size, upload.Sources = cmp.Or(index.summary.DebugID, call.Body.DebugID), index.summary.Size, index.summary.Sources
	for {
		if upload.ID, err = t.store.TakeSourceMapID(ctx); err != nil {
			return m, err
		}
		if upload.Blob, err = t.storeIndex(ctx, upload, index); err != nil {
			return m, explainUpload(err)
		}
		m, replaced, err := t.store.PutSourceMap(ctx, call.Actor, upload)
		switch {
		case err == nil:
			t.dropBlobs(ctx, upload.ProjectID, replaced...)
		case core.HasCode(err, core.ProjectNotFound), core.HasCode(err, core.Limit): // after other errors it may have been recorded
			t.dropBlobs(ctx, upload.ProjectID, upload.Blob)
		case errors.Is(err, store.ErrBlobGone):
			// The last map with the same content has just been deleted. Its blob may have been stored again here.
			t.dropBlobs(ctx, upload.ProjectID, upload.Blob)
			continue
		}
		return m, err
	}
}

// storeIndex stores an index, unless a map of the project has the same one, and returns the name of its blob.
func (t *Tools) storeIndex(ctx context.Context, upload store.NewSourceMap, index *madeIndex) (string, error) {
	name, err := t.store.FindSameBlob(ctx, upload.ProjectID, index.sha256)
	if err != nil {
		return "", err
	}
	if name == "" {
		name = store.NameBlob(index.sha256, upload.ID)
	} else if t.hasBlob(ctx, upload.ProjectID, name) {
		return name, nil
	}
	_, err = t.blobs.Put(ctx, store.KeyOfBlob(upload.ProjectID, name), index.reader(), sourcemap.MaxIndexSize)
	return name, err
}

// hasBlob reports whether a recorded blob exists. A lost blob, as after the loss of its folder, is stored again.
func (t *Tools) hasBlob(ctx context.Context, project int64, name string) bool {
	stored, err := t.blobs.Open(ctx, store.KeyOfBlob(project, name))
	if err != nil {
		return false
	}
	_ = stored.Close() // nothing was read from it
	return true
}

// explainUpload turns an error of a source map or of the storage into an error of the API.
func explainUpload(err error) error {
	var invalid *sourcemap.Invalid
	var known *core.Error
	var storage *blob.Error
	switch {
	case errors.As(err, &known):
		return known // an error of the body
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

// dropBlobs deletes the blobs of a project that no source map uses. If it fails, a job does it later.
func (t *Tools) dropBlobs(ctx context.Context, project int64, names ...string) {
	ctx = context.WithoutCancel(ctx)
	keys := make([]string, 0, len(names))
	for _, name := range names {
		keys = append(keys, store.KeyOfBlob(project, name))
	}
	found, err := t.store.FindBlobs(ctx, keys)
	if err != nil {
		return
	}
	for _, key := range found.Stray {
		_ = t.blobs.Delete(ctx, key)
	}
}
