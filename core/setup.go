package core

import "time"

var setupOperations = []*Operation{
	CreateSetupKey.Operation,
	ListSetupKeys.Operation,
	RevokeSetupKey.Operation,
	RegisterApp.Operation,
	CreateAgentToken.Operation,
	SendTestEvent.Operation,
	ReportSetupStep.Operation,
	GetSetupProgress.Operation,
	GetSetupGuide.Operation,
}

// The limits of a setup key (primary API, Limits).
const (
	SetupKeyLife      = time.Hour
	SetupKeyMaxApps   = 10 // apps that it registers
	SetupKeyMaxTokens = 5  // tokens that it makes
)

// SetupKey is the credential for a coding agent that sets an application up. It lasts an hour.
type SetupKey struct {
	ID        int64  `json:"id"`
	Prefix    string `json:"prefix" doc:"The first 10 characters of the key."`
	CreatedAt Time   `json:"created_at" always:"true"`
	CreatedBy string `json:"created_by" untrusted:"true"`
	ExpiresAt Time   `json:"expires_at" always:"true"`
}

// CreatedSetupKey is a setup key with its value.
type CreatedSetupKey struct {
	SetupKey
	Key    string `json:"key" doc:"The key itself: shown now and never again."`
	Prompt string `json:"prompt" doc:"@createdSetupKey.prompt"`
}

// ListedSetupKey is a setup key with the apps and tokens that were made with it.
type ListedSetupKey struct {
	SetupKey
	Apps      int64 `json:"apps"`
	Tokens    int64 `json:"tokens"`
	RevokedAt Time  `json:"revoked_at"`
}

// CreateSetupKeyInput has no fields: all setup keys are alike.
type CreateSetupKeyInput struct{}

// CreateSetupKey declares POST /v1/setup/keys.
var CreateSetupKey = DefineOperation[CreateSetupKeyInput, Data[CreatedSetupKey]](Operation{
	Name: "create_setup_key", Route: "POST /v1/setup/keys", Scope: Admin, Status: 201,
	Summary: "Create a setup key",
	Description: "Creates a key with which a coding agent registers applications and connects them, for an hour: at most 10 apps and " +
		"5 agent tokens. Give the agent the text in prompt. The answer is the only place where the key stands: only its hash is stored.",
	Example:  `{}`,
	NotATool: "it hands out a secret",
})

// ListSetupKeysInput has no fields.
type ListSetupKeysInput struct{}

// ListSetupKeys declares GET /v1/setup/keys.
var ListSetupKeys = DefineOperation[ListSetupKeysInput, Data[List[ListedSetupKey]]](Operation{
	Name: "list_setup_keys", Route: "GET /v1/setup/keys", Scope: SetupScope,
	Summary:     "List setup keys",
	Description: "Lists setup keys without their values, newest first; a setup key sees only itself.",
	Example:     `{}`,
})

// RevokeSetupKeyInput names a setup key in the path.
type RevokeSetupKeyInput struct {
	ID int64 `json:"id" doc:"Id of the setup key." min:"1"`
}

// RevokeSetupKey declares DELETE /v1/setup/keys/{id}.
var RevokeSetupKey = DefineOperation[RevokeSetupKeyInput, None](Operation{
	Name: "revoke_setup_key", Route: "DELETE /v1/setup/keys/{id}", Scope: SetupScope, Status: 204,
	Summary: "Revoke a setup key",
	Description: "Revokes a setup key, expired or not, and the agent tokens that it made, at once. The apps stay. An unknown or already " +
		"revoked key is not_found; to a setup key, every other one is.",
	Example: `{"id": 7}`,
	Errors:  []Code{NotFound}, Destructive: true,
	NotATool: "it takes secrets out of use",
})
