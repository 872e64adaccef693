package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"

	"errand/core"
)

// The paths of the activity.
const (
	activityPath    = "/settings/activity"
	activityCSVPath = "/settings/activity.csv"
)

// maxCSVRows bounds a download.
const maxCSVRows = 10_000

// activityForm is the page of what was done.
type activityForm struct {
	Tabs    tabs
	Filters []choice
	Actor   string
	Rows    []activityRow
	Pager   pager
	CSV     string
}

// activityRow is one deed in a sentence.
type activityRow struct {
	storyLine
	Path  string // of the issue that it is about
	About any
}

// activityFilters are the filters that the address of the page may have.
var activityFilters = []string{projectField, "action", "actor", "since"}

// readActivityFilters returns the arguments that the address asks for.
func (v *visit) readActivityFilters(limit int) map[string]any {
	args := map[string]any{"limit": limit}
	for _, name := range activityFilters {
		if value := v.r.URL.Query().Get(name); value != "" {
			args[name] = value
		}
	}
	return args
}

// showActivity shows who did what.
func (s *Site) showActivity(v *visit) error {
	const onPage = 50
	query := v.r.URL.Query()
	args := v.readActivityFilters(onPage)
	if cursor := query.Get("cursor"); cursor != "" {
		args["cursor"] = cursor
	}
	var found core.Page[core.Activity]
	var projects core.Data[core.List[core.ListedProject]]
	err := runTogether(
		func() (err error) { found, err = callOperation(v, core.ListActivity, args); return err },
		func() (err error) { projects, err = callOperation(v, core.ListProjects, nil); return err },
	)
	if err != nil {
		return err
	}
	at := func(path string, more ...string) string {
		fields := more
		for _, name := range activityFilters {
			fields = append(fields, name, query.Get(name))
		}
		return addressOf(path, fields...)
	}
	form := activityForm{
		Tabs: v.settingsTabs(), Actor: query.Get("actor"), CSV: at(activityCSVPath),
		Filters: []choice{
			chooseFrom(projectField, "Project", query.Get(projectField), projectOptions(projects.Data)...),
			chooseFrom("action", "Action", query.Get("action"), actionOptions()...),
			chooseFrom("since", "Time", query.Get("since"), option{Text: "Any time"}, option{Value: "24h", Text: "24 hours"},
				option{Value: "7d", Text: "7 days"}, option{Value: "30d", Text: "30 days"}),
		},
		Pager: pager{Shown: writePlural(len(found.Data), "entry", "entries"), OlderText: "Older"},
	}
	for i := range found.Data {
		form.Rows = append(form.Rows, v.makeActivityRow(&found.Data[i], projects.Data))
	}
	if query.Get("cursor") != "" {
		form.Pager.First = at(activityPath)
	}
	if found.NextCursor != "" {
		form.Pager.Older = at(activityPath, "cursor", string(found.NextCursor))
	}
	return v.show("activity", "Activity", form)
}

// actionOptions are the actions as options of a filter.
func actionOptions() []option {
	options := []option{{Value: "", Text: "All actions"}}
	for _, action := range core.Actions {
		options = append(options, option{Value: string(action), Text: nameAction(action)})
	}
	return options
}

// nameAction writes an action as people read it: issue: split from.
func nameAction(action core.Action) string {
	group, word, _ := strings.Cut(string(action), ".")
	return strings.ReplaceAll(group+": "+word, "_", " ")
}

// deeds are what people and agents do to other things than issues.
var deeds = map[core.Action]string{
	core.ActionTokenCreate: "made the token", core.ActionTokenRevoke: "revoked the token", core.ActionAPIKeyCreate: "made the API key",
	core.ActionAPIKeyRevoke: "revoked the API key", core.ActionUserCreate: "added the person", core.ActionUserUpdate: "changed the person",
	core.ActionUserDelete: "deleted the person", core.ActionTeamCreate: "made the team", core.ActionTeamUpdate: "renamed the team",
	core.ActionTeamDelete: "deleted the team", core.ActionTeamAddMember: "added somebody to a team",
	core.ActionTeamChangeRole: "changed a role in a team", core.ActionTeamRemoveMember: "took somebody out of a team",
	core.ActionTeamAssignApp: "let the team see a project", core.ActionTeamUnassignApp: "took a project from the team",
	core.ActionProjectCreate: "made the project", core.ActionProjectUpdate: "changed the project",
	core.ActionReleaseDeploy:   "reported a deploy",
	core.ActionSourceMapUpload: "uploaded source maps", core.ActionSourceMapDelete: "deleted a source map",
	core.ActionWebhookCreate: "made the webhook", core.ActionWebhookDelete: "deleted the webhook",
	core.ActionWebhookRotate:   "made a new secret for the webhook",
	core.ActionApprovalRequest: "asked for approval", core.ActionApprovalApprove: "approved a request",
	core.ActionApprovalReject: "rejected a request",
}

// describeDeed says in words what an action did; for one without words its name.
func describeDeed(action core.Action) string {
	if words := deeds[action]; words != "" {
		return words
	}
	return nameAction(action)
}

// makeActivityRow shows one entry of the activity. It names a project that is in the list.
func (v *visit) makeActivityRow(a *core.Activity, projects []core.ListedProject) activityRow {
	row := activityRow{storyLine: v.tellActivity(a)}
	if a.ActorType == core.ActorSystem {
		row.Who = nil
	}
	if a.TargetType == core.TargetIssue {
		row.Path, row.About = issueAddress{a.TargetID, nil}.path(""), fmt.Sprint("issue ", a.TargetID)
		return row
	}
	var data struct {
		Name         string `json:"name"`
		EmailAddress string `json:"email_address"`
		Action       string `json:"action"`
		DeletedAt    string `json:"deleted_at"`
	}
	_ = json.Unmarshal(a.Data, &data) // what cannot be read is not told
	row.Did, row.About = describeDeed(a.Action), fmt.Sprintf("%s %d", strings.ReplaceAll(string(a.TargetType), "_", " "), a.TargetID)
	if a.Action == core.ActionProjectUpdate && data.DeletedAt != "" {
		row.Did = "deleted the project"
	}
	if a.TargetType == core.TargetProject {
		row.About = nameProject(a.TargetID, projects)
	}
	for _, named := range []string{data.Name, data.EmailAddress, data.Action} {
		if named != "" {
			row.About = named
			break
		}
	}
	return row
}

// sendActivityCSV sends what the filters find, newest first, as a file that spreadsheets read.
func (s *Site) sendActivityCSV(v *visit) error {
	args := v.readActivityFilters(100)
	page, err := callOperation(v, core.ListActivity, args)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="activity.csv"`)
	out := csv.NewWriter(v.w)
	_ = out.Write([]string{"at", "actor_type", "actor", "action", "target_type", "target_id", "data"})
	for sent := 0; ; {
		for i := range page.Data {
			a := &page.Data[i]
			_ = out.Write([]string{
				a.At.Format(core.TimeLayout), string(a.ActorType), guardCell(a.ActorName), string(a.Action), string(a.TargetType),
				fmt.Sprint(a.TargetID), guardCell(string(a.Data)),
			})
		}
		sent += len(page.Data)
		if page.NextCursor == "" || sent >= maxCSVRows {
			break
		}
		args["cursor"] = string(page.NextCursor)
		if page, err = callOperation(v, core.ListActivity, args); err != nil {
			break // the header is sent: the file ends here
		}
	}
	out.Flush()
	return nil
}

// guardCell keeps a spreadsheet from taking others' text for a formula.
func guardCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
