package surfacetest_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/pg"
	"errand/store/storetest"
)

// world is the state that a case starts from. Two worlds of the same time are equal in every byte, including ids and
// secrets, so that answers can be compared unchanged.
type world struct {
	*surfacetest.Surface
	now    time.Time
	values map[string]string // by the names in parityCases
	tokens map[string]string // by the name of the actor
}

// missingID is an id that nothing has.
const missingID = 1<<53 - 1

// holdActions makes actions, a comma-separated list, wait for approval.
func holdActions(actions string) map[string]string {
	return map[string]string{"REQUIRE_APPROVAL": actions}
}

// newWorlds makes two equal worlds where the actions are held for approval.
func newWorlds(t *testing.T, held string) [2]*world {
	t.Helper()
	now := time.Now()
	return [2]*world{newWorld(t, now, held), newWorld(t, now, held)}
}

// newWorld makes two projects, tokens, and issues in every state that matters.
func newWorld(t *testing.T, now time.Time, held string) *world {
	t.Helper()
	w := &world{now: now, Surface: surfacetest.ServeSurfaces(t, surfacetest.Options{
		Store:    storetest.NewAt(t, func() time.Time { return now }),
		Random:   rand.NewChaCha8([32]byte{}),
		Settings: map[string]string{"BASE_URL": "https://errand.example", "REQUIRE_APPROVAL": held},
	})}
	w.tokens = map[string]string{
		"admin":  surfacetest.AdminToken,
		"reader": w.CreateToken(t, core.IssuesRead),
		"agent":  w.CreateToken(t, core.IssuesRead, core.IssuesWrite),
		"rival":  w.CreateToken(t, core.IssuesRead, core.IssuesWrite),

		"deployer": w.CreateToken(t, core.ReleasesWrite),
	}
	project, lonely := w.CreateProject(t), w.CreateProject(t)
	w.addSetup(t)
	w.tokens["bound"] = w.CreateBoundToken(t, lonely, core.ReleasesWrite)
	w.sendAdmin(t, fmt.Sprintf("/v1/projects/%d/keys", project), ``)
	keys := func(id int64) []string {
		p, err := w.Store.ReadProject(t.Context(), id)
		require.NoError(t, err)
		return p.Keys
	}
	issue, event := w.addIssue(t, project, "pay", 3)
	resolved, _ := w.addIssue(t, project, "ship", 1)
	claimed, _ := w.addIssue(t, lonely, "login", 1)
	merged, _ := w.addIssue(t, project, "pay again", 1)
	w.sendAdmin(t, fmt.Sprintf("/v1/issues/%d/resolve", resolved), ``)
	w.addFix(t, project)
	sourceMap, _, err := w.Store.PutSourceMap(t.Context(), core.NewBootstrapActor(), store.NewSourceMap{
		ProjectID: project, ID: 7, Release: "shop@1", Name: "~/app.js?<v>", Path: "/app.js", Size: 4096, Sources: 3,
		Blob: store.NameBlob(strings.Repeat("0", 64), 7),
	})
	require.NoError(t, err)
	w.sendAdmin(t, fmt.Sprintf("/v1/issues/%d/notes", issue), `{"text": "seen <before> & after"}`)
	_, err = w.Store.RequestApproval(t.Context(), core.NewSystemActor("reviewer"), store.IgnoreIssue{ID: issue})
	require.NoError(t, err)
	w.runSQL(t, `UPDATE issues SET status = 'merged', merged_into = $2 WHERE id = $1`, merged, issue)
	answer := w.SendRequest(t, surfacetest.Request{Method: http.MethodPost, Path: fmt.Sprintf("/v1/issues/%d/claim", claimed),
		Token: w.tokens["agent"]})
	require.Equal(t, http.StatusOK, answer.Status, answer.Body)
	webhook, pending, ended := w.addWebhook(t, project)
	w.values = map[string]string{
		"webhook": fmt.Sprint(webhook), "pending": fmt.Sprint(pending), "ended": fmt.Sprint(ended),
		"project": fmt.Sprint(project), "key": keys(project)[0], "lonely": fmt.Sprint(lonely), "lastkey": keys(lonely)[0],
		"issue": fmt.Sprint(issue), "resolved": fmt.Sprint(resolved), "claimed": fmt.Sprint(claimed), "merged": fmt.Sprint(merged),
		"missing": fmt.Sprint(missingID), "event": fmt.Sprint(event), "map": fmt.Sprint(sourceMap.ID),
		"issuecursor": w.makeCursor(t, project, core.ByLastSeen), "prioritycursor": w.makeCursor(t, project, core.ByPriority),
		"eventcursor":    string(core.ListPosition{Sort: "received_at", At: now, ID: event}.Cursor()),
		"approvalcursor": string(core.ListPosition{Sort: "requested_at", At: now.Add(time.Second), ID: 1}.Cursor()),
	}
	next := core.ListPosition{Sort: "created_at", Filters: pg.DigestFilter(webhook), At: now.Add(time.Second), ID: 1}
	w.values["deliverycursor"] = string(next.Cursor())
	return w
}

