package api

import (
	_ "embed" // openapi.md
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"errand/core"
)

// dialect is how the document and the page of one API differ from another's.
type dialect struct {
	catalogue   *core.Catalogue
	title       string
	description string
	docsPath    string // of the first page that explains it
	docsTitle   string
	page        string // name of the first page's template
	scopeWord   string // the page's word for what a call needs
	hasTools    bool   // operations are MCP tools

	schemes     map[string]*huma.SecurityScheme
	usualScheme string
	scopeName   string // the OpenAPI extension that names what a call needs
	scopes      []core.Scope

	schemesOf  func(*core.Operation) []map[string][]string // alternatives, each of which opens an operation
	scopeOf    func(*core.Operation) core.Scope
	codesOf    func(*core.Operation) []core.Code // of its errors, as in the answers
	resourceOf func(*core.Operation) string      // the noun of an operation
	wrapperOf  func(*core.Operation) string      // the key that its body may be wrapped in; empty for none
	keyOf      func(*core.Operation) string      // the header with the caller's credential, in the syntax of a shell; empty for none

	dropsUnknown bool // unknown fields are dropped; otherwise they are refused
	challenges   bool // a 401 has WWW-Authenticate
}

// The names of the security schemes (primary API, Authentication).
const (
	schemeBearer = "bearer"
	schemeDSNKey = "dsnKey"
	schemeSetup  = "setupKey"
	// schemeSession is not in the specification: people have accounts.
	schemeSession = "session"
)

//go:embed openapi.md
var documentDescription string

// newV1Dialect is the dialect of the API at /v1.
func newV1Dialect(catalogue *core.Catalogue) *dialect {
	return &dialect{
		catalogue: catalogue, title: "Errand", description: documentDescription, docsPath: "/docs", docsTitle: "Errand API",
		page: "v1", scopeWord: "Scope", hasTools: true,
		schemes: map[string]*huma.SecurityScheme{
			schemeBearer: {Type: "http", Scheme: "bearer",
				Description: "A token (ck_..) with the scope that the operation needs, or the ADMIN_TOKEN."},
			schemeDSNKey: {Type: "apiKey", In: "header", Name: "X-Service-Key",
				Description: "The key of a project: the part of its DSN before the @."},
			schemeSCM: {Type: "apiKey", In: "header", Name: "X-Scm-Signature-256",
				Description: "sha256=, and the HMAC-SHA256 of the raw body in hexadecimal, with SCM_WEBHOOK_SECRET as the key."},
			schemeSetup: {Type: "http", Scheme: "bearer", Description: "A setup key (cks_..), valid for one hour."},
			schemeSession: {Type: "apiKey", In: "cookie", Name: "errand_session",
				Description: "The session of a person who has signed in; under https the cookie is __Host-errand_session. It counts where there is " +
					"no header Authorization. A change that another site has the browser ask for is 403 forbidden."},
		},
		usualScheme: schemeBearer,
		scopeName:   "x-required-scope",
		scopes: []core.Scope{
			core.AnyToken, core.IssuesRead, core.IssuesWrite, core.ReleasesWrite, core.Admin, core.SetupScope, core.PersonScope,
			core.NoToken,
		},
		schemesOf:  schemesOfV1,
		scopeOf:    func(op *core.Operation) core.Scope { return op.Scope },
		codesOf:    codesOfV1,
		resourceOf: resourceOfV1,
		wrapperOf:  func(*core.Operation) string { return "" },
		keyOf:      keyOfV1,
		challenges: true,
	}
}

// codesOfV1 returns the codes of an operation's errors, and those that a call meets before it: too many failed authentications, and
// headers that are too large.
func codesOfV1(op *core.Operation) []core.Code {
	codes := append(op.AllErrors(), core.HeadersTooLarge)
	if op.Scope != core.NoToken || op.ServedBy != "" {
		codes = append(codes, core.Limit)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func schemesOfV1(op *core.Operation) []map[string][]string {
	switch op.Scope {
	case core.NoToken:
		return []map[string][]string{{schemeDSNKey: {}}}
	case core.SetupScope:
		return []map[string][]string{{schemeSetup: {}}, {schemeBearer: {}}, {schemeSession: {}}}
	case core.PersonScope:
		return []map[string][]string{{schemeSession: {}}}
	default:
		return []map[string][]string{{schemeBearer: {}}, {schemeSession: {}}}
	}
}

// resourceOfV1 is the first part of the path below /v1.
func resourceOfV1(op *core.Operation) string {
	noun, _, _ := strings.Cut(strings.TrimPrefix(op.Path(), "/v1/"), "/")
	return noun
}

func keyOfV1(op *core.Operation) string {
	switch op.Scope {
	case core.NoToken:
		return "X-Service-Key: $DSN_KEY"
	case core.PersonScope:
		return "Cookie: errand_session=$ERRAND_SESSION"
	}
	return "Authorization: Bearer $ERRAND_TOKEN"
}
