package app

import (
	"context"
	"net/http"

	"errand/api"
	"errand/core"
	"errand/edge"
	"errand/sentryapi"
	"errand/tools"
)

// newSentryAPI makes the surface for Sentry's own tools.
func (a *App) newSentryAPI(registry *core.Registry, behaviour *tools.Tools, authenticate edge.Authenticate, version string) http.Handler {
	return sentryapi.New(sentryapi.Options{
		Registry: registry, Authenticate: authenticate, BaseURL: a.URL, Version: version, Releases: behaviour,
		RequestID: func(ctx context.Context) string { return api.CallerOf(ctx).RequestID },
	})
}
