package core

import "slices"

// Scope is what a call needs and a token has, such as issues:read.
type Scope string

// The scopes that a token can have (primary API, Authentication).
const (
	IssuesRead    Scope = "issues:read"
	IssuesWrite   Scope = "issues:write"
	ReleasesWrite Scope = "releases:write"
	Admin         Scope = "admin" // satisfies every other scope
)

// Words for operations that no token scope opens.
const (
	AnyToken   Scope = "any"   // every valid token
	NoToken    Scope = "none"  // no bearer token: the operation has its own key
	SetupScope Scope = "setup" // a setup key (decisions 10)
	AgentScope Scope = "agent" // a token that a setup made for an agent
)

// ActorType says who acts.
type ActorType string

// The types of actors (primary API, Activity row).
const (
	ActorToken      ActorType = "token"
	ActorAdminToken ActorType = "admin_token"
	ActorSystem     ActorType = "system"
	ActorUser       ActorType = "user" // a person
)

// Actor is who makes a call, as found from its credential.
type Actor struct {
	Type        ActorType
	ID          OptInt // of the token or the setup key, which share one series of ids, or of the user; 0 for the others
	Name        string
	Scopes      List[Scope]
	Prefix      Text   // the first characters of the token
	ProjectID   OptInt // the app to which the token is bound; 0 for all apps
	ProjectName Text
	OnlyProject bool   // nothing but that app exists for it
	Worker      string // who of those that share the token, as the call says; empty for nobody in particular

	IsSetupKey bool // it is a setup key, which opens the setup and nothing else; its Type is token
	IsAgent    bool // its token was made by a setup

	Rights Rights // of a user: see NewUserActor
}

// bootstrapName is how the bootstrap admin is shown: in the timeline, as who made or decided something.
const bootstrapName = "ADMIN_TOKEN"

// NewBootstrapActor is the actor behind the deployment's ADMIN_TOKEN.
func NewBootstrapActor() Actor {
	return Actor{Type: ActorAdminToken, Name: bootstrapName, Scopes: List[Scope]{Admin}}
}

// NewSystemActor is the server itself acting, such as ingest when it reopens an issue.
func NewSystemActor(name string) Actor { return Actor{Type: ActorSystem, Name: name} }

// Has reports whether the actor's scopes satisfy the scope.
func (a Actor) Has(s Scope) bool {
	switch {
	case a.Type == "":
		return false
	case a.IsSetupKey:
		return s == SetupScope
	case s == AnyToken, s == AgentScope && a.IsAgent:
		return true
	default:
		return slices.Contains(a.Scopes, s) || slices.Contains(a.Scopes, Admin)
	}
}

// IsSame reports whether two actors are one: the same token or user, or both the ADMIN_TOKEN. A user may have got another name since.
func (a Actor) IsSame(b Actor) bool {
	return a.Type == b.Type && a.ID == b.ID && (a.Name == b.Name || a.Type == ActorUser)
}

// CheckProject refuses a token that is bound to another app: such a token sends deploys and source maps only for its
// own (primary API, Authentication). The error is forbidden_project.
func (a Actor) CheckProject(projectID int64) error {
	if a.ProjectID == 0 || int64(a.ProjectID) == projectID {
		return nil
	}
	return NewError(ForbiddenProject).With("reason", "this token is for another app")
}
