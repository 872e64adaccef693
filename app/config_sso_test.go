package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
)

func TestSettingsOfSingleSignOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change change
		want   string // empty: allowed
	}{
		"https":                   {func(*app.Config) {}, ""},
		"a path":                  {func(c *app.Config) { c.OIDCIssuer = "https://login.example.com/realms/main/" }, ""},
		"this machine":            {func(c *app.Config) { c.OIDCIssuer = "http://127.0.0.1:9000" }, ""},
		"no domains":              {func(c *app.Config) { c.OIDCAllowedDomains = "" }, ""},
		"http":                    {func(c *app.Config) { c.OIDCIssuer = "http://login.example.com" }, "OIDC_ISSUER must be a URL with https"},
		"no scheme":               {func(c *app.Config) { c.OIDCIssuer = "login.example.com" }, "OIDC_ISSUER must be a URL with https"},
		"a user in it":            {func(c *app.Config) { c.OIDCIssuer = "https://u:hunter2@login.example.com" }, "OIDC_ISSUER must be a URL"},
		"a query":                 {func(c *app.Config) { c.OIDCIssuer = "https://login.example.com?x=1" }, "OIDC_ISSUER must be a URL"},
		"no secret":               {func(c *app.Config) { c.OIDCClientSecret = "" }, "OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must"},
		"no client":               {func(c *app.Config) { c.OIDCClientID = "" }, "OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must"},
		"no issuer":               {func(c *app.Config) { c.OIDCIssuer = "" }, "OIDC_ISSUER must be set"},
		"an address for a domain": {func(c *app.Config) { c.OIDCAllowedDomains = "ann@example.com" }, "OIDC_ALLOWED_DOMAINS must"},
		"a wildcard":              {func(c *app.Config) { c.OIDCAllowedDomains = "*.example.com" }, "OIDC_ALLOWED_DOMAINS must"},
		"a top-level domain":      {func(c *app.Config) { c.OIDCAllowedDomains = "com" }, "OIDC_ALLOWED_DOMAINS must"},
		"an @ before it":          {func(c *app.Config) { c.OIDCAllowedDomains = "@example.com" }, "OIDC_ALLOWED_DOMAINS must"},
	} {
		c := app.Config{Addr: "127.0.0.1:0", DataDir: t.TempDir()}
		c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret = "https://login.example.com", "errand", "hunter2"
		c.OIDCAllowedDomains = " Example.com,,example.org "
		test.change(&c)

		err := c.FillDefaults()

		if test.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, test.want, name)
		require.NotContains(t, err.Error(), "hunter2", name)
	}
}
