package jobs

import (
	"context"
	"time"

	"errand/blob"
	"errand/store"
)

const (
	// keepStray is how long a blob that belongs to nothing stays: an upload stores its blob first.
	keepStray = time.Hour
	// strayChunk is how many blobs the database is asked about at once.
	strayChunk = 1000
)

type dropBlobsArgs struct{}

func (dropBlobsArgs) Kind() string { return "drop_blobs" }

// dropBlobs deletes the blobs of source maps that are not there any more: of deleted projects, and of uploads that were cut off.
func dropBlobs(o Options) job {
	return runEvery(time.Hour, usualTimeout, dropBlobsArgs{}, func(ctx context.Context) error {
		if o.Blobs == nil {
			return nil
		}
		return dropStrayBlobs(ctx, o.Store, o.Blobs, time.Now().Add(-keepStray))
	})
}

// dropStrayBlobs deletes the stray blobs that were written before a time.
func dropStrayBlobs(ctx context.Context, s *store.Store, blobs blob.Store, before time.Time) error {
	var keys []string
	dropStray := func() error {
		stray, err := s.ListStrayBlobs(ctx, keys)
		if err != nil {
			return err
		}
		for _, key := range stray {
			if err := blobs.Delete(ctx, key); err != nil {
				return err
			}
		}
		keys = keys[:0]
		return nil
	}
	for entry, err := range blobs.List(ctx, store.SourceMapPrefix) {
		if err != nil {
			return err
		}
		if entry.ModifiedAt.Before(before) {
			keys = append(keys, entry.Key)
		}
		if len(keys) == strayChunk {
			if err := dropStray(); err != nil {
				return err
			}
		}
	}
	return dropStray()
}
