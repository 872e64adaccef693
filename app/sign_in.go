package app

import (
	"context"
	"net/http"

	"errand/api"
	"errand/core"
	"errand/edge"
	"errand/oauth"
	"errand/tools"
	"errand/web"
)

// newSignIn makes the paths where clients of MCP get a token. They need only the server's URL.
func (a *App) newSignIn(
	ctx context.Context, registry *core.Registry, behaviour *tools.Tools, authenticate edge.Authenticate,
) (map[string]http.Handler, error) {
	key, err := ensureKey(ctx, a.db.Store, "oauth-clients")
	if err != nil {
		return nil, err
	}
	return oauth.Routes(oauth.Options{
		BaseURL: a.URL, Key: key, Clock: a.db.clock.tellTime,
		StylePath: web.AssetPath("style.css"), IconPath: web.AssetPath("icon.svg"),
		FindPerson: a.authenticateSession(behaviour), SignInPath: a.signInPath, MayAllow: core.CreateToken.Operation.AuthorizeActor,
		Authenticate: authenticate, KeepConsent: behaviour.KeepConsent, ExchangeConsent: behaviour.ExchangeConsent,
		Failure:   registry.Failure,
		RequestID: func(ctx context.Context) string { return api.CallerOf(ctx).RequestID },
	}), nil
}

// signInPath returns where a person signs in to come back to a path; empty on a server without the pages.
func (a *App) signInPath(back string) string {
	if !a.config.hasRole(roleWeb) {
		return ""
	}
	return web.SignInPath(back)
}
