package oauth

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// The bounds of a client's registration, which URLs carry.
const (
	maxRedirects      = 10
	maxRedirectsBytes = 2000
)

// knownSchemes are the schemes, without a dot, of programs that are clients of MCP. An operating system might act on
// an unknown scheme, such as ms-appinstaller or tel.
var knownSchemes = []string{
	"antigravity", "chatgpt", "claude", "code-oss", "codex", "cursor", "goose", "kiro", "lmstudio", "opencode", "positron", "raycast", "trae",
	"vscode", "vscode-insiders", "vscodium", "warp", "windsurf", "zed",
}

// programScheme is a program's scheme that is named after its maker's domain, as com.example.app (RFC 8252, 7.1).
var programScheme = regexp.MustCompile(`^[a-z]{2,}(\.[a-z0-9-]+)+$`)

// systemMakers are the makers of operating systems. Their schemes open parts of the system.
var systemMakers = []string{"android", "com.android", "com.apple", "com.microsoft", "microsoft", "windows"}

// checkRedirect refuses a URI that no code may be sent to. Allowed are https, http only to this machine, and the
// scheme of a program (RFC 8252, 7) that is known or named after a domain.
func checkRedirect(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme == "" || strings.ContainsAny(text, "\"'<>\\;,*") || strings.ContainsFunc(text, isNotVisible):
		return fmt.Errorf("%.200q is not a URI", text)
	case u.Fragment != "" || strings.Contains(text, "#"):
		return fmt.Errorf("%.200q must not have a fragment", text)
	case u.User != nil:
		return fmt.Errorf("%.200q must not have a user", text)
	case u.Scheme == "https" && u.Hostname() != "", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	case u.Scheme == "https" || u.Scheme == "http":
		return fmt.Errorf("%.200q must be https, unless it is on this machine (127.0.0.1, [::1], localhost)", text)
	case slices.Contains(knownSchemes, u.Scheme) || isProgramScheme(u.Scheme):
		return nil
	}
	return fmt.Errorf("%.200q has a scheme that is not taken: https, http to this machine, one that is named after a domain of its maker "+
		"(com.example.app), and %s are", text, strings.Join(knownSchemes, ", "))
}

// isNotVisible reports whether a character cannot be in a URI: it is not ASCII, or is a space or a control character.
func isNotVisible(r rune) bool { return r <= ' ' || r > '~' }

func isProgramScheme(scheme string) bool {
	return programScheme.MatchString(scheme) && !slices.ContainsFunc(systemMakers, func(maker string) bool {
		return strings.HasPrefix(scheme, maker+".")
	})
}

// isOnThisMachine reports whether the redirect goes to a program on the person's machine, over http.
func isOnThisMachine(redirect string) bool {
	u, err := url.Parse(redirect)
	return err == nil && u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// isRegistered reports whether the client registered the redirect. It must match exactly, except for the port of a
// program on the person's machine, which uses any free port (RFC 8252, 7.3).
func isRegistered(registered []string, redirect string) bool {
	return slices.ContainsFunc(registered, func(one string) bool {
		return one == redirect || withoutLoopbackPort(one) == withoutLoopbackPort(redirect)
	})
}

func withoutLoopbackPort(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || !isLoopback(u.Hostname()) {
		return text
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	u.Host = host
	return u.String()
}

// formTarget returns what a page's policy must allow so that its form can lead to the redirect: the origin, or the scheme.
func formTarget(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return ""
	}
	if u.Scheme == "http" || u.Scheme == "https" {
		return u.Scheme + "://" + u.Host
	}
	return u.Scheme + ":"
}

// describeTarget tells a person where the code goes.
func describeTarget(redirect string) string {
	u, err := url.Parse(redirect)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "http":
		return "a program on your machine (" + u.Host + ")"
	case u.Scheme == "https":
		return u.Host
	}
	return "the program that opens " + u.Scheme + ": links"
}
