package core

var apiKeyOperations = []*Operation{
	CreateAPIKey.Operation,
	ListAPIKeys.Operation,
	RevokeAPIKey.Operation,
}

// KeyPermissions are what an API key can be allowed to do, in the order of the specification's table (management API, Authentication).
var KeyPermissions = []Scope{
	"apps:read", "apps:write", "problems:read", "problems:write", "notices:read", "tags:read", "tags:write", "teams:read", "teams:write",
	"users:read", "users:write",
}

// Permission is one of KeyPermissions.
type Permission string

// JSONSchema lists them.
func (Permission) JSONSchema() Schema { return Schema{"type": "string", "enum": KeyPermissions} }

// APIKey is a credential of the management API at /api/v1 (management API, Authentication).
type APIKey struct {
	ID          int64       `json:"id"`
	Name        string      `json:"name" untrusted:"true"`
	Prefix      string      `json:"prefix" doc:"The first 10 characters of the key."`
	Permissions List[Scope] `json:"permissions"`
	CreatedAt   Time        `json:"created_at" always:"true"`
	CreatedBy   Text        `json:"created_by" untrusted:"true"`
	LastUsedAt  Time        `json:"last_used_at" doc:"Written at most once a minute; null when it was never used."`
	RevokedAt   Time        `json:"revoked_at" doc:"null while it is valid."`
}

// CreatedAPIKey is an API key with its value.
type CreatedAPIKey struct {
	APIKey
	Value string `json:"key" doc:"The key itself: shown now and never again."`
}

// CreateAPIKeyInput is the body of POST /v1/api-keys.
type CreateAPIKeyInput struct {
	Name        string       `json:"name" doc:"Who will use it; shown in the activity." min:"1" max:"100"`
	Permissions []Permission `json:"permissions" doc:"What it may do; write does not include read." min:"1" max:"11"`
}

// Check refuses names that cannot be shown.
func (in CreateAPIKeyInput) Check() error { return CheckName("name", in.Name) }

// CreateAPIKey declares POST /v1/api-keys.
var CreateAPIKey = DefineOperation[CreateAPIKeyInput, Data[CreatedAPIKey]](Operation{
	Name: "create_api_key", Route: "POST /v1/api-keys", Scope: Admin, Status: 201,
	Summary:     "Create an API key",
	Description: "Creates a key of the management API at /api/v1. Only this answer shows the key: Errand stores its hash.",
	Example:     `{"name": "dashboard", "permissions": ["apps:read", "problems:read"]}`,
	NotATool:    "it hands out a secret",
})

// ListAPIKeysInput has no fields: every key is listed.
type ListAPIKeysInput struct{}

// ListAPIKeys declares GET /v1/api-keys.
var ListAPIKeys = DefineOperation[ListAPIKeysInput, Data[List[APIKey]]](Operation{
	Name: "list_api_keys", Route: "GET /v1/api-keys", Scope: Admin,
	Summary:     "List API keys",
	Description: "Lists all keys of the management API, revoked ones too, most recent first, without their values.",
	Example:     `{}`,
	NotATool:    "agents do not use the management API",
})

// RevokeAPIKeyInput names an API key in the path.
type RevokeAPIKeyInput struct {
	ID int64 `json:"id" doc:"Id of the API key." min:"1"`
}

// RevokeAPIKey declares DELETE /v1/api-keys/{id}.
var RevokeAPIKey = DefineOperation[RevokeAPIKeyInput, None](Operation{
	Name: "revoke_api_key", Route: "DELETE /v1/api-keys/{id}", Scope: Admin, Status: 204,
	Summary:     "Revoke an API key",
	Description: "Revokes a key of the management API at once, on every server. An unknown or already revoked key is not_found.",
	Example:     `{"id": 7}`,
	Errors:      []Code{NotFound}, Destructive: true,
	NotATool: "it takes a secret out of use",
})
