//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// settingsMade has the ids that the pages of the settings need.
type settingsMade struct {
	token, key, person, webhook, setupKey, team, sourceMap int64
	dsnKey                                                 string
}

// makeSettings makes one of each. The webhook's address is nobody's.
func (s *pagesSite) makeSettings(t *testing.T) settingsMade {
	t.Helper()
	create := func(path, body string) int64 {
		var made struct{ Data struct{ ID int64 } }
		require.Equal(t, http.StatusCreated, s.callAPI(adminToken, "POST", path, body, &made), path)
		return made.Data.ID
	}
	var key struct{ Data struct{ Key string } }
	may := `{"name": "teams", "permissions": ["teams:write"]}`
	require.Equal(t, http.StatusCreated, s.callAPI(adminToken, "POST", "/v1/api-keys", may, &key))
	var dsn struct {
		Data struct {
			PublicKey string `json:"public_key"`
		}
	}
	require.Equal(t, http.StatusCreated, s.callAPI(adminToken, "POST", "/v1/projects/demo-shop/keys", `{}`, &dsn))
	return settingsMade{
		sourceMap: s.uploadMap(t),
		team:      s.makeTeam(t, key.Data.Key),
		dsnKey:    dsn.Data.PublicKey,
		token:     create("/v1/tokens", `{"name": "fixer", "scopes": ["issues:read", "issues:write"]}`),
		key:       create("/v1/api-keys", `{"name": "dashboard", "permissions": ["apps:read"]}`),
		person:    create("/v1/people", `{"email_address": "dora@example.com"}`),
		webhook: create("/v1/webhooks", `{"name": "team", "format": "slack", "events": ["issue.new"],
			"url": "https://hooks.slack.com/services/T0/B0/x0"}`),
		setupKey: create("/v1/setup/keys", `{}`),
	}
}

// uploadMap uploads a source map of the demo project.
func (s *pagesSite) uploadMap(t *testing.T) int64 {
	t.Helper()
	body := strings.NewReader(`{"version": 3, "sources": ["cart.ts"], "sourcesContent": ["export {}"], "names": [], "mappings": "AAAA"}`)
	address := s.url + "/v1/sourcemaps?project=demo-shop&release=demo-shop%402.4.0&name=~/app.js"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+adminToken)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	var made struct{ Data struct{ ID int64 } }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&made))
	return made.Data.ID
}

// makeTeam makes a team by the management API.
func (s *pagesSite) makeTeam(t *testing.T, key string) int64 {
	t.Helper()
	body := strings.NewReader(`{"name": "Office", "owner_id": 1}`)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/v1/teams", body)
	require.NoError(t, err)
	request.Header.Set("Service-API-Key", key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	var made struct{ ID int64 }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&made))
	return made.ID
}

// listSettingsPages are the pages of the projects and the settings.
func listSettingsPages(made settingsMade) []lookedAt {
	const project, settings = "/projects/demo-shop", "/settings"
	of := func(route string, id int64) string { return fmt.Sprintf(route, id) }
	return []lookedAt{
		{"projects", "/projects", "", ann, nil},
		{"projects-nobody", "/projects", "", cleo, nil},
		{"project", project, "/projects/{project}", ann, nil},
		{"project-settings", project + "/settings", "/projects/{project}/settings", ann, nil},
		{"project-scrubbing", project + "/scrubbing", "/projects/{project}/scrubbing", ann, nil},
		{"project-source-maps", project + "/source-maps", "/projects/{project}/source-maps", ann, nil},
		{"project-source-map-delete", fmt.Sprintf("%s/source-maps/delete?id=%d", project, made.sourceMap),
			"/projects/{project}/source-maps/delete", ann, nil},
		{"project-members", project + "/members", "/projects/{project}/members", ann, nil},
		{"project-delete", project + "/delete", "/projects/{project}/delete", ann, nil},
		{"project-key-revoke", project + "/keys/revoke?key=" + made.dsnKey, "/projects/{project}/keys/revoke", ann, nil},
		{"setup", "/projects/setup", "", ann, nil},
		{"setup-revoke", of("/projects/setup/revoke?id=%d", made.setupKey), "/projects/setup/revoke", ann, nil},

		{"settings", settings, "", ann, nil},
		{"settings-nobody", settings, "", cleo, nil},
		{"people", "/settings/people", "", ann, nil},
		{"person-delete", of("/settings/people/%d/delete", made.person), "/settings/people/{id}/delete", ann, nil},
		{"people-forbidden", "/settings/people", "", cleo, nil},
		{"teams", "/settings/teams", "", ann, nil},
		{"team", of("/settings/teams/%d", made.team), "/settings/teams/{id}", ann, nil},
		{"team-delete", of("/settings/teams/%d/delete", made.team), "/settings/teams/{id}/delete", ann, nil},
		{"activity", "/settings/activity", "", ann, nil},
		{"tokens", "/settings/tokens", "", ann, nil},
		{"token-revoke", of("/settings/tokens/%d/revoke", made.token), "/settings/tokens/{id}/revoke", ann, nil},
		{"keys", "/settings/keys", "", ann, nil},
		{"key-revoke", of("/settings/keys/%d/revoke", made.key), "/settings/keys/{id}/revoke", ann, nil},
		{"webhooks", "/settings/webhooks", "", ann, nil},
		{"webhook-new", "/settings/webhooks/new", "", ann, nil},
		{"webhook", of("/settings/webhooks/%d", made.webhook), "/settings/webhooks/{id}", ann, nil},
		{"webhook-secret", of("/settings/webhooks/%d/secret", made.webhook), "/settings/webhooks/{id}/secret", ann, nil},
		{"webhook-delete", of("/settings/webhooks/%d/delete", made.webhook), "/settings/webhooks/{id}/delete", ann, nil},
		{"server", "/settings/server", "", ann, nil},
		{"server-examined", "/settings/server?examine=1", "/settings/server", ann, nil},
	}
}