// addWebhook makes a webhook with a pending and a failed delivery.
func (w *world) addWebhook(t *testing.T, project int64) (webhook, pending, ended int64) {
	t.Helper()
	webhook, err := w.Store.TakeWebhookID(t.Context())
	require.NoError(t, err)
	_, err = w.Store.CreateWebhook(t.Context(), core.NewBootstrapActor(), store.NewWebhook{
		ID: webhook, ProjectID: project, Name: "runner <1>", Format: core.FormatService, SpikeThreshold: 100,
		Events: []core.WebhookEvent{core.IssueNew, core.IssueSpike}, MinTrust: core.TrustLow, URL: "https://runner.example/hook?key=secret",
	})
	require.NoError(t, err)
	pending, err = w.Store.AddPing(t.Context(), webhook)
	require.NoError(t, err)
	ended, err = w.Store.AddPing(t.Context(), webhook)
	require.NoError(t, err)
	w.runSQL(t, `UPDATE deliveries SET status = 'failed', attempts = 8, last_status = 500, last_error = 'answered 500', next_attempt_at = NULL
		WHERE id = $1`, ended)
	return webhook, pending, ended
}

// makeCursor returns the cursor after the first issue of a project.
func (w *world) makeCursor(t *testing.T, project int64, sort core.IssueSort) string {
	t.Helper()
	page, err := w.Store.ListIssues(t.Context(), store.IssueFilter{ProjectID: project, Sort: sort, Paging: core.Paging{Limit: 1}})
	require.NoError(t, err)
	require.NotEmpty(t, page.NextCursor)
	return string(page.NextCursor)
}

// valueOf returns the value of a $name in a case.
func (w *world) valueOf(name string) string {
	value, known := w.values[name]
	if !known {
		panic("parityCases: no value is called " + name)
	}
	return value
}

func (w *world) tokenOf(actor string) string {
	token, known := w.tokens[actor]
	if !known {
		panic("parityCases: no actor is called " + actor)
	}
	return token
}

// addFix makes a release bring a fix, which is verified, and adds a release whose name is hard to write in a path.
func (w *world) addFix(t *testing.T, project int64) {
	t.Helper()
	fixed, _ := w.addIssue(t, project, "refund", 1)
	w.sendAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", fixed), `{"commit": "1a2b3c4d5e6f"}`)
	w.sendAdmin(t, "/v1/deploys", fmt.Sprintf(`{"project": %d, "commit": "1a2b3c4", "release": "shop@1"}`, project))
	w.sendAdmin(t, "/v1/deploys", fmt.Sprintf(`{"project": %d, "commit": "2b3c4d5", "release": "feature/ü 1%%2F?#"}`, project))
	w.runSQL(t, `UPDATE fixes SET outcome = 'verified', outcome_at = $1, verified_at = $1`, w.now)
	w.runSQL(t, `UPDATE issues SET status = 'verified' WHERE id = $1`, fixed)
}

// sendAdmin makes a call, which must succeed.
func (w *world) sendAdmin(t *testing.T, path, body string) {
	t.Helper()
	answer := w.SendAsAdmin(t, http.MethodPost, path, body)
	require.Less(t, answer.Status, http.StatusBadRequest, answer.Body)
}

// addIssue makes an issue with events, and returns the ids of the issue and of the first event.
func (w *world) addIssue(t *testing.T, project int64, title string, events int) (issue, event int64) {
	t.Helper()
	at := core.At(w.now)
	var list []intake.NewEvent
	for n := range events {
		e := intake.NewEvent{
			ProjectID: project, OccurredAt: at, ReceivedAt: at, Fingerprint: sha256.Sum256([]byte(title)), Version: 1,
			Title: title + " <failed> & gone", Type: "Error", Level: "error", Platform: "go", Source: core.SourceServer,
			Release: "shop@1", Environment: "production", Payload: intake.PackPlain(fmt.Appendf(nil, `{"platform":"go","message":%q}`, title)),
		}
		id := sha256.Sum256(fmt.Append(nil, title, n))
		copy(e.EventID[:], id[:])
		list = append(list, e)
	}
	added, err := w.Store.Intake.AddEvents(t.Context(), list)
	require.NoError(t, err)
	return added[0].IssueID, added[0].ID
}

func (w *world) runSQL(t *testing.T, sql string, args ...any) {
	t.Helper()
	rows, err := storetest.QuerySQL(t.Context(), w.Store, sql, args...)
	require.NoError(t, err)
	rows.Close()
	require.NoError(t, rows.Err())
}

// readState returns everything that calls can change, as JSON.
func (w *world) readState(t *testing.T) []string {
	t.Helper()
	rows, err := storetest.QuerySQL(t.Context(), w.Store, `
SELECT to_jsonb(a)::text FROM activity a UNION ALL SELECT to_jsonb(i)::text FROM issues i
UNION ALL SELECT to_jsonb(r)::text FROM approvals r UNION ALL SELECT to_jsonb(p)::text FROM projects p UNION ALL SELECT to_jsonb(k)::text
	FROM project_keys k
UNION ALL SELECT to_jsonb(s)::text FROM setup_apps s UNION ALL SELECT to_jsonb(sk)::text FROM setup_keys sk
UNION ALL SELECT to_jsonb(d)::text FROM deploys d UNION ALL SELECT to_jsonb(f)::text FROM fixes f ORDER BY 1`)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return list
}
