package core

// Consent is what a person allowed an MCP client to do when it signed in by URL. It waits in the store, for a minute,
// until the client exchanges its code for a token.
type Consent struct {
	By          Actor  // the person whose credential was shown
	ClientID    string // as it was registered
	ClientName  string // the client's own text, cleaned
	RedirectURI string
	Challenge   string // the S256 challenge of PKCE (RFC 7636)
	Scopes      List[Scope]
	Project     ProjectRef // the project of the new token; empty: the project of By
	OnlyProject bool       // the token sees no other project
}

// ConsentScopes are the scopes that a client can be allowed. Admin is never among them.
var ConsentScopes = []Scope{IssuesRead, IssuesWrite, ReleasesWrite}
