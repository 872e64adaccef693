package web

import (
	"net/http"
	"net/url"
	"regexp"
	"time"
)

// preferencesCookie is where a browser keeps the preferences of its person. They are not secret.
const (
	preferencesCookie = "errand_preferences"
	keepPreferences   = 365 * 24 * time.Hour
)

// preferences are how a person likes the pages.
type preferences struct {
	WithoutKeys bool   // single keys do nothing
	OldestFirst bool   // the outermost frame of a stack comes first
	Zone        string // such as Europe/Berlin; empty for that of the browser
}

// zoneForm is what names of zones look like (IANA).
var zoneForm = regexp.MustCompile(`^[A-Za-z0-9_+/-]{1,64}$`)

// readPreferences returns the preferences that a browser has kept.
func (s *Site) readPreferences(r *http.Request) preferences {
	kept, err := url.ParseQuery(s.readCookie(r, preferencesCookie))
	if err != nil {
		return preferences{}
	}
	return parsePreferences(kept)
}

// parsePreferences reads what a form or a cookie says.
func parsePreferences(fields url.Values) preferences {
	p := preferences{WithoutKeys: fields.Get("keys") == "off", OldestFirst: fields.Get("frames") == "oldest", Zone: fields.Get("zone")}
	if !zoneForm.MatchString(p.Zone) {
		p.Zone = ""
	}
	return p
}

// keepPreferences has the browser keep the preferences.
func (s *Site) keepPreferences(w http.ResponseWriter, p preferences) {
	kept := url.Values{}
	if p.WithoutKeys {
		kept.Set("keys", "off")
	}
	if p.OldestFirst {
		kept.Set("frames", "oldest")
	}
	if p.Zone != "" {
		kept.Set("zone", p.Zone)
	}
	s.setCookie(w, preferencesCookie, kept.Encode(), keepPreferences, http.SameSiteLaxMode)
}
