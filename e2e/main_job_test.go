//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/getsentry/sentry-go"
	"github.com/stretchr/testify/require"
)

// sdks send one exception with cause, stack, user, tags and release, and return when it was delivered.
var sdks = map[string]func(t *testing.T, dsn string){
	"sentry-go":    sendGo,
	"@sentry/node": sendNode,
}

var errTimeout = errors.New("connection timed out")

func loadCart() error { return fmt.Errorf("cart cannot be loaded: %w", errTimeout) }

func sendGo(t *testing.T, dsn string) {
	c, err := sentry.NewClient(sentry.ClientOptions{Dsn: dsn, Release: "shop@1.4.0", Environment: "production", AttachStacktrace: true})
	require.NoError(t, err)
	hub := sentry.NewHub(c, sentry.NewScope())
	hub.Scope().SetUser(sentry.User{ID: "u-17", Email: "ada@example.com"})
	hub.Scope().SetTag("region", "eu")
	require.NotNil(t, hub.CaptureException(loadCart()))
	require.True(t, c.Flush(10*time.Second), "the event was not delivered")
}

func sendNode(t *testing.T, dsn string) {
	out, err := exec.CommandContext(t.Context(), "node", "sdk/node.mjs", dsn).CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestMainJob is Errand's purpose: an SDK sends an error, an agent finds it, claims it, notes and resolves it, and a
// new event brings it back.
func TestMainJob(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for sdk, send := range sdks {
		for client, connect := range agents {
			t.Run(sdk+" to "+client, func(t *testing.T) {
				t.Parallel()
				job{t: t, server: s, send: send, connect: connect, name: sdk + " " + client}.runJob()
			})
		}
	}
}

type job struct {
	t       *testing.T
	server  *server
	send    func(t *testing.T, dsn string)
	connect func(t *testing.T, url, token string) agent
	name    string
}

func (j job) runJob() {
	t, s := j.t, j.server
	dsn, slug := s.makeProject(j.name)
	first := j.connect(t, s.url, s.makeToken("first "+j.name))
	second := j.connect(t, s.url, s.makeToken("second "+j.name))

	j.send(t, dsn)
	issue := j.onlyIssue(first, slug)
	require.Equal(t, "unresolved", issue["status"])
	require.EqualValues(t, 1, issue["times_seen"])
	require.EqualValues(t, 1, issue["users_affected"])
	require.Contains(t, issue["title"], "cart")
	id := issue["id"]

	detail := callForData(t, first, "get_issue", map[string]any{"id": id})
	require.Equal(t, "shop@1.4.0", detail["first_release"])
	event := callForData(t, first, "get_event", map[string]any{"id": detail["latest_event_id"]})["event"].(map[string]any)
	j.checkEvent(event)

	claimed := callForData(t, first, "claim_issue", map[string]any{"id": id, "minutes": 30})["claim"].(map[string]any)
	refusal, failed := second("claim_issue", map[string]any{"id": id})
	require.True(t, failed)
	require.Equal(t, "claimed", refusal["error"])
	require.Equal(t, claimed, refusal["claim"])

	callForData(t, first, "add_note", map[string]any{"id": id, "text": "Raised the timeout; see cart.go."})
	require.Equal(t, "resolved", callForData(t, first, "resolve_issue", map[string]any{"id": id})["status"])

	j.send(t, dsn)
	again := j.onlyIssue(first, slug)
	require.Equal(t, id, again["id"])
	require.Equal(t, "unresolved", again["status"])
	require.EqualValues(t, 2, again["times_seen"])
	require.EqualValues(t, 1, again["users_affected"])

	require.Equal(t, []string{"issue.regress", "issue.resolve", "issue.note", "issue.claim"}, actionsOf(t, first, id))
}

// checkEvent looks for everything that each SDK should send: cause, stack, user, tags.
func (j job) checkEvent(event map[string]any) {
	t := j.t
	exceptions := event["exceptions"].([]any)
	require.GreaterOrEqual(t, len(exceptions), 2, "the cause is there too")
	named := 0
	for _, x := range exceptions {
		for _, f := range x.(map[string]any)["frames"].([]any) {
			frame := f.(map[string]any)
			require.NotNil(t, frame["filename"])
			if frame["function"] != nil { // code outside of functions has none
				named++
			}
		}
	}
	require.Positive(t, named)
	require.Equal(t, "u-17", event["user"].(map[string]any)["id"])
	require.Equal(t, "eu", event["tags"].(map[string]any)["region"])
	require.Equal(t, "production", event["environment"])
	require.True(t, strings.HasPrefix(event["sdk"].(map[string]any)["name"].(string), "sentry."))
}

func (j job) onlyIssue(a agent, project string) map[string]any {
	list, failed := a("list_issues", map[string]any{"project": project})
	require.False(j.t, failed, list)
	issues := list["data"].([]any)
	require.Len(j.t, issues, 1)
	return issues[0].(map[string]any)
}

func callForData(t *testing.T, a agent, tool string, args map[string]any) map[string]any {
	t.Helper()
	answer, failed := a(tool, args)
	require.False(t, failed, "%s: %v", tool, answer)
	return answer["data"].(map[string]any)
}

func actionsOf(t *testing.T, a agent, issue any) []string {
	t.Helper()
	rows, failed := a("list_issue_activity", map[string]any{"id": issue})
	require.False(t, failed)
	var list []string
	for _, row := range rows["data"].([]any) {
		list = append(list, row.(map[string]any)["action"].(string))
	}
	return list
}
