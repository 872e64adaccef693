package web

import (
	"fmt"
	"strconv"

	"errand/core"
	"errand/prompts"
)

// agentsForm is the page that says what agents and people work on, and what came of it.
type agentsForm struct {
	Project  choice
	Figures  []figure
	Claims   []claimRow
	WorkPath string // of the live part
	Workers  []workerRow
	Waiting  []fixRow // fixes that no deploy brings, though their errors go on
	Returned []fixRow // of the week
	Connect  []clientLines
	Endpoint string
	Nobody   *emptyList
}

// figure is a large number with what it counts.
type figure struct{ Number, Text string }

// claimRow is an issue that somebody works on.
type claimRow struct {
	Who, Kind  any
	Path       string
	Title      core.Untrusted
	Note       any // what the holder wrote last, or that there is nothing
	Since      moment
	Left       string
	NotesCount string
}

// workerRow is what came of the work of one token, person or worker.
type workerRow struct {
	Name, Worker any
	core.WorkerOutcome
	Hours string
}

// clientLines says how one client of MCP is connected.
type clientLines struct {
	Name, Line, File string
}

// showAgents shows who works on what now, and what came of the work of 30 days.
func (s *Site) showAgents(v *visit) error {
	project := v.r.URL.Query().Get("project")
	form := agentsForm{WorkPath: addressOf(agentsPath, "project", project, fragmentField, "work")}
	args := func(more ...any) map[string]any { return withProject(project, more...) }
	var claims core.Data[core.List[core.ListedClaim]]
	readClaims := func() (err error) { claims, err = callOperation(v, core.ListClaims, args()); return err }
	if v.isFragment() {
		if err := readClaims(); err != nil {
			return err
		}
		form.Claims = v.makeClaimRows(claims.Data)
		return v.show("agents", "Agents", form)
	}
	var outcomes core.Data[core.Outcomes]
	var projects core.Data[core.List[core.ListedProject]]
	var open, returned core.Page[core.ListedFix]
	err := runTogether(
		readClaims,
		func() (err error) { outcomes, err = callOperation(v, core.GetOutcomes, args()); return err },
		func() (err error) { projects, err = callOperation(v, core.ListProjects, nil); return err },
		func() (err error) { open, err = callOperation(v, core.ListFixes, args("limit", 100)); return err },
		func() (err error) {
			returned, err = callOperation(v, core.ListFixes, args("state", core.ReturnedFixes, "since", "7d", "limit", fixesShown))
			return err
		},
	)
	if err != nil {
		return err
	}
	form.Project = chooseFrom("project", "Project", project, projectOptions(projects.Data)...)
	form.Claims = v.makeClaimRows(claims.Data)
	form.Figures, form.Workers = makeFigures(outcomes.Data.Total), makeWorkerRows(outcomes.Data.Workers)
	form.Waiting, form.Returned = v.listUnseen(open.Data), v.listReturned(returned.Data)
	form.Endpoint, form.Connect = s.listClients(true)
	if len(form.Workers) == 0 && len(form.Claims) == 0 {
		form.Nobody = &emptyList{
			Title: "No agent has taken an issue yet",
			Lines: []string{"Connect one below, and tell it: take the next issue of Errand and fix it. What it does is here as it happens."},
		}
	}
	return v.show("agents", "Agents", form)
}

// withProject returns arguments of an operation, as name, value, with the project unless it is empty.
func withProject(project string, more ...any) map[string]any {
	args := map[string]any{}
	if project != "" {
		args["project"] = project
	}
	for i := 0; i+1 < len(more); i += 2 {
		args[fmt.Sprint(more[i])] = more[i+1]
	}
	return args
}

// projectOptions are the projects as options of a filter, and all of them.
func projectOptions(projects []core.ListedProject) []option {
	options := []option{{Value: "", Text: "All projects"}}
	for _, p := range projects {
		options = append(options, option{Value: p.Slug, Text: p.Name})
	}
	return options
}

func makeFigures(total core.WorkOutcome) []figure {
	held := "verified"
	if ended := total.Verified + total.Regressed; ended > 0 {
		held = fmt.Sprintf("verified, %d %% of those that ended", total.Verified*100/ended)
	}
	hours := "–"
	if total.HoursToVerified != nil {
		hours = writeHours(*total.HoursToVerified)
	}
	return []figure{
		{writeCount(total.Fixes), "fixes linked in 30 days"}, {writeCount(total.Verified), held},
		{writeCount(total.Regressed), "came back"}, {hours, "from link to verified"},
	}
}

// writeHours writes hours with one decimal below ten: 5.2 h, 26 h.
func writeHours(hours float64) string {
	const whole = 10
	if hours < whole {
		return strconv.FormatFloat(hours, 'f', 1, 64) + " h"
	}
	return strconv.FormatFloat(hours, 'f', 0, 64) + " h"
}

func (v *visit) makeClaimRows(claims []core.ListedClaim) []claimRow {
	rows := make([]claimRow, len(claims))
	for i, c := range claims {
		row := claimRow{
			Path: issueAddress{c.IssueID, nil}.path(""), Title: c.Title, Since: v.at(c.Since),
			Left: writeMinutes((&core.Claim{ExpiresAt: c.ExpiresAt}).MinutesLeft(core.At(v.now))) + " left",
		}
		row.Who, row.Kind = c.Holder, describeActor(c.HolderType)
		if c.Worker != "" {
			row.Who, row.Kind = c.Worker, describeActor(c.HolderType)+" "+c.Holder
		}
		if c.Notes > 0 {
			row.Note, row.NotesCount = c.LastNote, writePlural(c.Notes, "note", "notes")
		}
		rows[i] = row
	}
	return rows
}

// describeActor names the kind of an actor.
func describeActor(kind core.ActorType) string {
	switch kind {
	case core.ActorUser:
		return "person"
	case core.ActorSystem:
		return "by itself"
	default:
		return "token"
	}
}

func makeWorkerRows(workers []core.WorkerOutcome) []workerRow {
	rows := make([]workerRow, len(workers))
	for i, w := range workers {
		rows[i] = workerRow{Name: w.Actor, Worker: string(w.Worker), WorkerOutcome: w, Hours: "–"}
		if w.HoursToVerified != nil {
			rows[i].Hours = writeHours(*w.HoursToVerified)
		}
	}
	return rows
}

// listClients says how clients of MCP are connected: by a command, or by an entry in a file. They sign in by the URL alone, or take a token
// from ERRAND_TOKEN.
func (s *Site) listClients(signsIn bool) (endpoint string, clients []clientLines) {
	e := prompts.MCPEndpoint{BaseURL: s.BaseURL(), SignsIn: signsIn}
	for _, client := range prompts.MCPClients {
		entry, err := prompts.MakeMCPEntry(client, e)
		if err != nil {
			continue
		}
		line := clientLines{Name: client.Title(), Line: entry.Command}
		if entry.Command == "" {
			line.Line, line.File = entry.Text, entry.File
		}
		clients = append(clients, line)
	}
	return e.URL(), clients
}
