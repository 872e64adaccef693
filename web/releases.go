package web

import (
	"strings"

	"errand/core"
)

// The paths of the releases. A version may have any character, so it stands in the query.
const (
	releasesPath = "/releases"
	releasePath  = "/releases/one"
)

// releasesForm is the list of the releases.
type releasesForm struct {
	Filters []choice
	Rows    []releaseRow
	Pager   pager
	Empty   *emptyList
}

// releaseRow is a release of the list.
type releaseRow struct {
	Path    string
	Version any
	Project any
	Commit  any
	Places  []releasePlace
}

// releasePlace is the latest deploy of a release in an environment.
type releasePlace struct {
	Environment any
	At          moment
}

// releaseAddress is the path of a release's page.
func releaseAddress(project, version string) string {
	return addressOf(releasePath, "project", project, "version", version)
}

// showReleases lists the releases, those deployed last first.
func (s *Site) showReleases(v *visit) error {
	query := v.r.URL.Query()
	project, environment, cursor := query.Get("project"), query.Get("environment"), query.Get("cursor")
	args := withProject(project, "limit", 50)
	if cursor != "" {
		args["cursor"] = cursor
	}
	var found core.Page[core.Release]
	var projects core.Data[core.List[core.ListedProject]]
	var values core.Data[core.FilterValues]
	err := runTogether(
		func() (err error) { found, err = callOperation(v, core.ListReleases, args); return err },
		func() (err error) { projects, err = callOperation(v, core.ListProjects, nil); return err },
		func() (err error) {
			values, err = callOperation(v, core.ListFilterValues, withProject(project))
			return err
		},
	)
	if err != nil {
		return err
	}
	slugs := map[int64]core.ListedProject{}
	for _, p := range projects.Data {
		slugs[p.ID] = p
	}
	form := releasesForm{Filters: []choice{
		chooseFrom("project", "Project", project, projectOptions(projects.Data)...),
		chooseFrom("environment", "Environment", environment, environmentOptions(values.Data.Environments)...),
	}}
	for i := range found.Data {
		release := &found.Data[i]
		row := releaseRow{Version: release.Version, Commit: shortCommit(string(release.Commit)), Project: slugs[release.ProjectID].Name,
			Path: releaseAddress(slugs[release.ProjectID].Slug, release.Version), Places: v.listPlaces(release.Deploys)}
		if environment == "" || isDeployedIn(release.Deploys, environment) {
			form.Rows = append(form.Rows, row)
		}
	}
	form.Pager = pager{Shown: writePlural(len(form.Rows), "release", "releases"), OlderText: "Older"}
	if cursor != "" {
		form.Pager.First = addressOf(releasesPath, "project", project, "environment", environment)
	}
	if found.NextCursor != "" {
		form.Pager.Older = addressOf(releasesPath, "project", project, "environment", environment, "cursor", string(found.NextCursor))
	}
	if len(form.Rows) == 0 {
		form.Empty = &emptyList{
			Title: "No release was deployed here",
			Lines: []string{"A release is here when a deploy is reported: errand deploy in the script that deploys, or a call of " +
				"POST /v1/deploys. Deploys say which release contains a fix."},
		}
	}
	return v.show("releases", "Releases", form)
}

// environmentOptions are environments as options of a filter, and all of them.
func environmentOptions(environments []core.FilterValue) []option {
	options := []option{{Value: "", Text: "All environments"}}
	for _, e := range environments {
		options = append(options, option{Value: string(e.Name), Text: e.Name})
	}
	return options
}

// listPlaces returns where a release runs or ran: its latest deploy in each environment, the latest first.
func (v *visit) listPlaces(deploys []core.Deploy) []releasePlace {
	var places []releasePlace
	seen := map[string]bool{}
	for _, d := range deploys {
		if !seen[d.Environment] {
			seen[d.Environment] = true
			places = append(places, releasePlace{d.Environment, v.at(d.DeployedAt)})
		}
	}
	return places
}

func isDeployedIn(deploys []core.Deploy, environment string) bool {
	for _, d := range deploys {
		if strings.EqualFold(d.Environment, environment) {
			return true
		}
	}
	return false
}

// shortCommit is the beginning of a commit, as people write it.
func shortCommit(commit string) string {
	const shown = 10
	return commit[:min(len(commit), shown)]
}
