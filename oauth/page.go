package oauth

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"slices"

	"errand/core"
	"errand/wire"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// pageData is the content of the page: only a problem, a problem with the way back, or the question, perhaps with a problem.
type pageData struct {
	Problem string
	Back    *wayBack
	Client  string // empty: no question
	Target  string
	Action  string
	Scopes  []scopeChoice

	StylePath, IconPath string
}

// wayBack is the client's address for the answer.
type wayBack struct {
	Client string
	Target string       // for people to read
	URL    template.URL // checkRedirect has accepted its scheme
}

type scopeChoice struct {
	Scope, Meaning string
}

var scopeMeanings = map[core.Scope]string{
	core.IssuesRead:    "read issues, events and releases of all projects",
	core.IssuesWrite:   "change issues: claim, resolve, ignore, merge, link fixes, write notes",
	core.ReleasesWrite: "report deploys, and upload and delete source maps",
}

// showConsent asks the person.
func (s *server) showConsent(w http.ResponseWriter, a asking, status int, problem string) {
	data := pageData{
		Problem: problem, Client: a.client.Name, Target: describeTarget(a.redirect), Action: "?" + a.query.Encode(),
	}
	for _, scope := range core.ConsentScopes {
		if slices.Contains(a.scopes, scope) {
			data.Scopes = append(data.Scopes, scopeChoice{string(scope), scopeMeanings[scope]})
		}
	}
	s.showPage(w, status, data, "'self' "+formTarget(a.redirect))
}

// showProblem says why a question is impossible.
func (s *server) showProblem(w http.ResponseWriter, problem string) {
	s.showPage(w, http.StatusBadRequest, pageData{Problem: problem}, "'none'")
}

// showFailure reports the result of a client's question, and lets the person decide whether to go to the client's address.
func (s *server) showFailure(w http.ResponseWriter, a asking, refused failure, target string) {
	status, problem := http.StatusBadRequest, "The client's question cannot be answered: "+refused.Description+"."
	if refused.Code == accessDenied {
		status, problem = http.StatusOK, "You have refused: the client gets no access."
	}
	back := wayBack{a.client.Name, describeTarget(a.redirect), template.URL(target)} //nolint:gosec // see its field
	s.showPage(w, status, pageData{Problem: problem, Back: &back}, "'none'")
}

// showPage writes the page. It cannot be framed and runs no code. Its form goes only to this server, and on to the client.
func (s *server) showPage(w http.ResponseWriter, status int, data pageData, formTargets string) {
	data.StylePath, data.IconPath = s.StylePath, s.IconPath
	var body bytes.Buffer
	if err := page.Execute(&body, data); err != nil {
		wire.WriteError(w, core.NewError(core.Internal))
		return
	}
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action "+formTargets+
		"; frame-ancestors 'none'; base-uri 'none'")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	wire.WriteBody(w, status, "text/html; charset=utf-8", body.Bytes())
}
