package surfacetest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
	"errand/store/storetest"
)

var setupCases = []parityCase{
	{core.Whoami.Operation, core.Forbidden, "setup", `{}`},

	{core.ListSetupKeys.Operation, success, "admin", `{}`},
	{core.ListSetupKeys.Operation, success, "setup", `{}`},

	{core.RegisterApp.Operation, success, "setup", `{"name": "Café <& more>", "platform": "node"}`},
	{core.RegisterApp.Operation, success, "admin", `{"name": "Web shop", "platform": null}`},
	{core.RegisterApp.Operation, core.Limit, "used up", `{"name": "One too many"}`},

	{core.CreateAgentToken.Operation, success, "setup", `{"name": "fixer", "project": "set-up"}`},
	{core.CreateAgentToken.Operation, success, "admin", `{"name": "fixer", "project": $project}`},
	{core.CreateAgentToken.Operation, core.ProjectNotFound, "setup", `{"name": "fixer", "project": $project}`},
	{core.CreateAgentToken.Operation, core.ProjectNotFound, "admin", `{"name": "fixer", "project": "no-such-app"}`},
	{core.CreateAgentToken.Operation, core.Limit, "used up", `{"name": "sixth", "project": "used-1"}`},

	{core.SendTestEvent.Operation, success, "setup", `{"project": "set-up"}`},
	{core.SendTestEvent.Operation, success, "admin", `{"project": $project}`},
	{core.SendTestEvent.Operation, core.ProjectNotFound, "setup", `{"project": $project}`},
	{core.SendTestEvent.Operation, core.TestEventExists, "used up", `{"project": "used-1"}`},
	{core.SendTestEvent.Operation, core.Quota, "used up", `{"project": "used-2"}`},
	{core.SendTestEvent.Operation, core.TooManyIssues, "used up", `{"project": "used-3"}`},

	{core.ReportSetupStep.Operation, success, "setup", `{"project": "set-up", "step": "sdk_installed"}`},
	{core.ReportSetupStep.Operation, success, "fixer", `{"project": "used-1", "step": "deploy_configured"}`},
	{core.ReportSetupStep.Operation, core.ProjectNotFound, "setup", `{"project": $project, "step": "connected"}`},
	{core.ReportSetupStep.Operation, core.ForbiddenProject, "fixer", `{"project": $project, "step": "connected"}`},

	{core.GetSetupProgress.Operation, success, "setup", `{}`},
	{core.GetSetupProgress.Operation, success, "admin", `{}`},

	{core.GetSetupGuide.Operation, success, "setup", `{"platform": "django", "project": "set-up"}`},
	{core.GetSetupGuide.Operation, success, "reader", `{"project": $project}`},
	{core.GetSetupGuide.Operation, core.ProjectNotFound, "setup", `{"platform": "go", "project": $project}`},
}

// createSetupKey makes a setup key.
func createSetupKey(t *testing.T, s *surfacetest.Surface) (id int64, key string) {
	t.Helper()
	answer := s.SendAsAdmin(t, http.MethodPost, "/v1/setup/keys", "")
	require.Equal(t, http.StatusCreated, answer.Status, answer.Body)
	var created core.Data[struct {
		ID  int64
		Key string
	}]
	require.NoError(t, json.Unmarshal([]byte(answer.Body), &created))
	return created.Data.ID, created.Data.Key
}

// setUp makes a call of the setup, which must succeed, and returns data of its answer.
func setUp(t *testing.T, s *surfacetest.Surface, key, path, body string) map[string]any {
	t.Helper()
	answer := s.SendRequest(t, surfacetest.Request{
		Method: http.MethodPost, Path: "/v1/setup/" + path, Token: key, Body: strings.NewReader(body),
	})
	require.Less(t, answer.Status, http.StatusBadRequest, answer.Body)
	if answer.Body == "" {
		return nil
	}
	data, _ := objectOf(t, answer.Body)["data"].(map[string]any)
	return data
}

