package jobs

import (
	"context"
	"errors"
	"time"

	"errand/blob"
	"errand/store"
)

const (
	// keepStray is how long a blob that belongs to nothing stays: an upload stores its blob first.
	keepStray = time.Hour
	// strayChunk is how many blobs one query to the database names.
	strayChunk = 1000
)

type dropBlobsArgs struct{}

func (dropBlobsArgs) Kind() string { return "drop_blobs" }

// dropBlobs deletes the blobs of source maps that are gone: deleted and replaced maps, maps of deleted projects, and
// uploads that were cut off. It deletes nothing while a copy of the database may need the blobs.
func dropBlobs(o Options) job {
	return runEvery(time.Hour, usualTimeout, dropBlobsArgs{}, func(ctx context.Context) error {
		if o.Blobs == nil {
			return nil
		}
		if err := o.Blobs.Renew(ctx); err != nil {
			return err
		}
		reason := o.Blobs.CheckDeletion(ctx)
		if reason != nil && !errors.Is(reason, blob.ErrKept) {
			return reason
		}
		s := strayBlobs{store: o.Store, blobs: o.Blobs, before: time.Now().Add(-keepStray), isKept: reason != nil}
		err := s.dropAll(ctx)
		switch {
		case s.stray > 0 && s.isKept:
			o.Log.WarnContext(ctx, "source maps that are no longer needed stay in BLOBS for now",
				"count", s.stray, "bytes", s.bytes, "of", s.seen, "reason", reason)
		case s.stray > 0:
			o.Log.InfoContext(ctx, "deleted source maps from BLOBS that were not needed any more", "count", s.stray, "bytes", s.bytes, "of", s.seen)
		}
		return err
	})
}

// strayBlobs are the blobs that nothing in the database needs.
type strayBlobs struct {
	store  *store.Store
	blobs  blob.Store
	before time.Time // written before; later blobs may belong to a running upload
	isKept bool      // only counted

	seen, stray int
	bytes       int64 // of the stray blobs
}

// dropAll deletes or counts the stray blobs.
func (s *strayBlobs) dropAll(ctx context.Context) error {
	sizes := make(map[string]int64, strayChunk)
	for entry, err := range s.blobs.List(ctx, store.SourceMapPrefix) {
		if err != nil {
			return err
		}
		s.seen++
		if entry.ModifiedAt.Before(s.before) {
			sizes[entry.Key] = entry.Size
		}
		if len(sizes) == strayChunk {
			if err := s.dropStray(ctx, sizes); err != nil {
				return err
			}
			clear(sizes)
		}
	}
	return s.dropStray(ctx, sizes)
}

// dropStray deletes the stray ones among the blobs, which are given with their sizes.
func (s *strayBlobs) dropStray(ctx context.Context, sizes map[string]int64) error {
	keys := make([]string, 0, len(sizes))
	for key := range sizes {
		keys = append(keys, key)
	}
	found, err := s.store.FindBlobs(ctx, keys)
	if err != nil {
		return err
	}
	for _, key := range found.Stray {
		if !s.isKept {
			if err := s.blobs.Delete(ctx, key); err != nil {
				return err
			}
		}
		s.stray++
		s.bytes += sizes[key]
	}
	return nil
}
