package app

import (
	"context"
	"net/http"
	"time"

	"errand/api"
	"errand/core"
	"errand/edge"
	"errand/sentryapi"
	"errand/sentryapi/chunks"
	"errand/tools"
)

// newSentryAPI makes the surface for Sentry's own tools.
func (a *App) newSentryAPI(registry *core.Registry, behaviour *tools.Tools, authenticate edge.Authenticate, version string) http.Handler {
	options := sentryapi.Options{
		Registry: registry, Authenticate: authenticate, BaseURL: a.URL, Version: version, Clock: a.db.clock.tellTime, Releases: behaviour,
		RequestID: func(ctx context.Context) string { return api.CallerOf(ctx).RequestID },
	}
	if a.blobs != nil {
		options.Chunks = chunks.New(a.blobs, time.Now)
	}
	return sentryapi.New(options)
}

// dropOldChunks deletes, every hour, pieces of uploads that were never assembled.
func (a *App) dropOldChunks(ctx context.Context) {
	hour := time.NewTicker(time.Hour)
	defer hour.Stop()
	for {
		if err := chunks.New(a.blobs, time.Now).DropOld(ctx); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "old pieces of uploads cannot be deleted now", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-hour.C:
		}
	}
}
