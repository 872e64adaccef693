package api

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-chi/chi/v5"

	"errand/core"
	"errand/wire"
)

//go:embed docs*.html
var docsFiles embed.FS

var docsTemplates = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(docsFiles, "*.html")) })

// The parts of an API's pages that are not the operations of one resource.
const (
	objectsPart = "objects"
	errorsPart  = "errors"
)

// docsPolicy lets a page load the style sheet and the icon, and nothing else.
const docsPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// docsPages are the pages that explain an API: the first one, one for each resource, one for the objects, one for the errors. Every
// reader gets the same pages. They are made when somebody first asks for one, and again after a change of the public URL.
type docsPages struct {
	dialect *dialect
	baseURL func() string
	version string
	assets  Assets
	newest  atomic.Pointer[docsBook]
}

// docsBook is the pages for one public URL, by their parts.
type docsBook struct {
	baseURL string
	pages   map[string]wire.CompressedBody
}

// serveNewest answers with the part that the path names.
func (d *docsPages) serveNewest(w http.ResponseWriter, r *http.Request) {
	book, base := d.newest.Load(), d.baseURL()
	if book == nil || book.baseURL != base {
		book = d.makeBook(base)
		d.newest.Store(book)
	}
	page, isThere := book.pages[chi.URLParam(r, "part")]
	if !isThere {
		wire.RefuseRequest(w, r, core.NewError(core.NotFound))
		return
	}
	w.Header().Set("Content-Security-Policy", docsPolicy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	page.Write(w, r, http.StatusOK, "text/html; charset=utf-8")
}

// makeBook renders the pages from the declared operations.
func (d *docsPages) makeBook(baseURL string) *docsBook {
	of := d.dialect
	view := docsView{
		Style: d.assets.Style, Icon: d.assets.Icon, BaseURL: baseURL, Version: d.version, Path: of.docsPath, ScopeWord: of.scopeWord,
		HasTools: of.hasTools, Scopes: of.docsScopes(), Groups: of.docsGroups(baseURL), Objects: of.docsObjects(),
		Errors: slices.Concat(of.docsHeld(of.catalogue.Operations()...), of.docsErrors(of.allCodes())),
	}
	book := &docsBook{baseURL, map[string]wire.CompressedBody{}}
	add := func(part, title, content string) {
		view.Here, view.Title = part, title
		var page bytes.Buffer
		for _, name := range []string{"begin", content, "end"} {
			if err := docsTemplates().ExecuteTemplate(&page, name, view); err != nil {
				panic(fmt.Sprintf("api: page of the API: %v", err))
			}
		}
		book.pages[part] = wire.CompressBody(page.Bytes())
	}
	add("", of.docsTitle, of.page)
	for _, group := range view.Groups {
		add(group.Part(), group.Title(), "operations")
	}
	add(objectsPart, "Objects", "objects")
	add(errorsPart, "Errors", "errors")
	return book
}
