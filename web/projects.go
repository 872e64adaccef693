package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"

	"errand/core"
)

// projectsPath is the list of the projects.
const projectsPath = "/projects"

// projectsForm is the list of the projects, and the form of a new one.
type projectsForm struct {
	Rows      []projectRow
	Empty     *emptyList
	CanCreate bool
	Problem   string // why a new project was refused
	Name      string // as it was typed
	Platforms choice
}

// projectRow is a project of the list.
type projectRow struct {
	Path, IssuesPath string
	Name, Slug       any
	Platform         any
	IsDemo           bool
	Today            int64
	Quota            *quotaUse // nil without a quota
	Last             moment
	Trust            badge
	Open             string
}

// quotaUse is how much of its quota a project has used today.
type quotaUse struct{ Used, Quota int64 }

// IsOver reports whether further events of the day are refused.
func (q quotaUse) IsOver() bool { return q.Used >= q.Quota }

// High is where the meter warns.
func (q quotaUse) High() int64 { return q.Quota * 8 / 10 }

// projectAddress returns the path of a project, and of a part of its pages. The id stands for a slug that another page has.
func projectAddress(p *core.Project, part string) string {
	name := p.Slug
	if projectsPath+"/"+name == setupPath {
		name = fmt.Sprint(p.ID)
	}
	return projectsPath + "/" + url.PathEscape(name) + part
}

// showProjects lists the projects.
func (s *Site) showProjects(v *visit) error { return v.askProjects(http.StatusOK, projectsForm{}) }

// askProjects shows the list. The form has what was refused.
func (v *visit) askProjects(status int, form projectsForm) error {
	var projects core.Data[core.List[core.ListedProject]]
	var open core.Data[core.List[core.OpenIssues]]
	err := runTogether(
		func() (err error) { projects, err = callOperation(v, core.ListProjects, nil); return err },
		func() (err error) { open, err = callOperation(v, core.CountOpenIssues, nil); return err },
	)
	if err != nil {
		return err
	}
	counts := map[int64]int64{}
	for _, o := range open.Data {
		counts[o.ProjectID] = o.Open
	}
	for i := range projects.Data {
		form.Rows = append(form.Rows, v.makeProjectRow(&projects.Data[i].Project, counts[projects.Data[i].ID]))
	}
	form.CanCreate = v.may(core.SiteRight)
	form.Platforms = choosePlatform(cmp.Or(v.r.PostForm.Get(platformField), string(core.GuidePlatforms[0])))
	if len(form.Rows) == 0 {
		form.Empty = &emptyList{
			Title: "You see no project yet", Lines: []string{"An owner or admin of a team, or a site admin, can add you to a team that has one."},
		}
		if form.CanCreate {
			form.Empty = &emptyList{
				Title: "No application is connected yet",
				Lines: []string{"A project is an application whose errors arrive here. An agent can connect it, or you by hand."},
				Links: []frameLink{{Name: "Connect the first application", Path: welcomePath}},
			}
		}
	}
	return v.answer("projects", status, pageData{Title: "Projects", Form: form})
}

func (v *visit) makeProjectRow(p *core.Project, open int64) projectRow {
	row := projectRow{
		Path: projectAddress(p, ""), IssuesPath: issuesOf(p.Slug), Name: p.Name, Slug: p.Slug, Platform: namePlatform(p.Platform),
		IsDemo: p.Demo, Today: p.EventsToday, Quota: makeQuotaUse(p), Last: v.at(p.LastEventAt), Trust: makeTrustBadge(p),
		Open: writeCount(open),
	}
	if open >= core.MaxOpenCounted {
		row.Open = writeCount(core.MaxOpenCounted) + "+"
	}
	return row
}

// makeQuotaUse returns nil for a project without a quota.
func makeQuotaUse(p *core.Project) *quotaUse {
	if p.DailyQuota == nil {
		return nil
	}
	return &quotaUse{p.EventsToday, *p.DailyQuota}
}

// namePlatform names a platform as people write it; empty for a project without one.
func namePlatform(platform core.Text) any {
	return cmp.Or(platformNames[core.GuidePlatform(platform)], string(platform))
}

func makeTrustBadge(p *core.Project) badge {
	if p.Trust == core.TrustLow {
		return badge{kindWarn, "low"}
	}
	return badge{"", "high"}
}

// takeProjects makes a project, and leads to its DSN.
func (s *Site) takeProjects(v *visit) error {
	name := v.r.PostForm.Get(nameField)
	made, err := v.createProject(name, v.r.PostForm.Get(platformField))
	if core.HasCode(err, core.InvalidRequest) {
		return v.refuseForm(v.w, v.r, err, func(status int, problem string) error {
			return v.askProjects(status, projectsForm{Name: name, Problem: problem})
		})
	}
	if err != nil {
		return err
	}
	return v.redirectWith(projectAddress(&made.Project, ""), flash{Text: "The project " + made.Name + " is created."})
}
