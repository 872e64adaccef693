package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"errand/blob"
	"errand/store"
)

// pingBlobsAtMost is how long a start waits for the storage of BLOBS to answer.
const pingBlobsAtMost = 5 * time.Second

// blobsLocation returns BLOBS, or the folder for blobs beside the private Postgres; empty for none (decisions 2).
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

// openRawBlobs opens the storage of source maps, without regard to its owner; nil for none.
func (c *Config) openRawBlobs() (blob.Store, error) {
	location, err := c.blobsLocation()
	if err != nil || location == "" {
		return nil, err
	}
	opened, err := blob.OpenStore(location, os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("BLOBS: %w", err)
	}
	return opened, nil
}

// openBlobs opens the storage of source maps. Unreachable storage is only a warning, since events are taken in
// without it. Storage of another installation is an error.
func (a *App) openBlobs(ctx context.Context) error {
	blobs, err := a.config.openRawBlobs()
	if err != nil || blobs == nil {
		return err
	}
	a.stops.add("the storage of BLOBS", func(context.Context) error { return blobs.Close() })
	owner, err := a.identifyOwner(ctx)
	if err != nil {
		return err
	}
	a.blobs = blob.Own(blobs, owner)
	ctx, cancel := context.WithTimeout(ctx, pingBlobsAtMost)
	defer cancel()
	err = a.blobs.Ping(ctx)
	if err == nil {
		err = a.blobs.Renew(ctx)
	}
	switch {
	case errors.Is(err, blob.ErrForeign):
		return fmt.Errorf("BLOBS: %w", err)
	case err != nil:
		a.log.WarnContext(ctx, "BLOBS cannot be reached: until it can, source maps are neither taken nor looked up", "error", err)
	default:
		a.warnOfCopies(ctx)
	}
	return nil
}

// identifyOwner returns the owner of the storage of BLOBS.
func (a *App) identifyOwner(ctx context.Context) (blob.Owner, error) {
	installation, err := a.db.EnsureInstallation(ctx, strings.ToLower(rand.Text()))
	if err != nil {
		return blob.Owner{}, fmt.Errorf("BLOBS: %w", err)
	}
	owner := blob.Owner{
		Installation: installation.ID, Database: installation.Database, Prefix: store.SourceMapPrefix, Clock: time.Now,
		KnowsAny: func(ctx context.Context, keys []string) (bool, error) {
			found, err := a.db.FindBlobs(ctx, keys)
			return len(found.Known) > 0, err
		},
	}
	if installation.RestoredAt != nil {
		owner.RestoredAt = installation.RestoredAt.Time
	}
	return owner, nil
}

// warnOfCopies warns when a copy of the database uses the same storage, or when this database is the copy.
func (a *App) warnOfCopies(ctx context.Context) {
	if err := a.blobs.CheckDeletion(ctx); errors.Is(err, blob.ErrKept) {
		a.log.WarnContext(ctx, "source maps that are no longer needed stay in BLOBS for now", "reason", err)
	}
}

// sourceMapBlobs is the storage of source maps; nil for none.
func (a *App) sourceMapBlobs() blob.Store {
	if a.blobs == nil {
		return nil
	}
	return a.blobs
}
