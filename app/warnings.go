package app

import (
	"context"
	"net"
	"net/url"
)

// warnOfDoubts logs settings that are probably mistakes, although the server can work with them.
func (a *App) warnOfDoubts(ctx context.Context) error {
	if base, err := url.Parse(a.URL()); err == nil && isAnyHost(base.Hostname()) {
		a.log.WarnContext(ctx, "BASE_URL is not set, and ADDR names no host for DSNs: set BASE_URL to the URL at which SDKs reach Errand",
			"ADDR", a.config.Addr, "base_url", a.URL())
	}
	schema, known, err := a.db.ReadSchemaVersion(ctx)
	if err != nil {
		return err
	}
	if schema > known {
		a.log.WarnContext(ctx, "the database schema is newer than this server: a newer Errand has migrated it; update this one too",
			"schema", schema, "known", known)
	}
	if secret := a.config.SCMWebhookSecret.Reveal(); secret != "" {
		if err := checkStrength(secret); err != nil { // whoever guesses it links fixes and reports deploys
			a.log.WarnContext(ctx, "SCM_WEBHOOK_SECRET is easily guessed: it should "+err.Error())
		}
	}
	if a.config.AdminToken != "" {
		return nil
	}
	admin, err := a.db.HasAdmin(ctx)
	if err == nil && !admin {
		a.log.WarnContext(ctx, "nobody is an admin yet: set ADMIN_TOKEN, "+
			"or make a token with `errand token create --name NAME --scope admin` and the same DATABASE_URL")
	}
	return err
}

// isAnyHost reports whether a listen address has no host, or a host that means every address of the machine.
func isAnyHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}
