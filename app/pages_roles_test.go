package app_test

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/store"
	"errand/store/storetest"
	"errand/web"
)

// routeRule says what a route needs of a person: the right of an operation, which core/rights.go has.
type routeRule struct {
	example string          // a path of it, where the route has gaps or needs a query
	action  string          // of the form that is sent
	show    *core.Operation // nil where it answers no GET
	take    *core.Operation // nil where it answers no POST
	ofShop  bool            // it is of the project that the roles are in; other rights count where the person has them anywhere
}

// forEverybody stands for what each person may do, and for pages that need nobody to be signed in.
var forEverybody = core.GetAccount.Operation

// siteAlone stands for the operations of the management API, which pages call for site admins alone.
var siteAlone = core.ListPeople.Operation

// listRouteRules are the rules of all routes: a new route is a line here. The ids are those of openRoles.
func listRouteRules() map[string]routeRule {
	all, read, write := forEverybody, core.GetIssue.Operation, core.ResolveIssue.Operation
	rules := map[string]routeRule{
		"/sign-in": {show: all, take: all}, "/sign-out": {take: all}, "/sign-up": {example: "/sign-up?code=x", show: all, take: all},
		"/forgot-password": {show: all, take: all}, "/reset-password": {example: "/reset-password?code=x", show: all, take: all},
		"/account": {show: all}, "/account/password": {take: all}, "/account/sessions/end": {take: all},
		"/account/sign-out-everywhere": {take: all}, "/account/preferences": {take: all},
		"/welcome": {show: all, take: core.CreateProject.Operation, action: "key"},

		"/": {show: core.ListIssues.Operation}, "/issues/change": {take: write, action: "resolve"},
		"/issues/merge": {example: "/issues/merge?id=ISSUE&id=SECOND", show: core.MergeIssues.Operation, take: core.MergeIssues.Operation,
			ofShop: true},
		"/issues/{id}":         {show: read, ofShop: true},
		"/issues/{id}/brief":   {show: core.GetBrief.Operation, ofShop: true},
		"/issues/{id}/copy":    {show: read, ofShop: true},
		"/issues/{id}/agent":   {show: core.GetBrief.Operation, ofShop: true},
		"/issues/{id}/notes":   {take: core.AddNote.Operation, ofShop: true},
		"/issues/{id}/fix":     {take: core.LinkFix.Operation, ofShop: true},
		"/issues/{id}/ignore":  {take: core.IgnoreIssue.Operation, ofShop: true},
		"/issues/{id}/release": {take: core.ReleaseIssue.Operation, ofShop: true},
		"/issues/{id}/triage":  {show: core.CorrectTriage.Operation, take: core.CorrectTriage.Operation, ofShop: true},
		"/issues/{id}/split":   {show: core.SplitIssue.Operation, take: core.SplitIssue.Operation, ofShop: true},
		"/agents":              {show: core.ListFixOutcomes.Operation},
		"/approvals":           {show: core.ListApprovals.Operation}, "/approvals/{id}": {take: core.ApproveRequest.Operation, ofShop: true},
		"/releases": {show: core.ListReleases.Operation}, "/releases/one": {example: "/releases/one?project=web-shop&version=1.0",
			show: core.GetRelease.Operation, ofShop: true},
		"/web/gallery": {show: siteAlone},
	}
	maps.Copy(rules, listSettingsRules())
	return rules
}

