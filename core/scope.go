package core

import "slices"

// Scope is a permission that a call needs and a token has, such as issues:read.
type Scope string

// The scopes that a token can have (primary API, Authentication).
const (
	IssuesRead    Scope = "issues:read"
	IssuesWrite   Scope = "issues:write"
	ReleasesWrite Scope = "releases:write"
	Admin         Scope = "admin" // satisfies every other scope but PersonScope
)

// Values for operations that no scope of a token opens.
const (
	AnyToken   Scope = "any"   // every valid token will do
	NoToken    Scope = "none"  // no bearer token: the operation has its own key
	SetupScope Scope = "setup" // a setup key (decisions 10)
	AgentScope Scope = "agent" // a token that a setup made for an agent

	PersonScope Scope = "person" // no token at all: the session of a person
)

// ActorType is the kind of an actor.
type ActorType string

// The types of actors (primary API, Activity row).
const (
	ActorToken      ActorType = "token"
	ActorAdminToken ActorType = "admin_token"
	ActorSystem     ActorType = "system"
	ActorUser       ActorType = "user" // a person
)

// Actor is the caller, as identified by its credential.
type Actor struct {
	Type        ActorType
	ID          OptInt // of the token or the setup key, which share one sequence of ids, or of the user; 0 for others
	Name        string
	Scopes      List[Scope]
	Prefix      Text   // the first characters of the token
	ProjectID   OptInt // the app that the token is bound to; 0 for all apps
	ProjectName Text
	OnlyProject bool   // the token sees no other app
	Worker      string // which of those who share the token, as the call says; empty when it does not say

	IsSetupKey bool // it is a setup key, which opens only the setup; its Type is token
	IsAgent    bool // a setup made its token

	Rights  Rights // of a person: see NewUserActor
	Prefers Preferences
	Session int64 // id of the person's session that makes the call; 0 when it has none
}

// bootstrapName is the name of the bootstrap admin wherever an actor is shown, as in the timeline.
const bootstrapName = "ADMIN_TOKEN"

// NewBootstrapActor is the actor behind the deployment's ADMIN_TOKEN.
func NewBootstrapActor() Actor {
	return Actor{Type: ActorAdminToken, Name: bootstrapName, Scopes: List[Scope]{Admin}}
}

// NewSystemActor is the server itself as an actor, such as ingest when it reopens an issue.
func NewSystemActor(name string) Actor { return Actor{Type: ActorSystem, Name: name} }

// Has reports whether the actor's scopes satisfy the scope.
func (a Actor) Has(s Scope) bool {
	switch {
	case a.Type == "":
		return false
	case a.IsSetupKey:
		return s == SetupScope
	case s == PersonScope:
		return a.Type == ActorUser
	case s == AnyToken, s == AgentScope && a.IsAgent:
		return true
	default:
		return slices.Contains(a.Scopes, s) || slices.Contains(a.Scopes, Admin)
	}
}

// IsSame reports whether two actors are one: the same token or user, or both the ADMIN_TOKEN. Names do not count: a
// user may have been renamed.
func (a Actor) IsSame(b Actor) bool {
	return a.Type == b.Type && a.ID == b.ID && (a.Name == b.Name || a.Type == ActorUser)
}

// CheckProject refuses a token that is bound to another app, with forbidden_project. Such a token sends deploys and
// source maps only for its own app (primary API, Authentication).
func (a Actor) CheckProject(projectID int64) error {
	if a.ProjectID == 0 || int64(a.ProjectID) == projectID {
		return nil
	}
	return NewError(ForbiddenProject).With("reason", "this token is for another app")
}
