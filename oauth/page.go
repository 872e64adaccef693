package oauth

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"sync"

	"errand/core"
	"errand/wire"
)

//go:embed page.html
var pageText string

var parsePage = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// pageData is the content of the page: only a problem, a problem with the way back, or the question, perhaps with a problem.
type pageData struct {
	Problem string
	Back    *wayBack
	Client  string // empty: no question
	Target  string
	Action  string
	Scopes  []scopeChoice

	Person     string // who is signed in; empty for nobody
	MayAllow   bool   // the person may let a client in
	SignInPath string // leads back here; empty where nobody signs in

	StylePath, IconPath string
}

// OnlyAdmins is what a person reads who may not let a client in.
func (pageData) OnlyAdmins() string { return onlyAdminsAllow }

// NeedsCredential reports whether nobody is signed in who may let the client in, or could do so here.
func (d pageData) NeedsCredential() bool {
	return !d.MayAllow && (d.Person != "" || d.SignInPath == "")
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

// onlyAdminsAllow is what a person reads who may not let a client in.
const onlyAdminsAllow = "Only a site admin may let a client in: its token is for the whole installation. Ask one, or show a setup key."

// showConsent asks the person.
func (s *server) showConsent(w http.ResponseWriter, r *http.Request, a asking, status int, problem string) {
	data := pageData{
		Problem: problem, Client: a.client.Name, Target: describeTarget(a.redirect), Action: "?" + a.query.Encode(),
	}
	if person, err := s.FindPerson(r); err == nil {
		data.Person, data.MayAllow = person.Name, s.MayAllow(person) == nil
	} else {
		data.SignInPath = s.SignInPath(authorizePath + "?" + a.query.Encode())
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
	if err := parsePage().Execute(&body, data); err != nil {
		wire.WriteError(w, core.NewError(core.Internal))
		return
	}
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action "+formTargets+
		"; frame-ancestors 'none'; base-uri 'none'")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "same-origin") // with none at all, browsers would not say either where the form comes from
	wire.WriteBody(w, status, "text/html; charset=utf-8", body.Bytes())
}
