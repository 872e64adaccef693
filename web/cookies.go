package web

import (
	"net/http"
	"strings"
	"time"
)

// maxCookie is more than any of our cookies has.
const maxCookie = 4096

// hasTLS reports whether people reach the server by https, perhaps through a proxy.
func (s *Site) hasTLS() bool { return strings.HasPrefix(s.BaseURL(), "https://") }

// cookieName returns the name under which a browser keeps a cookie. Under https one with the prefix __Host- can be set by this host
// alone, and by https alone.
func (s *Site) cookieName(name string) string {
	if s.hasTLS() {
		return "__Host-" + name
	}
	return name
}

// setCookie has the browser keep a text for some time; 0 deletes it. No script can read it.
func (s *Site) setCookie(w http.ResponseWriter, name, value string, lasts time.Duration, sameSite http.SameSite) {
	maxAge := int(lasts / time.Second)
	if lasts == 0 {
		maxAge = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(name), Value: value, Path: "/", MaxAge: maxAge, Secure: s.hasTLS(), HttpOnly: true, SameSite: sameSite,
	})
}

// readCookie returns what the browser has kept; empty for nothing.
func (s *Site) readCookie(r *http.Request, name string) string {
	cookie, err := r.Cookie(s.cookieName(name))
	if err != nil || len(cookie.Value) > maxCookie {
		return ""
	}
	return cookie.Value
}