// listSettingsRules are the rules of the routes of projects and settings.
func listSettingsRules() map[string]routeRule {
	all, site, read, manage := forEverybody, siteAlone, core.GetIssue.Operation, core.UpdateProject.Operation
	rules := map[string]routeRule{
		"/projects":       {show: core.ListProjects.Operation, take: core.CreateProject.Operation},
		"/projects/setup": {show: core.ListSetupKeys.Operation, take: core.CreateSetupKey.Operation},
		"/projects/setup/revoke": {example: "/projects/setup/revoke?id=SETUPKEY", show: core.RevokeSetupKey.Operation,
			take: core.RevokeSetupKey.Operation},
		"/projects/{project}":      {show: read, ofShop: true},
		"/projects/{project}/keys": {take: core.CreateProjectKey.Operation, ofShop: true},
		"/projects/{project}/keys/revoke": {example: "/projects/web-shop/keys/revoke?key=DSNKEY", show: core.DeleteProjectKey.Operation,
			take: core.DeleteProjectKey.Operation, ofShop: true},
		"/projects/{project}/settings":    {show: read, take: manage, ofShop: true},
		"/projects/{project}/scrubbing":   {show: read, take: manage, ofShop: true},
		"/projects/{project}/source-maps": {show: core.ListSourceMaps.Operation, ofShop: true},
		"/projects/{project}/source-maps/delete": {example: "/projects/web-shop/source-maps/delete?id=MAP", show: core.DeleteSourceMap.Operation,
			take: core.DeleteSourceMap.Operation, ofShop: true},
		"/projects/{project}/members": {show: core.ListProjectTeams.Operation, ofShop: true},
		"/projects/{project}/delete":  {show: core.DeleteProject.Operation, take: core.DeleteProject.Operation, ofShop: true},

		"/settings": {show: all}, "/settings/activity": {show: core.ListActivity.Operation},
		"/settings/activity.csv": {show: core.ListActivity.Operation},
		"/settings/webhooks":     {show: core.ListAlerts.Operation},
		"/settings/webhooks/new": {show: core.CreateWebhook.Operation, take: core.CreateWebhook.Operation},
		"/settings/server":       {show: core.GetServer.Operation},
		"/settings/people/{id}":  {take: core.UpdatePerson.Operation, action: "disable"},
		"/settings/tokens":       {show: core.ListTokens.Operation, take: core.CreateToken.Operation},
		"/settings/keys":         {show: core.ListAPIKeys.Operation, take: core.CreateAPIKey.Operation},
		"/settings/people":       {show: core.ListPeople.Operation, take: core.InvitePerson.Operation},
		"/settings/teams":        {show: site, take: site},
	}
	for _, each := range []string{"people/{id}/delete", "teams/{id}", "teams/{id}/delete", "tokens/{id}/revoke", "keys/{id}/revoke"} {
		rules["/settings/"+each] = routeRule{show: site, take: site, action: "rename"}
	}
	for _, each := range []string{"{id}", "{id}/secret", "{id}/delete"} {
		rules["/settings/webhooks/"+each] = routeRule{show: core.ListWebhooks.Operation, take: core.DeleteWebhook.Operation, ofShop: true,
			action: "test"}
	}
	return rules
}

// roleOfPages is somebody who visits the pages.
type roleOfPages struct {
	name     string
	inShop   core.Right // in the project; empty where the person does not see it
	anywhere core.Right
	browser  *browser
}

// accepts reports whether a status is right for what needs an operation's right. Whether a project that the person does not see is
// refused or not found tells nothing, unless the person has the right elsewhere.
func (p roleOfPages) accepts(status int, op *core.Operation, ofShop bool) bool {
	switch {
	case p.may(op, ofShop):
		return status == http.StatusOK
	case ofShop && p.inShop == "":
		return status == http.StatusNotFound || status == http.StatusForbidden && !p.may(op, false)
	}
	return status == http.StatusForbidden
}

// may reports whether the person may do what needs an operation's right.
func (p roleOfPages) may(op *core.Operation, ofShop bool) bool {
	ascending := []core.Right{core.NoRight, core.ReadRight, core.WriteRight, core.ManageRight, core.SiteRight}
	need := slices.Index(ascending, op.Right())
	if ofShop {
		return slices.Index(ascending, p.inShop) >= need
	}
	return need <= slices.Index(ascending, core.ReadRight) || slices.Index(ascending, p.anywhere) >= need
}

// pagesOfRoles is a server with one of everything, and a person of each role.
type pagesOfRoles struct {
	*server
	roles   []roleOfPages
	gaps    map[string]string // what the examples of routes leave open
	rules   map[string]routeRule
	offered int      // links and forms that were looked at
	wrong   []string // what is not as the rules say
}

