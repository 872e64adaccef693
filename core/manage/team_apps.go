package manage

import (
	"cmp"

	"errand/core"
)

var teamAppOperations = []*core.Operation{ListTeamApps.Operation, AssignApp.Operation, UnassignApp.Operation}

// ListTeamApps declares GET /api/v1/teams/{team}/apps.
var ListTeamApps = core.DefineOperation[TeamInput, core.List[App]](core.Operation{
	Name: "list_team_apps", Route: "GET /api/v1/teams/{team}/apps", Scope: core.AnyToken,
	Summary: "List the apps of a team", Description: "Lists the apps that a team sees, by name. It needs the permission teams:read.",
	Example: `{"team": "back-office"}`, Errors: []core.Code{core.NotFound, core.Forbidden},
})

// AssignAppInput names an app for the team in the path: by app_id, or in a wrapper, {"app": {"slug": "web-shop"}}.
type AssignAppInput struct {
	TeamInput
	AppID core.Opt[core.ProjectRef] `json:"app_id" doc:"Slug or id of the app."`
	ID    core.Opt[core.ProjectRef] `json:"id" doc:"The same as app_id, as in {app: {id: 7}}."`
	Slug  core.Opt[core.ProjectRef] `json:"slug" doc:"The same as app_id, as in {app: {slug: web-shop}}."`
}

// AppRef returns the name of the app; empty when there is none.
func (in AssignAppInput) AppRef() core.ProjectRef {
	return cmp.Or(in.AppID.Value, in.ID.Value, in.Slug.Value)
}

// Done says in one sentence what was done.
type Done struct {
	Message string `json:"message"`
}

// AssignApp declares POST /api/v1/teams/{team}/apps.
var AssignApp = core.DefineOperation[AssignAppInput, Done](core.Operation{
	Name: "assign_app", Route: "POST /api/v1/teams/{team}/apps", Scope: core.AnyToken, Status: 201,
	Summary:     "Assign an app to a team",
	Description: "Lets a team see an app; doing it again changes nothing. It needs the permission teams:write.",
	Example:     `{"team": "back-office", "app_id": "web-shop"}`, Errors: []core.Code{core.NotFound, core.Forbidden, ValidationFailed},
})

// UnassignAppInput names a team and an app in the path.
type UnassignAppInput struct {
	TeamInput
	AppInput
}

// UnassignApp declares DELETE /api/v1/teams/{team}/apps/{app}.
var UnassignApp = core.DefineOperation[UnassignAppInput, core.None](core.Operation{
	Name: "unassign_app", Route: "DELETE /api/v1/teams/{team}/apps/{app}", Scope: core.AnyToken, Status: 204,
	Summary:     "Take an app from a team",
	Description: "Stops a team from seeing an app, whether it sees it or not. It needs the permission teams:write.",
	Example:     `{"team": "back-office", "app": "web-shop"}`, Errors: []core.Code{core.NotFound, core.Forbidden}, Destructive: true,
})
