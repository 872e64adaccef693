package app

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"errand/blob"
)

// pingBlobsAtMost is how long a start waits to hear whether the storage of BLOBS can be used.
const pingBlobsAtMost = 5 * time.Second

// blobsLocation returns BLOBS, or where blobs are beside the private Postgres; empty for nowhere (decisions 2).
func (c *Config) blobsLocation() (string, error) {
	if c.Blobs != "" || !c.isPrivate() {
		return c.Blobs.Reveal(), nil
	}
	folder, err := filepath.Abs(filepath.Join(c.DataDir, "blobs"))
	if err != nil {
		return "", fmt.Errorf("DATA_DIR: %w", err)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(folder)}).String(), nil
}

// openBlobs opens the storage of source maps. One that is away is only warned of: events are taken in without it.
func (a *App) openBlobs(ctx context.Context) error {
	location, err := a.config.blobsLocation()
	if err != nil || location == "" {
		return err
	}
	blobs, err := blob.OpenStore(location, os.Getenv)
	if err != nil {
		return fmt.Errorf("BLOBS: %w", err)
	}
	a.blobs = blobs
	a.stops.add("the storage of BLOBS", func(context.Context) error { return blobs.Close() })
	ctx, cancel := context.WithTimeout(ctx, pingBlobsAtMost)
	defer cancel()
	if err := blobs.Ping(ctx); err != nil {
		a.log.WarnContext(ctx, "the storage of BLOBS cannot be used now: source maps are neither taken nor looked up until it can", "error", err)
	}
	return nil
}
