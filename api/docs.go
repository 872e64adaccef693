package api

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"errand/core"
	"errand/wire"
)

//go:embed docs*.html
var docsTemplates embed.FS

//go:embed docs.css
var docsStyle string

// docsPages is /docs. Every reader gets the same page. It is made when somebody first asks for it, and again after a change of the
// public URL.
type docsPages struct {
	dialect *dialect
	baseURL func() string
	version string
	newest  atomic.Pointer[docsPage]
}

// docsPage is the page for one public URL.
type docsPage struct {
	baseURL string
	html    wire.CompressedBody
	policy  string
}

// The parts of the page, as its template sees them.
type (
	docsView struct {
		BaseURL, Version string
		Style            template.CSS
		ScopeWord        string // Scope or Permission
		HasTools         bool   // operations are MCP tools
		Scopes           []docsScope
		Groups           []docsGroup
		Objects          []docsObject
		Errors           []docsError
	}
	docsScope struct {
		Name       core.Scope
		Operations []string
	}
	docsGroup struct {
		Name       string
		Operations []docsOperation
	}
	docsOperation struct {
		*core.Operation
		Needs   core.Scope
		Fields  []docsField
		Answer  template.HTML
		Curl    string
		Errors  []docsError
		Aliases []string
	}
	docsField struct {
		Name, Doc, Where string
		Type             template.HTML
		Required         bool
	}
	docsObject struct {
		Name   string
		Fields []docsField
	}
	docsError struct {
		Code    string
		Status  int
		Meaning string
		Members []docsField
	}
)

func newDocsPages(d *dialect, baseURL func() string, version string) *docsPages {
	return &docsPages{dialect: d, baseURL: baseURL, version: version}
}

// serveNewest renders the page when it is first asked for, and again after BASE_URL changed.

func (d *docsPages) serveNewest(w http.ResponseWriter, r *http.Request) {
	page, base := d.newest.Load(), d.baseURL()
	if page == nil || page.baseURL != base {
		page = d.dialect.newDocsPage(base, d.version)
		d.newest.Store(page)
	}
	page.servePage(w, r)
}

// newDocsPage renders the page from the declared operations.
func (d *dialect) newDocsPage(baseURL, version string) *docsPage {
	page := template.Must(template.ParseFS(docsTemplates, "*.html"))
	view := docsView{
		BaseURL: baseURL, Version: version, Style: template.CSS(docsStyle),
		ScopeWord: d.scopeWord, HasTools: d.hasTools,
		Scopes: d.docsScopes(), Groups: d.docsGroups(baseURL), Objects: docsObjects(d.catalogue),
		Errors: slices.Concat(docsHeld(d.catalogue.Operations()...), docsErrors(d.catalogue.Errors(), d.allCodes())),
	}
	var html bytes.Buffer
	if err := page.ExecuteTemplate(&html, d.page, view); err != nil {
		panic(fmt.Sprintf("api: page of the API: %v", err))
	}
	hash := sha256.Sum256([]byte(docsStyle))
	policy := "default-src 'none'; img-src 'self'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return &docsPage{baseURL, wire.CompressBody(html.Bytes()), policy}
}

func (p *docsPage) servePage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", p.policy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	p.html.Write(w, r, http.StatusOK, "text/html; charset=utf-8")
}

