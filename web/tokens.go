package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"errand/core"
)

// The paths of the tokens.
const (
	tokensPath      = "/settings/tokens"
	revokeTokenPath = "/settings/tokens/{id}/revoke"
)

// tokensForm is the page of the tokens.
type tokensForm struct {
	Tabs    tabs
	Made    *madeSecret
	Connect []clientLines // how an agent uses the token that was just made
	Rows    []tokenRow
	Revoked []tokenRow
	Empty   *emptyList

	Errors  fieldErrors
	Name    string
	May     []check
	Project choice
	IsOnly  bool
}

// tokenRow is a token of the list.
type tokenRow struct {
	Name, By   any
	Prefix     string
	May, Where string
	Used       moment
	Made       moment
	Revoked    moment
	RevokePath string
}

// tokenScopes are the scopes that a token made here can have, in words. Never admin: whoever runs the server makes those.
var tokenScopes = []struct {
	scope core.Scope
	text  string
}{
	{core.IssuesRead, "read issues"},
	{core.IssuesWrite, "change issues: claim, note, link fixes, resolve"},
	{core.ReleasesWrite, "report releases and source maps"},
}

// usualScopes are the fields of a form that nobody has changed.
var usualScopes = url.Values{"scopes": {string(core.IssuesRead), string(core.IssuesWrite)}}

// showTokens is the page of the tokens, for site admins.
func (s *Site) showTokens(v *visit) error {
	return v.askTokens(http.StatusOK, tokensForm{}, usualScopes)
}

// askTokens shows the page. The form has what was just made or refused, typed what stands in the fields.
func (v *visit) askTokens(status int, form tokensForm, typed url.Values) error {
	var tokens core.Data[core.List[core.Token]]
	var projects core.Data[core.List[core.ListedProject]]
	err := runTogether(
		func() (err error) { tokens, err = callOperation(v, core.ListTokens, nil); return err },
		func() (err error) { projects, err = callOperation(v, core.ListProjects, nil); return err },
	)
	if err != nil {
		return err
	}
	for i := range tokens.Data {
		if row := v.makeTokenRow(&tokens.Data[i]); row.Revoked.IsNever() {
			form.Rows = append(form.Rows, row)
		} else {
			form.Revoked = append(form.Revoked, row)
		}
	}
	if len(form.Rows) == 0 {
		form.Empty = &emptyList{Title: "No token is valid", Lines: []string{
			"An agent that runs without a person, and a script that reports deploys, need one. Agents that a person starts sign in by " +
				"Errand's URL and need none."}}
	}
	form.Tabs, form.Name, form.IsOnly = v.settingsTabs(), typed.Get("name"), typed.Get("only_project") != ""
	for _, s := range tokenScopes {
		form.May = append(form.May, check{"scopes", string(s.scope), s.text, slices.Contains(typed["scopes"], string(s.scope))})
	}
	form.Project = chooseFrom("project", "Project", typed.Get("project"), projectOptions(projects.Data)...)
	return v.answer("tokens", status, pageData{Title: "Tokens", Form: form})
}

func (v *visit) makeTokenRow(t *core.Token) tokenRow {
	return tokenRow{
		Name: t.Name, By: cmp.Or(t.CreatedBy, "unknown"), Prefix: t.Prefix + "…", May: describeScopes(t.Scopes), Where: describeBond(t),
		Used: v.at(t.LastUsedAt), Made: v.at(t.CreatedAt), Revoked: v.at(t.RevokedAt),
		RevokePath: fmt.Sprintf("%s/%d/revoke", tokensPath, t.ID),
	}
}

// describeScopes says what a token may do.
func describeScopes(scopes []core.Scope) string {
	has := func(scope core.Scope) bool { return slices.Contains(scopes, scope) }
	if has(core.Admin) {
		return "everything, as an admin"
	}
	var parts []string
	switch reads, writes := has(core.IssuesRead), has(core.IssuesWrite); {
	case reads && writes:
		parts = append(parts, "read and change issues")
	case reads:
		parts = append(parts, "read issues")
	case writes:
		parts = append(parts, "change issues")
	}
	if has(core.ReleasesWrite) {
		parts = append(parts, "report releases")
	}
	return strings.Join(parts, ", ")
}

// describeBond says for which projects a token is.
func describeBond(t *core.Token) string {
	switch {
	case t.ProjectID == 0:
		return "all projects"
	case t.OnlyProject:
		return string(t.ProjectName) + " only"
	}
	return "all projects; reports for " + string(t.ProjectName)
}

// takeToken makes a token and shows it.
func (s *Site) takeToken(v *visit) error {
	typed := v.r.PostForm
	scopes := append([]string{}, typed["scopes"]...) // an empty list is not null
	if slices.Contains(scopes, string(core.Admin)) {
		return core.RefuseField("scopes", "must be without admin: who runs the server makes such a token")
	}
	args := withProject(typed.Get("project"), "name", typed.Get("name"), "scopes", scopes, "only_project", typed.Get("only_project") != "")
	made, err := callOperation(v, core.CreateToken, args)
	if err != nil {
		refused, err := v.readFieldErrors(err)
		if err != nil {
			return err
		}
		refused.keepKnown("name", "scopes", "project", "only_project")
		return v.askTokens(http.StatusUnprocessableEntity, tokensForm{Errors: refused}, typed)
	}
	const once = "It is shown this once: Errand keeps only its hash."
	form := tokensForm{Made: &madeSecret{"The token of " + made.Data.Name, once, made.Data.Value}}
	if slices.Contains(made.Data.Scopes, core.IssuesRead) {
		_, form.Connect = s.listClients(false)
	}
	return v.askTokens(http.StatusOK, form, usualScopes)
}

// showRevokeToken asks before a token is revoked.
func (s *Site) showRevokeToken(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	tokens, err := callOperation(v, core.ListTokens, nil)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(tokens.Data, func(t core.Token) bool { return t.ID == id && t.RevokedAt.IsZero() })
	if i < 0 {
		return core.NewError(core.NotFound)
	}
	t := &tokens.Data[i]
	return v.showIrrevocable(irrevocable{
		Tabs: v.settingsTabs(), Back: tokensPath, BackName: "Tokens", Title: "Revoke " + t.Name + "?",
		Says: []string{
			"Whoever uses it is refused at once. It may " + describeScopes(t.Scopes) + " (" + describeBond(t) + "). " + v.tellUse(t.LastUsedAt),
			"It cannot be undone: make a new token where one is needed.",
		},
		Path: fmt.Sprintf("%s/%d/revoke", tokensPath, id), Button: "Revoke the token", Keep: "Leave it as it is",
	})
}

// takeRevokeToken revokes a token.
func (s *Site) takeRevokeToken(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	return v.act(core.RevokeToken.Operation, map[string]any{"id": id}, tokensPath, flash{Text: "The token is revoked."})
}