// TestRolesOnPages walks over all routes as each role. A page answers as core/rights.go says, with the role that is missing, and shows
// no link and no form that would be refused. The forms are sent too by those who may not.
func TestRolesOnPages(t *testing.T) {
	t.Parallel()
	s := openRoles(t)
	for route := range web.New(web.Options{}).Routes() {
		require.Contains(t, s.rules, route, "listRouteRules lacks a route")
		allow := s.roles[0].browser.send(http.MethodPut, s.fillGaps(route), "", "").header.Get("Allow")
		require.Equal(t, strings.Contains(allow, http.MethodGet), s.rules[route].show != nil, route)
		require.Equal(t, strings.Contains(allow, http.MethodPost), s.rules[route].take != nil, route)
	}
	for _, role := range s.roles {
		for route, rule := range s.rules {
			if rule.show != nil && rule.show != forEverybody || route == "/account" || route == "/settings" {
				s.visit(role, route, rule)
			}
			if rule.take != nil && !role.may(rule.take, rule.ofShop) { // else it would change something
				sent := role.browser.post(s.fillGaps(route), "action", rule.action, "id", "1", "name", "x", "decision", "reject", "event", "1",
					"target", s.gaps["ISSUE"], "source_ids", s.gaps["SECOND"])
				s.check(role.accepts(sent.status, rule.take, rule.ofShop), "%s sends %s: %d", role.name, route, sent.status)
			}
		}
	}
	require.Empty(t, s.wrong)
	require.Greater(t, s.offered, 500, "the links and forms were not found")
}

// check notes what is wrong.
func (s *pagesOfRoles) check(isRight bool, format string, args ...any) {
	if !isRight {
		s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
	}
}

// whoGives is what a page that is refused says.
var whoGives = regexp.MustCompile(`This needs .* can (make you one|give it to you)`)

// visit opens a page, and looks at what it offers.
func (s *pagesOfRoles) visit(role roleOfPages, route string, rule routeRule) {
	address := s.fillGaps(route)
	if rule.example != "" {
		address = s.fillGaps(rule.example)
	}
	answer := role.browser.get(address)
	s.check(role.accepts(answer.status, rule.show, rule.ofShop), "%s opens %s: %d", role.name, address, answer.status)
	if answer.status == http.StatusForbidden {
		s.check(whoGives.MatchString(answer.body), "%s is not told on %s which role is missing, and who gives it", role.name, address)
	}
	for _, link := range regexp.MustCompile(`<a [^>]*href="([^"]*)"`).FindAllStringSubmatch(answer.body, -1) {
		if rule, isOurs := s.findRule(link[1]); isOurs && rule.show != nil {
			s.offered++
			s.check(role.may(rule.show, rule.ofShop), "%s sees the link to %s on %s", role.name, link[1], address)
		}
	}
	for _, form := range regexp.MustCompile(`(?s)<form[^>]* method="post"[^>]* action="([^"]*)"|formaction="([^"]*)"`).
		FindAllStringSubmatch(answer.body, -1) {
		target := form[1] + form[2]
		if rule, isOurs := s.findRule(target); isOurs && rule.take != nil {
			s.offered++
			s.check(role.may(rule.take, rule.ofShop), "%s sees the form of %s on %s", role.name, target, address)
		}
	}
}

// fillGaps makes a path of a route or its example.
func (s *pagesOfRoles) fillGaps(route string) string {
	for gap, value := range s.gaps {
		route = strings.ReplaceAll(route, gap, value)
	}
	return route
}

// findRule returns the rule of the route of a link's or form's target. The most exact route counts.
func (s *pagesOfRoles) findRule(target string) (found routeRule, isOurs bool) {
	link, err := url.Parse(html.UnescapeString(target))
	if err != nil || link.Host != "" || !strings.HasPrefix(link.Path, "/") {
		return found, false
	}
	if strings.HasPrefix(link.Path, "/projects/back-office") {
		return found, false // the project of another team
	}
	if rule, isExact := s.rules[link.Path]; isExact {
		rule.ofShop = rule.ofShop && link.RawQuery != "" // without it there is nothing yet that is of a project
		return rule, true
	}
	for route, rule := range s.rules {
		pattern := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(route, "*")
		if matches, _ := path.Match(pattern, link.Path); matches {
			return rule, true
		}
	}
	return found, false
}