// docsScopes returns each scope with the operations that need it.
func (d *dialect) docsScopes() []docsScope {
	var scopes []docsScope
	for _, name := range d.scopes {
		scope := docsScope{Name: name}
		for _, op := range d.catalogue.Operations() {
			if d.scopeOf(op) == name {
				scope.Operations = append(scope.Operations, op.Name)
			}
		}
		if scope.Operations != nil {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

func (d *dialect) docsGroups(baseURL string) []docsGroup {
	var groups []docsGroup
	for _, op := range d.catalogue.Operations() {
		name := d.resourceOf(op)
		at := slices.IndexFunc(groups, func(g docsGroup) bool { return g.Name == name })
		if at < 0 {
			at = len(groups)
			groups = append(groups, docsGroup{Name: name})
		}
		groups[at].Operations = append(groups[at].Operations, docsOperation{
			Operation: op, Needs: d.scopeOf(op), Fields: docsInputs(op), Answer: answerHTML(op.OutputSchema(true)),
			Curl: d.curlCommand(baseURL, op), Aliases: op.Aliases,
			Errors: slices.Concat(docsHeld(op), docsErrors(d.catalogue.Errors(), d.codesOf(op))),
		})
	}
	return groups
}

func docsInputs(op *core.Operation) []docsField {
	var fields []docsField
	for _, f := range op.Fields() {
		where := string(partOf(op, f.Name))
		fields = append(fields, docsField{Name: f.Name, Doc: f.Doc, Where: where, Type: typeHTML(f.Schema), Required: f.Required})
		fields = append(fields, docsParts(f.Name, where, f.Schema)...)
	}
	return fields
}

// docsParts lists the members below a field, by path. The members of a list are the members of its elements.
func docsParts(path, where string, schema core.Schema) []docsField {
	var fields []docsField
	properties, _ := schema["properties"].(core.Schema)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		part := properties[name].(core.Schema)
		doc, _ := part["description"].(string)
		at := path + "." + name
		fields = append(fields, docsField{Name: at, Doc: doc, Where: where, Type: typeHTML(part)})
		fields = append(fields, docsParts(at, where, part)...)
	}
	if items, ok := schema["items"].(core.Schema); ok {
		fields = append(fields, docsParts(path, where, items)...)
	}
	if either, ok := schema["oneOf"].([]any); ok { // a single value, or a list
		fields = append(fields, docsParts(path, where, either[0].(core.Schema))...)
	}
	return fields
}

func docsObjects(catalogue *core.Catalogue) []docsObject {
	components := catalogue.Components()
	var objects []docsObject
	for _, name := range slices.Sorted(maps.Keys(components)) {
		object := docsObject{Name: name}
		for _, member := range membersOf(components[name]) {
			doc, _ := member.schema["description"].(string)
			object.Fields = append(object.Fields, docsField{Name: member.name, Doc: doc, Type: typeHTML(member.schema)})
		}
		objects = append(objects, object)
	}
	return objects
}

// allCodes returns every code that an operation can answer, and the codes for unknown paths and methods.
func (d *dialect) allCodes() []core.Code {
	codes := []core.Code{core.NotFound, core.MethodNotAllowed}
	for _, op := range d.catalogue.Operations() {
		codes = append(codes, d.codesOf(op)...)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func docsErrors(forms core.ErrorForms, codes []core.Code) []docsError {
	var errors []docsError
	for _, code := range codes {
		errors = append(errors, docsError{string(code), forms[code].Status, forms[code].Meaning, docsMembers(forms, code)})
	}
	slices.SortStableFunc(errors, func(a, b docsError) int { return a.Status - b.Status })
	return errors
}

// docsHeld returns the row for the held answer, if the action of one of the operations can be held. It stands with
// the errors because it too replaces the answer.
func docsHeld(operations ...*core.Operation) []docsError {
	if !slices.ContainsFunc(operations, (*core.Operation).IsHoldable) {
		return nil
	}
	held := docsError{Code: core.HeldStatus, Status: core.HeldHTTPStatus, Meaning: core.HeldMeaning}
	for _, member := range membersOf(core.HeldSchema()) {
		if member.name != "status" { // it repeats the code
			doc, _ := member.schema["description"].(string)
			held.Members = append(held.Members, docsField{Name: member.name, Doc: doc, Type: answerHTML(member.schema)})
		}
	}
	return []docsError{held}
}

// docsMembers returns the members of an error's body beside its code.
func docsMembers(forms core.ErrorForms, code core.Code) []docsField {
	var fields []docsField
	names, schemas := forms.MembersOf(code)
	for _, name := range names {
		schema := schemas[name].(core.Schema)
		doc, _ := schema["description"].(string)
		fields = append(fields, docsField{Name: name, Doc: doc, Type: answerHTML(schema)})
	}
	return fields
}

// Title is the group's name as a heading.
func (g docsGroup) Title() string { return strings.ToUpper(g.Name[:1]) + g.Name[1:] }
