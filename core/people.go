package core

import "time"

var peopleOperations = []*Operation{
	ListPeople.Operation,
	InvitePerson.Operation,
	UpdatePerson.Operation,
	DeletePerson.Operation,
	CreatePersonLink.Operation,
}

// LinkPrefix begins the secret of every link that sets a password.
const LinkPrefix = "link_"

// How long a link that sets a password works: one that somebody asked for, and an invitation.
const (
	PasswordLinkLife   = time.Hour
	InvitationLinkLife = 7 * 24 * time.Hour
)

// ListedPerson is a user, as people who administer the installation see one.
type ListedPerson struct {
	ID           int64            `json:"id"`
	EmailAddress string           `json:"email_address" untrusted:"true"`
	SiteAdmin    bool             `json:"site_admin"`
	CreatedAt    Time             `json:"created_at" always:"true"`
	LastSignedIn Time             `json:"last_signed_in_at" doc:"null before the first time."`
	DisabledAt   Time             `json:"disabled_at" doc:"null while the person may sign in."`
	Teams        List[TeamOfUser] `json:"teams"`
}

// TeamOfUser is a team with the role of a user in it.
type TeamOfUser struct {
	ID   int64    `json:"id"`
	Name string   `json:"name" untrusted:"true"`
	Role TeamRole `json:"role" enum:"owner|admin|developer|member|viewer"`
}

// PersonLink lets a person set a password; using it signs the person in.
type PersonLink struct {
	ID           int64  `json:"id" doc:"Of the person."`
	EmailAddress string `json:"email_address" untrusted:"true"`
	URL          string `json:"url" doc:"The link itself: shown now and never again. It works once."`
	ExpiresAt    Time   `json:"expires_at" always:"true"`
	Mailed       bool   `json:"mailed" doc:"true: it was sent to the address, too."`
}

const whyNoAgentInvites = "it lets people in"

// ListPeopleInput has no fields: every user is listed.
type ListPeopleInput struct{}

// ListPeople declares GET /v1/people.
var ListPeople = DefineOperation[ListPeopleInput, Data[List[ListedPerson]]](Operation{
	Name: "list_people", Route: "GET /v1/people", Scope: Admin,
	Summary:     "List the people who can sign in",
	Description: "Lists all users with their teams and roles, newest first.",
	Example:     `{}`,
	NotATool:    "agents need no list of people",
})

// InvitePersonInput is the body of POST /v1/people.
type InvitePersonInput struct {
	EmailAddress string   `json:"email_address" doc:"With which the person signs in; nobody else may have it." min:"3" max:"254"`
	SiteAdmin    bool     `json:"site_admin,omitempty" doc:"true: the person may do everything."`
	Team         int64    `json:"team,omitempty" doc:"Id of a team that the person joins." min:"1"`
	Role         TeamRole `json:"role,omitempty" doc:"In the team; member when absent." enum:"owner|admin|developer|member|viewer"`
}

// Check refuses an invalid address, and a role without a team.
func (in InvitePersonInput) Check() error {
	if _, err := ReadEmailAddress(in.EmailAddress); err != nil {
		return RefuseField("email_address", "must be an e-mail address, such as ann@example.com")
	}
	if in.Role != "" && in.Team == 0 {
		return RefuseField("role", "needs team: the team in which the person has it")
	}
	return nil
}

// InvitePerson declares POST /v1/people.
var InvitePerson = DefineOperation[InvitePersonInput, Data[PersonLink]](Operation{
	Name: "invite_person", Route: "POST /v1/people", Scope: Admin, Status: 201,
	Summary: "Invite a person",
	Description: "Makes a user without a password, and a link for the person to choose one within 7 days. Where mail is set up, the link is " +
		"mailed, too. Single sign-on lets the person in without the link.",
	Example:  `{"email_address": "ann@example.com", "team": 3, "role": "developer"}`,
	Errors:   []Code{NotFound},
	NotATool: whyNoAgentInvites,
})

// UpdatePersonInput is a change of a user.
type UpdatePersonInput struct {
	ID        int64     `json:"id" doc:"Id of the person." min:"1"`
	SiteAdmin Opt[bool] `json:"site_admin" doc:"Whether the person may do everything."`
	Disabled  Opt[bool] `json:"disabled" doc:"true ends the sessions and claims, and keeps the person from signing in."`
}

// Check refuses an empty change.
func (in UpdatePersonInput) Check() error {
	if !in.SiteAdmin.Set && !in.Disabled.Set {
		return RefuseField("", "must name site_admin or disabled")
	}
	return nil
}

// UpdatePerson declares PATCH /v1/people/{id}.
var UpdatePerson = DefineOperation[UpdatePersonInput, None](Operation{
	Name: "update_person", Route: "PATCH /v1/people/{id}", Scope: Admin, Status: 204,
	Summary:     "Change what a person may do",
	Description: "Makes a user a site admin or no longer one, and disables or enables the user. One site admin who can sign in always stays.",
	Example:     `{"id": 7, "disabled": true}`,
	Errors:      []Code{NotFound}, Idempotent: true,
	NotATool: whyNoAgentInvites,
})

// PersonInput names a user in the path.
type PersonInput struct {
	ID int64 `json:"id" doc:"Id of the person." min:"1"`
}

// DeletePerson declares DELETE /v1/people/{id}.
var DeletePerson = DefineOperation[PersonInput, None](Operation{
	Name: "delete_person", Route: "DELETE /v1/people/{id}", Scope: Admin, Status: 204,
	Summary: "Delete a person",
	Description: "Deletes a user with the teams that the user owns. One who created projects, and the last site admin, are refused. What " +
		"the user did stays in the activity.",
	Example: `{"id": 7}`,
	Errors:  []Code{NotFound, InvalidRequest}, Destructive: true,
	NotATool: whyNoAgentInvites,
})

// CreatePersonLink declares POST /v1/people/{id}/link.
var CreatePersonLink = DefineOperation[PersonInput, Data[PersonLink]](Operation{
	Name: "create_person_link", Route: "POST /v1/people/{id}/link", Scope: Admin, Status: 201,
	Summary: "Make a link for a new password",
	Description: "Makes a link with which a user chooses a password: within 7 days when the user never signed in, else within an hour. " +
		"Earlier links of the user work until then, too, and all are used up together.",
	Example:  `{"id": 7}`,
	Errors:   []Code{NotFound},
	NotATool: "it hands out a secret",
})
