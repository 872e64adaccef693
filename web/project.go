package web

import (
	"net/url"
	"strconv"

	"errand/core"
)

// The pages of a project. The slug or the id names it.
const (
	projectPath          = "/projects/{project}"
	projectKeysPath      = projectPath + keysPart
	projectKeyPath       = projectPath + revokeKeyPart
	projectSettingsPath  = projectPath + settingsPart
	projectScrubbingPath = projectPath + scrubbingPart
	projectMapsPath      = projectPath + mapsPart
	projectMapPath       = projectPath + deleteMapPart
	projectMembersPath   = projectPath + membersPart
	projectDeletePath    = projectPath + deletePart

	keysPart      = "/keys"
	revokeKeyPart = "/keys/revoke"
	settingsPart  = "/settings"
	scrubbingPart = "/scrubbing"
	mapsPart      = "/source-maps"
	deleteMapPart = "/source-maps/delete"
	membersPart   = "/members"
	deletePart    = "/delete"
)

// projectTabs are the pages of a project.
var projectTabs = []struct{ name, part string }{
	{"Connect", ""}, {"Settings", settingsPart}, {"Scrubbing", scrubbingPart}, {"Source maps", mapsPart}, {"Members", membersPart},
}

// projectHead stands above each page of a project.
type projectHead struct {
	Name, Slug   any
	IsDemo       bool
	Path         string
	IssuesPath   string
	ReleasesPath string
	Tabs         tabs
	CanManage    bool
	CanDelete    bool
}

// readProject returns the project that the path names.
func (v *visit) readProject() (*core.ListedProject, error) {
	projects, err := callOperation(v, core.ListProjects, nil)
	if err != nil {
		return nil, err
	}
	named := v.r.PathValue(projectField)
	for i := range projects.Data {
		if p := &projects.Data[i]; p.Slug == named || strconv.FormatInt(p.ID, 10) == named {
			return p, nil
		}
	}
	return nil, core.NewError(core.ProjectNotFound)
}

// readManagedProject is readProject for a page that only people who manage the project may see.
func (v *visit) readManagedProject() (*core.ListedProject, error) {
	p, err := v.readProject()
	if err == nil && !v.actor.MayIn(p.ID, core.ManageRight) {
		err = core.NewError(core.Forbidden).With("required_role", string(core.RoleAdmin))
	}
	return p, err
}

// makeProjectHead makes what stands above the page at a part of the project's path.
func (v *visit) makeProjectHead(p *core.ListedProject, part string) projectHead {
	head := projectHead{
		Name: p.Name, Slug: p.Slug, IsDemo: p.Demo, Path: projectAddress(&p.Project, ""), IssuesPath: issuesOf(p.Slug),
		ReleasesPath: addressOf(releasesPath, projectField, p.Slug), Tabs: tabs{Label: "Pages of the project"},
		CanManage: v.actor.MayIn(p.ID, core.ManageRight), CanDelete: v.may(core.SiteRight),
	}
	for _, t := range projectTabs {
		head.Tabs.Tabs = append(head.Tabs.Tabs, tab{Name: t.name, Path: head.Path + t.part, IsHere: t.part == part})
	}
	return head
}

// projectForm is the page that says how a project is connected.
type projectForm struct {
	projectHead
	Keys      []projectKey
	Platforms choice
	Steps     []guideStep
	Platform  any
	Events24h int64
	Today     int64
	Quota     *quotaUse
	Last      moment
	Created   moment
	Trust     badge
	Open      int64
	LivePath  string
}

// projectKey is a DSN of a project.
type projectKey struct {
	DSN        string
	RevokePath string // empty for the only one, and for who may not
}

// showProject shows how a project is connected.
func (s *Site) showProject(v *visit) error {
	p, err := v.readProject()
	if err != nil {
		return err
	}
	head := v.makeProjectHead(p, "")
	form := projectForm{
		projectHead: head, Platform: namePlatform(p.Platform), Events24h: p.Events24h, Today: p.EventsToday, Quota: makeQuotaUse(&p.Project),
		Last: v.at(p.LastEventAt), Created: v.at(p.CreatedAt), Trust: makeTrustBadge(&p.Project),
		LivePath: addressOf(head.Path, fragmentField, "events"),
	}
	if v.isFragment() {
		return v.show("project", "", form)
	}
	for _, dsn := range p.DSNs {
		key := projectKey{DSN: dsn}
		if head.CanManage && len(p.DSNs) > 1 {
			key.RevokePath = addressOf(head.Path+revokeKeyPart, keyField, publicKeyOf(dsn)[:shownOfKey])
		}
		form.Keys = append(form.Keys, key)
	}
	asked := v.r.URL.Query().Get(platformField)
	form.Platforms = chooseGuide(asked, string(p.Platform))
	if form.Steps, err = v.readGuideSteps(p.Slug, asked); err != nil {
		return err
	}
	return v.show("project", plainText(p.Name), form)
}

// keyField names a key of a project by its beginning.
const keyField = "key"

// shownOfKey is how many characters of a public key name it in an address.
const shownOfKey = 8

// publicKeyOf returns the public key in a DSN.
func publicKeyOf(dsn string) string {
	parsed, err := url.Parse(dsn)
	if err != nil || parsed.User == nil {
		return dsn
	}
	return parsed.User.Username()
}
