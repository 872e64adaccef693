package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"errand/core"
)

// The paths of the API keys.
const (
	keysPath      = "/settings/keys"
	revokeKeyPath = "/settings/keys/{id}/revoke"
)

// keysForm is the page of the API keys.
type keysForm struct {
	Tabs    tabs
	Made    *madeSecret
	Try     string // a call that shows how the key that was just made is sent
	Rows    []keyRow
	Revoked []keyRow
	Empty   *emptyList

	Errors fieldErrors
	Name   string
	May    []check
}

// keyRow is an API key of the list.
type keyRow struct {
	Name, By   any
	Prefix     string
	May        string
	Used       moment
	Made       moment
	Revoked    moment
	RevokePath string
}

// permissionTexts are the permissions of API keys in words (management API, Authentication).
var permissionTexts = map[core.Scope]string{
	"apps:read": "list and view apps", "apps:write": "create, update and delete apps",
	"problems:read": "list and view problems", "problems:write": "resolve and reopen problems",
	"notices:read": "list and view notices",
	"tags:read":    "list tags of problems", "tags:write": "create and delete tags",
	"teams:read": "list and view teams, members and their apps", "teams:write": "create, update and delete teams; manage members and apps",
	"users:read": "list and view users", "users:write": "create, update and delete users",
}

// showKeys is the page of the API keys, for site admins.
func (s *Site) showKeys(v *visit) error { return v.askKeys(http.StatusOK, keysForm{}, url.Values{}) }

// askKeys shows the page. The form has what was just made or refused, typed what stands in the fields.
func (v *visit) askKeys(status int, form keysForm, typed url.Values) error {
	keys, err := callOperation(v, core.ListAPIKeys, nil)
	if err != nil {
		return err
	}
	for i := range keys.Data {
		k := &keys.Data[i]
		row := keyRow{
			Name: k.Name, By: k.CreatedBy, Prefix: k.Prefix + "…", May: describePermissions(k.Permissions), Used: v.at(k.LastUsedAt),
			Made: v.at(k.CreatedAt), Revoked: v.at(k.RevokedAt), RevokePath: fmt.Sprintf("%s/%d/revoke", keysPath, k.ID),
		}
		if row.Revoked.IsNever() {
			form.Rows = append(form.Rows, row)
		} else {
			form.Revoked = append(form.Revoked, row)
		}
	}
	if len(form.Rows) == 0 {
		form.Empty = &emptyList{Title: "No key is valid", Lines: []string{
			"A dashboard or a script that manages apps, problems, teams and users at /api/v1 needs one. Agents take a token instead."},
			Links: []frameLink{{Name: "What the API can do", Path: "/docs/management"}}}
	}
	form.Tabs, form.Name = v.settingsTabs(), typed.Get("name")
	for _, permission := range core.KeyPermissions {
		form.May = append(form.May, check{"permissions", string(permission), permissionTexts[permission],
			slices.Contains(typed["permissions"], string(permission))})
	}
	return v.answer("api_keys", status, pageData{Title: "API keys", Form: form})
}

// describePermissions says what a key may do: read apps, problems; change tags.
func describePermissions(permissions []core.Scope) string {
	if len(permissions) == len(core.KeyPermissions) {
		return "everything that the API can do"
	}
	var reads, writes []string
	for _, permission := range permissions {
		if resource, isRead := strings.CutSuffix(string(permission), ":read"); isRead {
			reads = append(reads, resource)
		} else {
			writes = append(writes, strings.TrimSuffix(string(permission), ":write"))
		}
	}
	switch {
	case writes == nil:
		return "read " + strings.Join(reads, ", ")
	case reads == nil:
		return "change " + strings.Join(writes, ", ")
	}
	return "read " + strings.Join(reads, ", ") + "; change " + strings.Join(writes, ", ")
}

// takeKey makes an API key and shows it.
func (s *Site) takeKey(v *visit) error {
	typed := v.r.PostForm
	permissions := append([]string{}, typed["permissions"]...) // an empty list is not null
	made, err := callOperation(v, core.CreateAPIKey, map[string]any{"name": typed.Get("name"), "permissions": permissions})
	if err != nil {
		refused, err := v.readFieldErrors(err)
		if err != nil {
			return err
		}
		refused.keepKnown("name", "permissions")
		return v.askKeys(http.StatusUnprocessableEntity, keysForm{Errors: refused}, typed)
	}
	return v.askKeys(http.StatusOK, keysForm{
		Made: &madeSecret{"The key of " + made.Data.Name, "It is shown this once: Errand keeps only its hash.", made.Data.Value},
		Try:  `curl -H "Service-API-Key: $ERRAND_API_KEY" ` + s.BaseURL() + "/api/v1/apps",
	}, url.Values{})
}

// showRevokeKey asks before an API key is revoked.
func (s *Site) showRevokeKey(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	keys, err := callOperation(v, core.ListAPIKeys, nil)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(keys.Data, func(k core.APIKey) bool { return k.ID == id && k.RevokedAt.IsZero() })
	if i < 0 {
		return core.NewError(core.NotFound)
	}
	return v.showIrrevocable(irrevocable{
		Tabs: v.settingsTabs(), Back: keysPath, BackName: "API keys", Title: "Revoke " + keys.Data[i].Name + "?",
		Says: []string{"Whoever uses it is refused at once, on every server. " + v.tellUse(keys.Data[i].LastUsedAt),
			"It cannot be undone: make a new key where one is needed."},
		Path: fmt.Sprintf("%s/%d/revoke", keysPath, id), Button: "Revoke the key", Keep: "Leave it as it is",
	})
}

// takeRevokeKey revokes an API key.
func (s *Site) takeRevokeKey(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	return v.act(core.RevokeAPIKey.Operation, map[string]any{"id": id}, keysPath, flash{Text: "The key is revoked."})
}