// openRoles starts a server with one of everything.
func openRoles(t *testing.T) *pagesOfRoles {
	t.Helper()
	s, databaseURL := openHooks(t, func(c *app.Config) { c.Blobs = core.Secret("file://" + t.TempDir()) })
	key := s.makeProject(t)
	require.Equal(t, http.StatusCreated, s.uploadMap(t, "1.0", "~/app.js", shopMap).status)
	issue, second := s.sendMessage(t, key, "cart cannot be loaded"), s.sendMessage(t, key, "no stock of the article")
	made := &pagesOfRoles{server: s, rules: listRouteRules(), gaps: map[string]string{
		"/issues/{id}": fmt.Sprint("/issues/", issue), "{project}": "web-shop", "ISSUE": fmt.Sprint(issue), "SECOND": fmt.Sprint(second),
		"/approvals/{id}": "/approvals/1", "/people/{id}": "/people/1", "MAP": "1",
	}}
	s.makeRowsOfRoles(t, made.gaps)
	made.gaps["DSNKEY"] = fmt.Sprint(s.postAsAdmin(t, "/v1/projects/web-shop/keys", `{}`)["public_key"])
	rows := storetest.Open(t, databaseURL, time.Now)
	by := core.NewBootstrapActor()
	owner := addUser(t, databaseURL, "owner@example.org", adminPassword)
	shop, err := rows.CreateTeam(t.Context(), by, "Shop", owner.ID)
	require.NoError(t, err)
	other := addUser(t, databaseURL, "other@example.org", adminPassword)
	office, err := rows.CreateTeam(t.Context(), by, "Office", other.ID)
	require.NoError(t, err)
	projects, err := rows.ListProjects(t.Context())
	require.NoError(t, err)
	for _, p := range projects {
		team := office.ID
		if p.Slug == "web-shop" {
			team = shop.ID
		}
		require.NoError(t, rows.AssignProject(t.Context(), by, team, p.ID))
	}
	made.gaps["/teams/{id}"] = fmt.Sprint("/teams/", shop.ID)
	addUser(t, databaseURL, "nobody@example.org", adminPassword)
	for _, role := range []core.TeamRole{core.RoleViewer, core.RoleMember, core.RoleAdmin} {
		user := addUser(t, databaseURL, string(role)+"@example.org", adminPassword)
		_, err := rows.AddTeamMember(t.Context(), by, store.NewTeamMember{TeamID: shop.ID, UserID: user.ID, Role: role})
		require.NoError(t, err)
	}
	for _, role := range []roleOfPages{
		{name: "nobody"}, {name: "other", anywhere: core.ManageRight}, {"viewer", core.ReadRight, core.ReadRight, nil},
		{"member", core.WriteRight, core.WriteRight, nil}, {"admin", core.ManageRight, core.ManageRight, nil},
		{"owner", core.ManageRight, core.ManageRight, nil},
	} {
		role.browser = s.openAs(t, role.name+"@example.org")
		made.roles = append(made.roles, role)
	}
	made.roles = append(made.roles, roleOfPages{"site admin", core.SiteRight, core.SiteRight, s.openAs(t, adminEmail)})
	return made
}

// makeRowsOfRoles makes one of each thing that a page is about.
func (s *server) makeRowsOfRoles(t *testing.T, gaps map[string]string) {
	t.Helper()
	for thing, request := range map[string][2]string{
		"projects": {"/v1/projects", `{"name": "Back office"}`},
		"deploys":  {"/v1/deploys", `{"project": "web-shop", "commit": "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432", "release": "1.0"}`},
		"tokens":   {"/v1/tokens", `{"name": "fixer", "scopes": ["issues:read"]}`},
		"keys":     {"/v1/api-keys", `{"name": "dashboard", "permissions": ["apps:read"]}`},
		"webhooks": {"/v1/webhooks", `{"name": "team", "project": "web-shop", "format": "service", "events": ["issue.new"],
			"url": "http://127.0.0.1:9/x"}`},
		"SETUPKEY": {"/v1/setup/keys", `{}`},
	} {
		id := fmt.Sprint(s.postAsAdmin(t, request[0], request[1])["id"])
		gaps[thing+"/{id}"], gaps[thing] = thing+"/"+id, id
		if thing != "SETUPKEY" {
			delete(gaps, thing)
		}
	}
}
