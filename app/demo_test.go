package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// getJSON makes a REST call as the admin and reads data of its answer.
func (s *server) getJSON(t *testing.T, path string, into any) {
	t.Helper()
	got := s.sendRequest(t.Context(), http.MethodGet, path, "", nil)
	require.NoError(t, got.err)
	require.Equal(t, http.StatusOK, got.status, got.body)
	answer := struct{ Data any }{into}
	require.NoError(t, json.Unmarshal([]byte(got.body), &answer))
}

func makeDemo(t *testing.T, databaseURL string) app.Demo {
	t.Helper()
	c := configOn(databaseURL)
	made, err := app.MakeDemo(t.Context(), &c, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	return made
}

// demoIssue is an issue of the demo project in a list.
type demoIssue struct {
	ID        int64
	Status    string
	Title     string
	Platform  string
	TimesSeen int `json:"times_seen"`
	Users     int `json:"users_affected"`
	Claim     any
	Last      string `json:"last_release"`
}

func TestDemo(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := startServer(t, configOn(databaseURL))
	made := makeDemo(t, databaseURL)
	require.True(t, made.Project.Demo)
	require.Equal(t, made.Events, made.Added)
	require.Greater(t, made.Events, 300)

	var issues []demoIssue
	s.getJSON(t, "/v1/issues?project=demo-shop&limit=100", &issues)
	require.Len(t, issues, made.Issues)
	platforms, statuses, claims, users, returned := map[string]bool{}, map[string]int{}, 0, 0, int64(0)
	for _, i := range issues {
		platforms[i.Platform] = true
		statuses[i.Status]++
		users += i.Users
		require.Greater(t, i.TimesSeen, 1, i.Title)
		require.NotEmpty(t, i.Last, i.Title)
		if i.Claim != nil {
			claims++
		}
		var told []struct{ Action string }
		s.getJSON(t, fmt.Sprintf("/v1/issues/%d/activity", i.ID), &told)
		if len(told) > 0 && told[0].Action == "issue.regress" && i.Status == "unresolved" {
			returned = i.ID
		}
	}
	for _, platform := range []string{"node", "javascript", "python", "go", "java", "php", "ruby"} {
		t.Run(platform, func(t *testing.T) {
			require.True(t, platforms[platform])
		})
	}
	require.Positive(t, statuses["resolved"])
	require.Positive(t, statuses["ignored"])
	require.Equal(t, 1, claims)
	require.Greater(t, users, 50)
	require.NotZero(t, returned, "one was resolved, and is back")
	for _, status := range []string{"verified", "fix_pending", "regressed"} {
		require.Equal(t, 1, statuses[status], status)
	}
	var releases []struct{ Version string }
	s.getJSON(t, "/v1/releases?project=demo-shop", &releases)
	require.Len(t, releases, 4)
	require.Equal(t, "demo-shop@2.4.1", releases[0].Version)
	var outcomes []struct{ Outcome string }
	s.getJSON(t, "/v1/fix-outcomes", &outcomes)
	require.Len(t, outcomes, 2)

	requireDemoEvents(t, s, issues)
	requireDemoChart(t, s)
}

// requireDemoChart requires that the chart of a release has events before its deploy and since.
func requireDemoChart(t *testing.T, s *server) {
	t.Helper()
	var hours core.ReleaseHours
	s.getJSON(t, "/v1/releases/demo-shop@2.4.0/hours?project=demo-shop", &hours)
	require.NotNil(t, hours.PerHour.Before)
	require.NotNil(t, hours.PerHour.Since)
	require.Positive(t, *hours.PerHour.Before)
	require.Positive(t, *hours.PerHour.Since)
}

// requireDemoEvents requires that each issue shows masked events, and that some events come from staging.
func requireDemoEvents(t *testing.T, s *server, issues []demoIssue) {
	t.Helper()
	var environments []any
	s.getJSON(t, "/v1/issues?project=demo-shop&environment=staging", &environments)
	require.NotEmpty(t, environments)
	for _, i := range issues {
		var found []struct{ ID int64 }
		s.getJSON(t, fmt.Sprintf("/v1/issues/%d/events", i.ID), &found)
		require.NotEmpty(t, found)
		var event json.RawMessage
		s.getJSON(t, fmt.Sprintf("/v1/events/%d", found[0].ID), &event)
		require.NotContains(t, string(event), "demo-value-that-is-masked")
	}
}

func TestDemoAgain(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := startServer(t, configOn(databaseURL))
	made := makeDemo(t, databaseURL)
	var returned []struct{ ID int64 }
	s.getJSON(t, "/v1/issues?project=demo-shop&search=Cannot+read+properties", &returned)
	require.Len(t, returned, 1)

	// A second run changes nothing in the project, not even what somebody has done about it.
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/resolve", returned[0].ID), ``)
	before := s.sendRequest(t.Context(), http.MethodGet, "/v1/issues?project=demo-shop&limit=100", "", nil).body
	again := makeDemo(t, databaseURL)
	require.Equal(t, made.Project.ID, again.Project.ID)
	require.Zero(t, again.Added)
	require.Equal(t, made.Events, again.Events)
	after := s.sendRequest(t.Context(), http.MethodGet, "/v1/issues?project=demo-shop&limit=100", "", nil).body
	require.JSONEq(t, withoutTimes(t, before), withoutTimes(t, after))
	var projects []any
	s.getJSON(t, "/v1/projects", &projects)
	require.Len(t, projects, 1)

	// After the deletion there is a new project.
	require.Equal(t, http.StatusNoContent, s.sendRequest(t.Context(), http.MethodDelete, "/v1/projects/demo-shop", "", nil).status)
	fresh := makeDemo(t, databaseURL)
	require.NotEqual(t, made.Project.ID, fresh.Project.ID)
	require.Equal(t, "demo-shop", fresh.Project.Slug)
	require.Equal(t, made.Added, fresh.Added)
}

// TestDemoWaitsForNoApproval makes the demo where callers must wait for an admin. It looks the same as elsewhere.
func TestDemoWaitsForNoApproval(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	c := configOn(databaseURL)
	c.RequireApproval = "ignore,merge,delete_project"
	s := startServer(t, c)

	made := makeDemo(t, databaseURL)

	require.Equal(t, 1, made.ByStatus[core.Ignored])
	require.Equal(t, makeDemo(t, storetest.NewURL(t)).ByStatus, made.ByStatus)
	again := makeDemo(t, databaseURL)
	require.Equal(t, made.ByStatus, again.ByStatus)
	require.Zero(t, again.Added)
	var approvals []any
	s.getJSON(t, "/v1/approvals", &approvals)
	require.Empty(t, approvals)

	// Callers of the API still wait, even for the demo's issues.
	var open []struct{ ID int64 }
	s.getJSON(t, "/v1/issues?project=demo-shop&status=unresolved&limit=1", &open)
	held := s.sendRequest(t.Context(), http.MethodPost, fmt.Sprintf("/v1/issues/%d/ignore", open[0].ID), "", nil)
	require.Equal(t, http.StatusAccepted, held.status, held.body)
}

// withoutTimes removes from a list of issues what changes over time.
func withoutTimes(t *testing.T, body string) string {
	t.Helper()
	var list struct{ Data []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	for _, issue := range list.Data {
		delete(issue, "priority")
		delete(issue, "events_24h")
		delete(issue, "events_7d")
	}
	text, err := json.Marshal(list.Data)
	require.NoError(t, err)
	return string(text)
}

func TestDemoTwiceAtOnce(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	made := make(chan app.Demo, 2)
	for range cap(made) {
		go func() {
			c := configOn(databaseURL)
			one, err := app.MakeDemo(t.Context(), &c, (&logtext.Text{}).NewLogger())
			if err != nil {
				one.BaseURL = err.Error()
			}
			made <- one
		}()
	}
	first, second := <-made, <-made

	require.Equal(t, first.BaseURL, second.BaseURL)
	require.NotZero(t, first.Project.ID)
	require.Equal(t, first.Project.ID, second.Project.ID)
	require.Equal(t, makeDemo(t, databaseURL).Events, max(first.Events, second.Events), "no event counts twice")
}

func TestDemoSaysWhatToTryNext(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	c := configOn(storetest.NewURL(t))
	c.BaseURL = "https://errand.example"
	made, err := app.MakeDemo(t.Context(), &c, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	require.NoError(t, made.Print(&text))
	for _, part := range []string{
		fmt.Sprintf("Added %d events", made.Added), "demo-shop",
		"https://errand.example/v1/issues?project=demo-shop", "https://errand.example/mcp",
		"X-Service-Key: " + made.Key(), "errand token create", "-X DELETE",
	} {
		require.Contains(t, text.String(), part)
	}
	require.NotContains(t, text.String(), adminToken)
	require.Len(t, made.Key(), 32)

	const state = `The project "[^"]+" \(\d+, demo-shop\) has \d+ issues with \d+ events\.\n`
	require.Regexp(t, `^Added \d+ events to the demo project\. `+state, text.String())
	made.Added = 0
	text.Reset()
	require.NoError(t, made.Print(&text))
	require.Regexp(t, `^There was nothing to add\. `+state, text.String())
}