// addSetup makes a setup key with one app, and a key that has reached its limits.
func (w *world) addSetup(t *testing.T) {
	t.Helper()
	_, w.tokens["setup"] = createSetupKey(t, w.Surface)
	setUp(t, w.Surface, w.tokens["setup"], "apps", `{"name": "Set up", "platform": "python"}`)
	_, usedUp := createSetupKey(t, w.Surface)
	w.tokens["used up"] = usedUp
	for n := range core.SetupKeyMaxApps {
		setUp(t, w.Surface, usedUp, "apps", fmt.Sprintf(`{"name": "Used %d"}`, n+1))
	}
	for range core.SetupKeyMaxTokens {
		token, _ := setUp(t, w.Surface, usedUp, "tokens", `{"name": "fixer", "project": "used-1"}`)["token"].(string)
		w.tokens["fixer"] = token
	}
	setUp(t, w.Surface, usedUp, "apps/used-1/test-event", "")
	w.runSQL(t, `UPDATE projects SET daily_quota = 1 WHERE slug = 'used-2'`)
	w.runSQL(t, `INSERT INTO project_hours SELECT id, $1, 5 FROM projects WHERE slug = 'used-2'`, w.now.Truncate(time.Hour))
	w.runSQL(t, `INSERT INTO project_hours (project_id, hour, events, new_issues) SELECT id, $1, 5, 1000 FROM projects WHERE slug = 'used-3'`,
		w.now.Truncate(time.Hour))
}

// TestSetupKeyOpensTheSetupOnly calls every operation with a setup key.
func TestSetupKeyOpensTheSetupOnly(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	_, key := createSetupKey(t, s)
	var tools []string
	for _, op := range s.Registry.Operations() {
		if op.Scope == core.SetupScope {
			if op.NotATool == "" {
				tools = append(tools, op.Name)
			}
			continue
		}
		rest := callREST(t, s, op, key, op.Example)
		require.Equal(t, http.StatusForbidden, rest.Status, op.Name)
		require.Equal(t, map[string]any{"error": "forbidden", "required_scope": string(op.Scope)}, objectOf(t, rest.Body), op.Name)
		if op.NotATool == "" {
			requireSameError(t, op, core.Forbidden, rest, callMCP(t, s, op, key, op.Example))
		}
	}
	require.ElementsMatch(t, tools, toolsOf(t, s, key))
	require.Len(t, tools, 7)
}

// TestSetupToolsAreCheap bounds what a client with a setup key reads before its first call: 2,000 tokens of 4 bytes.
func TestSetupToolsAreCheap(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	_, key := createSetupKey(t, s)
	listed := s.SendMessage(t, key, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil)
	t.Logf("tools/list: %d bytes, %d tokens", len(listed.Body), len(listed.Body)/4)
	require.LessOrEqual(t, len(listed.Body), 8000)
}

// TestRegisterAppStatus checks that the status over REST says whether an app is new.
func TestRegisterAppStatus(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	_, key := createSetupKey(t, s)
	for _, status := range []int{http.StatusCreated, http.StatusOK, http.StatusOK} {
		answer := s.SendRequest(t, surfacetest.Request{
			Method: http.MethodPost, Path: "/v1/setup/apps", Token: key, Body: strings.NewReader(`{"name": "Web shop"}`),
		})
		require.Equal(t, status, answer.Status, answer.Body)
	}
}

// TestExpiredAndRevokedSetupKeys checks that such keys open nothing, on both surfaces.
func TestExpiredAndRevokedSetupKeys(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := surfacetest.ServeSurfaces(t, surfacetest.Options{Store: storetest.NewAt(t, clock.Tell)})
	id, revoked := createSetupKey(t, s)
	token, _ := setUp(t, s, revoked, "apps", `{"name": "Web shop"}`)["token"].(string)
	require.Empty(t, token)
	require.Equal(t, http.StatusNoContent, s.SendAsAdmin(t, http.MethodDelete, fmt.Sprintf("/v1/setup/keys/%d", id), "").Status)
	_, expired := createSetupKey(t, s)
	clock.Forward(core.SetupKeyLife)
	for _, key := range []string{revoked, expired, "cks_" + strings.Repeat("x", 43), "cks_short"} {
		op := core.GetSetupProgress.Operation
		requireSameRefusal(t, op, core.Unauthorized, callREST(t, s, op, key, `{}`), callMCP(t, s, op, key, `{}`))
	}
}
