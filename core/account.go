package core

import "regexp"

// The operations of a person on the own account.
var accountOperations = []*Operation{
	GetAccount.Operation,
	UpdateAccount.Operation,
	ListSessions.Operation,
	EndSession.Operation,
	EndOtherSessions.Operation,
}

// whyNoAgentHasAccount is why these are no tools: an agent signs in with a token, and has neither sessions nor pages.
const whyNoAgentHasAccount = "it is about the account of a person; an agent has a token instead"

// Preferences are how a person likes the pages.
type Preferences struct {
	SingleKeys bool       `json:"single_keys" doc:"Single keys, such as j and e, act on the pages."`
	Frames     FrameOrder `json:"frames" doc:"Which call of a stack comes first." enum:"newest_first|oldest_first"`
	Zone       Text       `json:"zone" doc:"Time zone of the pages, such as Europe/Berlin; null for that of the browser."`
}

// FrameOrder is how pages order the frames of a stack.
type FrameOrder string

// The orders of frames.
const (
	NewestFirst FrameOrder = "newest_first"
	OldestFirst FrameOrder = "oldest_first"
)

// Account is a person, as the person sees it.
type Account struct {
	ID           int64       `json:"id"`
	EmailAddress string      `json:"email_address"`
	SiteAdmin    bool        `json:"site_admin"`
	HasPassword  bool        `json:"has_password" doc:"false for who signs in through a provider only."`
	Preferences  Preferences `json:"preferences"`
}

// GetAccountInput has no fields: the session is the question.
type GetAccountInput struct{}

// GetAccount declares GET /v1/account.
var GetAccount = DefineOperation[GetAccountInput, Data[Account]](Operation{
	Name: "get_account", Route: "GET /v1/account", Scope: PersonScope,
	Summary:     "Show your account",
	Description: "Shows the account of the person who is signed in, and how that person likes the pages.",
	Example:     `{}`,
	NotATool:    whyNoAgentHasAccount,
})

// UpdateAccountInput is the body of PATCH /v1/account.
type UpdateAccountInput struct {
	SingleKeys *bool       `json:"single_keys,omitempty" doc:"Whether single keys act on the pages." plain:"true"`
	Frames     *FrameOrder `json:"frames,omitempty" doc:"Which call of a stack comes first." enum:"newest_first|oldest_first" plain:"true"`
	Zone       *string     `json:"zone,omitempty" doc:"Such as Europe/Berlin; empty for that of the browser." max:"64" plain:"true"`
}

// zoneForm is what names of time zones look like (IANA).
var zoneForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`)

// Check refuses a zone without the form of a name.
func (in UpdateAccountInput) Check() error {
	if in.Zone != nil && *in.Zone != "" && !zoneForm.MatchString(*in.Zone) {
		return RefuseField("zone", "must be a name of the IANA, such as Europe/Berlin, or empty")
	}
	return nil
}

// UpdateAccount declares PATCH /v1/account.
var UpdateAccount = DefineOperation[UpdateAccountInput, Data[Account]](Operation{
	Name: "update_account", Route: "PATCH /v1/account", Scope: PersonScope,
	Summary:     "Change how you like the pages",
	Description: "Changes the preferences that you name, for all your browsers.",
	Example:     `{"single_keys": false, "zone": "Europe/Berlin"}`,
	Idempotent:  true,
	NotATool:    whyNoAgentHasAccount,
})

// Session is a browser that a person is signed in with.
type Session struct {
	ID        int64 `json:"id"`
	Current   bool  `json:"current" doc:"It is the session of this call."`
	Browser   Text  `json:"browser" doc:"What the browser says that it is, such as Firefox 145 on Linux; null when that is not known."`
	Address   Text  `json:"address" doc:"Where the person signed in from; null when that is not known."`
	CreatedAt Time  `json:"created_at" always:"true"`
	SeenAt    Time  `json:"seen_at" always:"true" doc:"Written at most once a minute."`
	ExpiresAt Time  `json:"expires_at" always:"true" doc:"When it ends unless it is used before."`
}

// ListSessionsInput has no fields.
type ListSessionsInput struct{}

// ListSessions declares GET /v1/account/sessions.
var ListSessions = DefineOperation[ListSessionsInput, Data[List[Session]]](Operation{
	Name: "list_sessions", Route: "GET /v1/account/sessions", Scope: PersonScope,
	Summary:     "List your sessions",
	Description: "Lists the browsers in which you are signed in, the one seen last first: 100 at most.",
	Example:     `{}`,
	NotATool:    whyNoAgentHasAccount,
})

// EndSessionInput names a session in the path.
type EndSessionInput struct {
	ID int64 `json:"id" doc:"Id of the session." min:"1"`
}

// EndSession declares DELETE /v1/account/sessions/{id}.
var EndSession = DefineOperation[EndSessionInput, None](Operation{
	Name: "end_session", Route: "DELETE /v1/account/sessions/{id}", Scope: PersonScope, Status: 204,
	Summary:     "End one of your sessions",
	Description: "Signs a browser of yours out, on every server at once.",
	Example:     `{"id": 7}`,
	Errors:      []Code{NotFound}, Destructive: true,
	NotATool: whyNoAgentHasAccount,
})

// EndOtherSessionsInput has no fields.
type EndOtherSessionsInput struct{}

// EndOtherSessions declares DELETE /v1/account/sessions.
var EndOtherSessions = DefineOperation[EndOtherSessionsInput, None](Operation{
	Name: "end_other_sessions", Route: "DELETE /v1/account/sessions", Scope: PersonScope, Status: 204,
	Summary:     "End your other sessions",
	Description: "Signs all your browsers out but the one of this call, on every server at once.",
	Example:     `{}`,
	Destructive: true, Idempotent: true,
	NotATool: whyNoAgentHasAccount,
})
