package manage

import (
	"regexp"
	"strings"

	"errand/core"
)

var tagOperations = []*core.Operation{ListTags.Operation, AddTag.Operation, RemoveTag.Operation}

// ProblemPartInput names the problem of a list of tags.
type ProblemPartInput struct {
	App     core.ProjectRef `json:"app" doc:"Slug or id of the app." min:"1"`
	Problem int64           `json:"problem" doc:"Id of the problem." min:"1"`
}

// ListTags declares GET /api/v1/apps/{app}/problems/{problem}/tags.
var ListTags = core.DefineOperation[ProblemPartInput, core.List[Tag]](core.Operation{
	Name: "list_tags", Route: "GET /api/v1/apps/{app}/problems/{problem}/tags", Scope: core.AnyToken,
	Summary: "List tags", Description: "Lists the tags of a problem by name. It needs the permission tags:read.",
	Example: `{"app": "web-shop", "problem": 7}`, Errors: []core.Code{core.NotFound, core.Forbidden},
})

// AddTagInput is a tag for the problem that the path names.
type AddTagInput struct {
	ProblemPartInput
	Name core.Opt[string] `json:"name" doc:"Letters, digits, - and _, 1 to 50 of them; upper case is lowered." max:"1000"`
}

var tagForm = regexp.MustCompile(`^[a-z0-9_-]+$`)

// maxTag is the longest tag in characters (management API, 1.6).
const maxTag = 50

// TagName returns the name in its stored form, or the reason why it is refused.
func (in AddTagInput) TagName() (string, error) {
	name := strings.ToLower(strings.TrimSpace(in.Name.Value))
	switch {
	case name == "":
		return "", RefuseInput("Tag name is required")
	case len(name) > maxTag && tagForm.MatchString(name):
		return "", RefuseInput("Name is too long (maximum is 50 characters)")
	case !tagForm.MatchString(name):
		return "", RefuseInput("Name only allows letters, numbers, hyphens, and underscores")
	}
	return name, nil
}

// AddTag declares POST /api/v1/apps/{app}/problems/{problem}/tags.
var AddTag = core.DefineOperation[AddTagInput, Tag](core.Operation{
	Name: "add_tag", Route: "POST /api/v1/apps/{app}/problems/{problem}/tags", Scope: core.AnyToken, Status: 201,
	Summary: "Add a tag", Description: "Puts a tag on a problem. It needs the permission tags:write.",
	Example: `{"app": "web-shop", "problem": 7, "name": "critical"}`, Errors: []core.Code{core.NotFound, core.Forbidden, ValidationFailed},
})

// RemoveTagInput names a tag of a problem in the path.
type RemoveTagInput struct {
	ProblemPartInput
	ID int64 `json:"id" doc:"Id of the tag." min:"1"`
}

// RemoveTag declares DELETE /api/v1/apps/{app}/problems/{problem}/tags/{id}.
var RemoveTag = core.DefineOperation[RemoveTagInput, core.None](core.Operation{
	Name: "remove_tag", Route: "DELETE /api/v1/apps/{app}/problems/{problem}/tags/{id}", Scope: core.AnyToken, Status: 204,
	Summary: "Remove a tag", Description: "Takes a tag off a problem; other problems keep it. It needs the permission tags:write.",
	Example: `{"app": "web-shop", "problem": 7, "id": 3}`, Errors: []core.Code{core.NotFound, core.Forbidden}, Destructive: true,
})
