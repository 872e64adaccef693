package manage

import "errand/core"

var appOperations = []*core.Operation{
	ListApps.Operation,
	GetApp.Operation,
	CreateApp.Operation,
	UpdateApp.Operation,
	DeleteApp.Operation,
}

// App is a project of Errand.
type App struct {
	ID                      int64     `json:"id"`
	Name                    string    `json:"name"`
	Slug                    string    `json:"slug" doc:"Follows the name: a new name changes it."`
	Environment             core.Text `json:"environment"`
	NotifyOnNewProblem      bool      `json:"notify_on_new_problem"`
	NotifyOnReoccurrence    bool      `json:"notify_on_reoccurrence"`
	CreatedAt               Time      `json:"created_at" always:"true"`
	UpdatedAt               Time      `json:"updated_at" always:"true"`
	UnresolvedProblemsCount int64     `json:"unresolved_problems_count"`
}

// ListApps declares GET /api/v1/apps.
var ListApps = core.DefineOperation[struct{}, core.List[App]](core.Operation{
	Name: "list_apps", Route: "GET /api/v1/apps", Scope: AppsRead,
	Summary: "List apps", Description: "Lists all apps, newest first.", Example: `{}`,
})

// AppInput names an app in the path.
type AppInput struct {
	App core.ProjectRef `json:"app" doc:"Slug or id of the app." min:"1"`
}

// GetApp declares GET /api/v1/apps/{app}.
var GetApp = core.DefineOperation[AppInput, App](core.Operation{
	Name: "get_app", Route: "GET /api/v1/apps/{app}", Scope: AppsRead,
	Summary: "Show an app", Description: "Shows one app.", Example: `{"app": "web-shop"}`, Errors: []core.Code{core.NotFound},
})

// AppFields are the fields of an app that a caller can set.
type AppFields struct {
	Name                 core.Opt[string] `json:"name" doc:"What people call the app." max:"100"`
	Environment          core.Opt[string] `json:"environment" doc:"Where it runs, such as production." max:"100"`
	NotifyOnNewProblem   core.Opt[bool]   `json:"notify_on_new_problem"`
	NotifyOnReoccurrence core.Opt[bool]   `json:"notify_on_reoccurrence"`
}

// CheckName refuses a name that is blank or cannot be shown, and a missing name if it is required.
func (f AppFields) CheckName(required bool) error { return checkName(f.Name, required) }

func checkName(name core.Opt[string], required bool) error {
	switch {
	case !name.Set && !required:
		return nil
	case !name.Set, name.Null, isBlank(name.Value):
		return RefuseInput("Name can't be blank")
	}
	return core.CheckName("name", name.Value)
}

// CreateApp declares POST /api/v1/apps.
var CreateApp = core.DefineOperation[AppFields, App](core.Operation{
	Name: "create_app", Route: "POST /api/v1/apps", Scope: AppsWrite, Status: 201,
	Summary: "Create an app", Description: "Creates an app. Names may repeat; the slug is then numbered.",
	Example: `{"name": "Web shop", "environment": "production"}`, Errors: []core.Code{ValidationFailed},
})

// UpdateAppInput is a change of the app that the path names.
type UpdateAppInput struct {
	AppInput
	AppFields
}

// UpdateApp declares PATCH /api/v1/apps/{app}.
var UpdateApp = core.DefineOperation[UpdateAppInput, App](core.Operation{
	Name: "update_app", Route: "PATCH /api/v1/apps/{app}", Aliases: []string{"PUT /api/v1/apps/{app}"}, Scope: AppsWrite,
	Summary: "Change an app", Description: "Changes the fields that are named. A new name changes the slug.",
	Example: `{"app": "web-shop", "name": "Shop"}`, Errors: []core.Code{core.NotFound, ValidationFailed},
})

// DeleteApp declares DELETE /api/v1/apps/{app}.
var DeleteApp = core.DefineOperation[AppInput, core.OrHeld[core.None]](core.Operation{
	Name: "delete_app", Route: "DELETE /api/v1/apps/{app}", Scope: AppsWrite, Status: 204,
	Summary:     "Delete an app",
	Description: "Deletes an app with all that belongs to it. Where the installation holds deletions, it requests approval instead: 202.",
	Example:     `{"app": "web-shop"}`, Errors: []core.Code{core.NotFound}, Destructive: true,
})
