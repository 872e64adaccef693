package oauth

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// The bounds of what a client registers: its registration is carried in URLs.
const (
	maxRedirects      = 10
	maxRedirectsBytes = 2000
)

// knownSchemes are the schemes of programs that are clients of MCP and have no dot in them. A scheme that is not known could be one
// that an operating system acts upon, such as ms-appinstaller or tel.
var knownSchemes = []string{
	"antigravity", "chatgpt", "claude", "code-oss", "codex", "cursor", "goose", "kiro", "lmstudio", "opencode", "positron", "raycast", "trae",
	"vscode", "vscode-insiders", "vscodium", "warp", "windsurf", "zed",
}

// programScheme is the scheme of a program that is named after a domain of its maker, as com.example.app (RFC 8252, 7.1).
var programScheme = regexp.MustCompile(`^[a-z]{2,}(\.[a-z0-9-]+)+$`)

// systemMakers are the makers of operating systems, whose schemes open parts of these.
var systemMakers = []string{"android", "com.android", "com.apple", "com.microsoft", "microsoft", "windows"}

// checkRedirect refuses a URI to which no code may be sent: https everywhere, http to this machine alone, or the scheme of a
// program (RFC 8252, 7) that is known or named after a domain.
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

// isNotVisible reports whether a character stands in no URI: it is not ASCII, a space, or a control character.
func isNotVisible(r rune) bool { return r <= ' ' || r > '~' }

func isProgramScheme(scheme string) bool {
	return programScheme.MatchString(scheme) && !slices.ContainsFunc(systemMakers, func(maker string) bool {
		return strings.HasPrefix(scheme, maker+".")
	})
}

// isOnThisMachine reports whether the redirect goes to a program on the person's machine by http.
func isOnThisMachine(redirect string) bool {
	u, err := url.Parse(redirect)
	return err == nil && u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// isRegistered reports whether the redirect is one that the client registered: exactly, but for the port of a program on the
// person's machine, which takes what is free (RFC 8252, 7.3).
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

// formTarget returns what a page's policy must allow for the redirect after a form is sent: its origin, or its scheme.
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

// describeTarget says to a person where the code goes.
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
