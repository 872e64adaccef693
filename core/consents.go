package core

// Consent is what a person allowed a client of MCP to do when it signed in by URL. Until the client exchanges its code for
// a token it waits in the store, for a minute.
type Consent struct {
	By          Actor  // whose credential the person showed
	ClientID    string // as it was registered
	ClientName  string // text of the client's, cleaned
	RedirectURI string
	Challenge   string // the S256 challenge of PKCE (RFC 7636)
	Scopes      List[Scope]
	Project     ProjectRef // to which the token is bound; empty for that of By
	OnlyProject bool       // it sees nothing else
}

// ConsentScopes are the scopes that a client can be allowed. Admin is never among them.
var ConsentScopes = []Scope{IssuesRead, IssuesWrite, ReleasesWrite}
