package app

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"

	"errand/core"
)

// SSOConfig is the part of the Config about single sign-on.
type SSOConfig struct {
	OIDCIssuer         string      `name:"oidc-issuer" env:"OIDC_ISSUER"`
	OIDCClientID       string      `name:"oidc-client-id" env:"OIDC_CLIENT_ID"`
	OIDCClientSecret   core.Secret `name:"oidc-client-secret" env:"OIDC_CLIENT_SECRET"`
	OIDCAllowedDomains string      `name:"oidc-allowed-domains" env:"OIDC_ALLOWED_DOMAINS"`

	allowedDomains []string // from OIDCAllowedDomains
}

// readSSO checks the settings. Its errors say what cannot work.
func (c *SSOConfig) readSSO() error {
	if c.OIDCIssuer == "" {
		if c.OIDCClientID != "" || c.OIDCClientSecret != "" || c.OIDCAllowedDomains != "" {
			return errors.New("OIDC_ISSUER must be set where another setting of OIDC is")
		}
		return nil
	}
	if c.OIDCClientID == "" || c.OIDCClientSecret == "" {
		return errors.New("OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set where OIDC_ISSUER is")
	}
	issuer, err := url.Parse(c.OIDCIssuer)
	if err != nil || issuer.Host == "" || issuer.User != nil || strings.ContainsAny(c.OIDCIssuer, "?#") ||
		issuer.Scheme != "https" && !(issuer.Scheme == "http" && isLoopback(issuer.Hostname())) {
		return errors.New("OIDC_ISSUER must be a URL with https, such as https://login.example.com")
	}
	c.allowedDomains, err = parseDomains(c.OIDCAllowedDomains)
	return err
}

// parseDomains reads a comma-separated list of domains, in lower case.
func parseDomains(text string) (domains []string, err error) {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.ToLower(strings.TrimSpace(word)); word == "" {
			continue
		}
		if _, err := core.ReadEmailAddress("a@" + word); err != nil || !strings.Contains(word, ".") {
			return nil, errors.New("OIDC_ALLOWED_DOMAINS must be a comma list of domains, such as example.com,example.org")
		}
		domains = append(domains, word)
	}
	slices.Sort(domains)
	return slices.Compact(domains), nil
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
