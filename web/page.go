package web

import (
	"bytes"
	"net/http"
	"strings"

	"errand/core"
	"errand/wire"
)

// maxForm is how many bytes a form may have.
const maxForm = 64 << 10

// policy lets a page load our style, script and icon, ask us for its live parts, and send its forms to us, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// handler answers a request, or returns why it cannot.
type handler = func(http.ResponseWriter, *http.Request) error

// makePage makes the handler of a path: show answers GET, and take a form; nil where there is none. A form of another site is
// refused before it is read.
func (s *Site) makePage(show, take handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w)
		var err error
		switch {
		case show != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			err = show(w, r)
		case take != nil && r.Method == http.MethodPost:
			if err = s.readForm(w, r); err == nil {
				err = take(w, r)
			}
		default:
			w.Header().Set("Allow", allowedMethods(show != nil, take != nil))
			err = core.NewError(core.MethodNotAllowed)
		}
		if err != nil {
			s.showFailure(w, r, nil, s.explainFailure(r, err))
		}
	})
}

func allowedMethods(shows, takes bool) string {
	switch {
	case !takes:
		return "GET, HEAD"
	case !shows:
		return "POST"
	}
	return "GET, HEAD, POST"
}

// setHeaders has nobody keep or frame a page. Referrers stay on this site: with none at all, browsers would not say either where a
// form comes from.
func setHeaders(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "same-origin")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// CheckOrigin refuses a change that another site has the browser ask for, with forbidden_origin.
func (s *Site) CheckOrigin(r *http.Request) error {
	protection := http.NewCrossOriginProtection()
	_ = protection.AddTrustedOrigin(s.BaseURL()) // one that is no origin is not trusted
	if err := protection.Check(r); err != nil {
		return core.NewError(core.ForbiddenOrigin).Because(err)
	}
	return nil
}

// readForm reads the form of a request.
func (s *Site) readForm(w http.ResponseWriter, r *http.Request) error {
	if err := s.CheckOrigin(r); err != nil {
		return err
	}
	if contentType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); contentType != "application/x-www-form-urlencoded" {
		return core.NewError(core.UnsupportedMedia)
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return core.RefuseField("", "the form was not sent to its end, or is too long").Because(err)
	}
	return nil
}

// pageData is what a template shows.
type pageData struct {
	Title   string
	Problem string // what was wrong with the form before
	Notice  string // what was done
	Frame   *frame // what stands around the page of who is signed in; nil before that
	Said    string // the sentence of a message
	Wide    bool   // a page before signing in has more than a form
	Form    any    // of the page
}

// show answers with a page.
func show(w http.ResponseWriter, r *http.Request, status int, name string, data pageData) error {
	var body bytes.Buffer
	if err := pages.findPage(name).Execute(&body, data); err != nil {
		return err
	}
	wire.WriteCompressed(w, r, status, "text/html; charset=utf-8", body.Bytes())
	return nil
}

// redirect sends the browser on to a path of ours, with GET.
func redirect(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, path, http.StatusSeeOther)
	return nil
}
