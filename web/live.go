package web

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
)

// ageText is the text of a time that says how long it is ago, or how long there is until then. The script moves it on by itself, so a
// part whose ages alone have changed is the same.
var ageText = regexp.MustCompile(`(<time[^>]* data-(?:ago|left)[^>]*>)[^<]*</time>`)

// makeTag returns the ETag of a live part: of what it says, and of the version of what it was made from, if that is known.
func makeTag(body []byte, version string) string {
	content := hashShortly(ageText.ReplaceAll(body, []byte("$1")))
	if version != "" {
		content += "." + version
	}
	return `W/"` + content + `"`
}

// splitTag returns the two halves of an ETag.
func splitTag(tag string) (content, version string) {
	content, version, _ = strings.Cut(strings.TrimSuffix(strings.TrimPrefix(tag, `W/"`), `"`), ".")
	return content, version
}

// liveVersion is the key of the context for the version of what a live part is made from.
type liveVersion struct{}

// makeLivePage makes the page of a person with a live part that open pages ask for all the time. As long as the version in the ETag is
// the one of now, one statement answers, and nothing is made anew.
func (s *Site) makeLivePage(part string, show visitHandler) http.Handler {
	open := s.openVisit(show)
	return s.makePage(func(w http.ResponseWriter, r *http.Request) error {
		if r.URL.Query().Get(fragmentField) != part {
			return open(w, r)
		}
		version, err := s.findLiveVersion(r)
		if err != nil {
			return err
		}
		tag := r.Header.Get("If-None-Match")
		if _, known := splitTag(tag); known == version && version != "" {
			w.Header().Set("ETag", tag)
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
		return open(w, r.WithContext(context.WithValue(r.Context(), liveVersion{}, version)))
	}, nil)
}

// findLiveVersion returns the version of what a live part shows at an address to the person who is signed in. It is empty when the
// session or the issue has to be looked at: an open page does not use its session until half of its idle time is over.
func (s *Site) findLiveVersion(r *http.Request) (string, error) {
	token, issue := s.readCookie(r, sessionCookie), int64(0)
	if len(token) != sessionTokenLength {
		return "", nil
	}
	if r.PathValue("id") != "" {
		var err error
		if issue, err = readID(r); err != nil {
			return "", nil
		}
	}
	version, err := s.Sessions.FindLiveVersion(r.Context(), hashToken(token), s.Clock().Add(idleFor/2), issue)
	if err != nil || version == "" {
		return "", err
	}
	return hashShortly([]byte(r.URL.RequestURI() + " " + version)), nil
}

func hashShortly(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
