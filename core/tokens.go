package core

import "strings"

var tokenOperations = []*Operation{
	CreateToken.Operation,
	ListTokens.Operation,
	Whoami.Operation,
	RevokeToken.Operation,
}

// Token is a credential for the API. Its value is shown once, by create_token.
type Token struct {
	ID          int64       `json:"id"`
	Name        string      `json:"name" untrusted:"true"`
	Scopes      List[Scope] `json:"scopes"`
	Prefix      string      `json:"prefix" doc:"The first 10 characters of the token."`
	CreatedAt   Time        `json:"created_at" always:"true"`
	CreatedBy   Text        `json:"created_by" untrusted:"true" doc:"Who made it or let its client in; a person by address."`
	LastUsedAt  Time        `json:"last_used_at" doc:"Written at most once an hour."`
	RevokedAt   Time        `json:"revoked_at"`
	ProjectID   OptInt      `json:"project_id" doc:"The app to which the token is bound, in deploys and source maps only; null for all apps."`
	ProjectName Text        `json:"project_name"`
	OnlyProject bool        `json:"only_project" doc:"It sees and changes that app alone."`
}

// CreatedToken is a token with its value.
type CreatedToken struct {
	Token
	Value string `json:"token" doc:"The token itself: shown now and never again."`
}

// CreateTokenInput is the body of POST /v1/tokens.
type CreateTokenInput struct {
	Name    string     `json:"name" doc:"Who will use it; shown as the holder of claims." min:"1" max:"100"`
	Scopes  []Scope    `json:"scopes" doc:"What it may do." min:"1" max:"4" enum:"issues:read|issues:write|releases:write|admin"`
	Project ProjectRef `json:"project,omitempty" doc:"@createTokenInput.project" min:"1"`

	OnlyProject bool `json:"only_project,omitempty" doc:"@createTokenInput.only_project"`
}

// Check refuses names that cannot be shown, the name of the bootstrap admin, repeated scopes, and a limit without a project.
func (in CreateTokenInput) Check() error {
	if in.OnlyProject && in.Project == "" {
		return RefuseField("only_project", "needs project: the app to which the token is limited")
	}
	seen := map[Scope]bool{}
	for _, s := range in.Scopes {
		if seen[s] {
			return RefuseField("scopes", "must not name %s twice", s)
		}
		seen[s] = true
	}
	return checkTokenName(in.Name)
}

// checkTokenName refuses a token's name that cannot be shown or that belongs to the bootstrap admin.
func checkTokenName(name string) error {
	if strings.EqualFold(strings.TrimSpace(name), bootstrapName) {
		return RefuseField("name", "must not be %s, as the bootstrap admin is called", bootstrapName)
	}
	return CheckName("name", name)
}

// CreateToken declares POST /v1/tokens.
var CreateToken = DefineOperation[CreateTokenInput, Data[CreatedToken]](Operation{
	Name: "create_token", Route: "POST /v1/tokens", Scope: Admin, Status: 201,
	Summary: "Create a token",
	Description: "Creates a token with the scopes. Only this answer shows the token: Errand stores its hash. " +
		"Naming a project binds the token in deploys and source maps only: its other scopes hold for the issues and events of all projects, " +
		"unless only_project is true. Then nothing but that project exists for it, and what is of the whole installation is forbidden.",
	Example:  `{"name": "fixer", "scopes": ["issues:read", "issues:write"]}`,
	Errors:   []Code{ProjectNotFound},
	NotATool: "it hands out a secret",
})

// ListTokensInput has no fields: every token is listed.
type ListTokensInput struct{}

// ListTokens declares GET /v1/tokens.
var ListTokens = DefineOperation[ListTokensInput, Data[List[Token]]](Operation{
	Name: "list_tokens", Route: "GET /v1/tokens", Scope: Admin,
	Summary:     "List tokens",
	Description: "Lists all tokens, revoked ones too, most recent first, without their values.",
	Example:     `{}`,
})

// Identity describes the token of a call.
type Identity struct {
	Type        ActorType   `json:"type" enum:"token|admin_token|user"`
	ID          OptInt      `json:"id"`
	Name        string      `json:"name"`
	Scopes      List[Scope] `json:"scopes"`
	Prefix      Text        `json:"prefix"`
	ProjectID   OptInt      `json:"project_id"`
	ProjectName Text        `json:"project_name"`
	OnlyProject bool        `json:"only_project" doc:"Nothing but that app exists for the token."`
}

// IdentityOf returns the identity of an actor.
func IdentityOf(a Actor) Identity {
	return Identity{
		Type: a.Type, ID: a.ID, Name: a.Name, Scopes: a.Scopes, Prefix: a.Prefix, ProjectID: a.ProjectID, ProjectName: a.ProjectName,
		OnlyProject: a.OnlyProject,
	}
}

// WhoamiInput has no fields: the token is the question.
type WhoamiInput struct{}

// Whoami declares GET /v1/tokens/current.
var Whoami = DefineOperation[WhoamiInput, Data[Identity]](Operation{
	Name: "whoami", Route: "GET /v1/tokens/current", Scope: AnyToken,
	Summary:     "Show the token in use",
	Description: "Shows the name, scopes and app of your token: what you may do here, and the name on your claims.",
	Example:     `{}`,
	Errors:      []Code{Forbidden}, // for a setup key, which is not a token
})

// RevokeTokenInput names a token in the path.
type RevokeTokenInput struct {
	ID int64 `json:"id" doc:"Id of the token." min:"1"`
}

// RevokeToken declares DELETE /v1/tokens/{id}.
var RevokeToken = DefineOperation[RevokeTokenInput, None](Operation{
	Name: "revoke_token", Route: "DELETE /v1/tokens/{id}", Scope: Admin, Status: 204,
	Summary:     "Revoke a token",
	Description: "Revokes a token at once. An unknown or already revoked token is not_found.",
	Example:     `{"id": 7}`,
	Errors:      []Code{NotFound}, Destructive: true,
	NotATool: "it takes a secret out of use",
})
