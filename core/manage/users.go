package manage

import (
	"fmt"
	"strings"

	"errand/core"
)

var userOperations = []*core.Operation{
	ListUsers.Operation,
	GetUser.Operation,
	CreateUser.Operation,
	UpdateUser.Operation,
	DeleteUser.Operation,
}

// User is a person who can sign in.
type User struct {
	ID             int64  `json:"id"`
	Slug           string `json:"slug" doc:"Follows the address: what stands before the @."`
	EmailAddress   string `json:"email_address"`
	SiteAdmin      bool   `json:"site_admin" doc:"May do everything; it cannot be set here."`
	LastLoggedInAt Time   `json:"last_logged_in_at"`
	CreatedAt      Time   `json:"created_at" always:"true"`
	UpdatedAt      Time   `json:"updated_at" always:"true"`
}

// ListUsers declares GET /api/v1/users.
var ListUsers = core.DefineOperation[struct{}, core.List[User]](core.Operation{
	Name: "list_users", Route: "GET /api/v1/users", Scope: UsersRead,
	Summary: "List users", Description: "Lists all users, newest first.", Example: `{}`,
})

// UserInput names a user in the path.
type UserInput struct {
	User string `json:"user" doc:"Slug or id of the user." min:"1" max:"254"`
}

// GetUser declares GET /api/v1/users/{user}.
var GetUser = core.DefineOperation[UserInput, User](core.Operation{
	Name: "get_user", Route: "GET /api/v1/users/{user}", Scope: core.AnyToken,
	Summary: "Show a user", Description: "Shows one user. It needs the permission users:read.",
	Example: `{"user": "ann"}`, Errors: []core.Code{core.NotFound, core.Forbidden},
})

// UserFields are the fields of a user that a caller can set.
type UserFields struct {
	EmailAddress core.Opt[string]      `json:"email_address" doc:"Upper case is lowered; no other user may have it."`
	Password     core.Opt[core.Secret] `json:"password" doc:"At most 72 bytes; in a change, blank is absent."`
	Confirmation core.Opt[core.Secret] `json:"password_confirmation" doc:"Must equal the password, if it is sent."`
}

// HasPassword reports whether there is a password. A blank one, which forms send, counts as none.
func (f UserFields) HasPassword() bool { return !isBlank(f.Password.Value.Reveal()) }

// IsConfirmed reports whether the password was repeated correctly, or not repeated at all.
func (f UserFields) IsConfirmed() bool {
	return !f.Confirmation.Set || f.Confirmation.Null || f.Confirmation.Value == f.Password.Value
}

// ReadAddress returns the address in its stored form, or a sentence that says what is wrong with it.
func (f UserFields) ReadAddress() (address, wrong string) {
	text := strings.TrimSpace(f.EmailAddress.Value)
	address, err := core.ReadEmailAddress(text)
	switch {
	case text == "":
		return "", "Email address can't be blank"
	case len(text) > core.MaxEmailAddress:
		return "", fmt.Sprintf("Email address is too long (maximum is %d characters)", core.MaxEmailAddress)
	case err != nil:
		return "", "Email address is invalid"
	}
	return address, ""
}

// CreateUser declares POST /api/v1/users.
var CreateUser = core.DefineOperation[UserFields, User](core.Operation{
	Name: "create_user", Route: "POST /api/v1/users", Scope: UsersWrite, Status: 201,
	Summary: "Create a user", Description: "Creates a user, who is in no team yet and no site admin.",
	Example: `{"email_address": "ann@example.com", "password": "correct horse battery staple"}`, Errors: []core.Code{ValidationFailed},
})

// UpdateUserInput is a change of the user whom the path names.
type UpdateUserInput struct {
	UserInput
	UserFields
}

// UpdateUser declares PATCH /api/v1/users/{user}.
var UpdateUser = core.DefineOperation[UpdateUserInput, User](core.Operation{
	Name: "update_user", Route: "PATCH /api/v1/users/{user}", Aliases: []string{"PUT /api/v1/users/{user}"}, Scope: core.AnyToken,
	Summary: "Change a user",
	Description: "Changes the fields that are named. A new address changes the slug; a new password, which must be none of the " +
		"last six, ends the sessions of the user. It needs the permission users:write.",
	Example: `{"user": "ann", "email_address": "ann.lee@example.com"}`, Errors: []core.Code{core.NotFound, core.Forbidden, ValidationFailed},
})

// DeleteUser declares DELETE /api/v1/users/{user}.
var DeleteUser = core.DefineOperation[UserInput, core.None](core.Operation{
	Name: "delete_user", Route: "DELETE /api/v1/users/{user}", Scope: core.AnyToken, Status: 204,
	Summary: "Delete a user",
	Description: "Deletes a user with the teams that the user owns. One who created apps, and the last site admin, cannot be deleted. " +
		"It needs the permission users:write.",
	Example: `{"user": "ann"}`, Errors: []core.Code{core.NotFound, core.Forbidden, ValidationFailed}, Destructive: true,
})
