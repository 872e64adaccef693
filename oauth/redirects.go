package oauth

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
)

// The bounds of what a client registers: its registration is carried in URLs.
const (
	maxRedirects      = 10
	maxRedirectsBytes = 2000
)

// refusedSchemes are those by which a browser would run or open something of ours, not hand a code to a program.
var refusedSchemes = []string{
	"about", "blob", "chrome", "data", "file", "filesystem", "ftp", "javascript", "mailto", "vbscript", "view-source", "ws", "wss",
}

// checkRedirect refuses a URI to which no code may be sent: https everywhere, http to this machine alone, or the scheme of a
// program (RFC 8252, 7).
func checkRedirect(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme == "" || strings.ContainsAny(text, " \t\r\n\"'<>\\;,*"):
		return fmt.Errorf("%.200q is not a URI", text)
	case u.Fragment != "" || strings.Contains(text, "#"):
		return fmt.Errorf("%.200q must not have a fragment", text)
	case u.User != nil:
		return fmt.Errorf("%.200q must not have a user", text)
	case slices.Contains(refusedSchemes, strings.ToLower(u.Scheme)):
		return fmt.Errorf("%.200q has a scheme that is not taken", text)
	case u.Scheme == "https" && u.Hostname() != "", u.Scheme != "https" && u.Scheme != "http":
		return nil
	case u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("%.200q must be https, unless it is on this machine (127.0.0.1, [::1], localhost)", text)
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
