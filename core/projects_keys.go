package core

import (
	"fmt"
	"strings"
)

// ProjectKey is a DSN key of a project.
type ProjectKey struct {
	PublicKey string `json:"public_key"`
	DSN       string `json:"dsn"`
}

// CreateProjectKey declares POST /v1/projects/{project}/keys.
var CreateProjectKey = DefineOperation[ProjectInput, Data[ProjectKey]](Operation{
	Name: "create_project_key", Route: "POST /v1/projects/{project}/keys", Scope: Admin, Status: 201,
	Summary:     "Create a DSN key",
	Description: "Adds a DSN key to a project, for example to replace one that leaked: deploy the new DSN, then delete the old key.",
	Example:     `{"project": "web-shop"}`,
	Errors:      []Code{ProjectNotFound},
})

// DeleteProjectKeyInput names a key of a project in the path.
type DeleteProjectKeyInput struct {
	Project ProjectRef `json:"project" doc:"Public id or slug of the project."`
	Key     string     `json:"key" doc:"The public key: the part of the DSN before the @." min:"1" max:"64"`
}

// DeleteProjectKey declares DELETE /v1/projects/{project}/keys/{key}.
var DeleteProjectKey = DefineOperation[DeleteProjectKeyInput, None](Operation{
	Name: "delete_project_key", Route: "DELETE /v1/projects/{project}/keys/{key}", Scope: Admin, Status: 204,
	Summary:     "Revoke a DSN key",
	Description: "Revokes a DSN key: events that use it get 401 within 60 seconds. The only active key of a project cannot be revoked.",
	Example:     `{"project": "web-shop", "key": "0123456789abcdef0123456789abcdef"}`,
	Errors:      []Code{ProjectNotFound, NotFound, LastKey}, Destructive: true, Idempotent: true,
})

// WriteDSN returns the address that an SDK sends to: scheme and host of the base URL, the key, the project (primary API).
func WriteDSN(baseURL, publicKey string, projectID int64) string {
	scheme, host, _ := strings.Cut(strings.TrimSuffix(baseURL, "/"), "://")
	return fmt.Sprintf("%s://%s@%s/%d", scheme, publicKey, host, projectID)
}
