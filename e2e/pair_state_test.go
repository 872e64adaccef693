//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// withIssues makes a project with some issues of one event each, and returns their ids.
func (s *server) withIssues(name string, count int) (slug string, ids []int64) {
	s.t.Helper()
	text, slug := s.makeProject(name)
	key := parseDSN(s.t, text).key
	for n := range count {
		body := fmt.Sprintf(`{"message":"of kind %d","fingerprint":["%d"]}`, n, n)
		require.Equal(s.t, http.StatusOK, s.callAPI("", "POST", "/v1/ingest?key="+key, body, nil))
	}
	var list struct{ Data []struct{ ID int64 } }
	require.Equal(s.t, http.StatusOK, s.callAPI(adminToken, "GET", "/v1/issues?limit=100&project="+slug, "", &list))
	require.Len(s.t, list.Data, count)
	for _, i := range list.Data {
		ids = append(ids, i.ID)
	}
	return slug, ids
}

// activityRow is a change in the timeline.
type activityRow struct {
	Action    string
	ActorName string `json:"actor_name"`
	TargetID  int64  `json:"target_id"`
}

// countActivity returns how often each change is in the timeline.
func (s *server) countActivity() map[activityRow]int {
	s.t.Helper()
	rows := map[activityRow]int{}
	cursor := ""
	for {
		var page struct {
			Data       []activityRow
			NextCursor string `json:"next_cursor"`
		}
		require.Equal(s.t, http.StatusOK, s.callAPI(adminToken, "GET", "/v1/activity?limit=100"+cursor, "", &page))
		for _, r := range page.Data {
			rows[r]++
		}
		if page.NextCursor == "" {
			return rows
		}
		cursor = "&cursor=" + page.NextCursor
	}
}

// approvalRequest is a held action in a list.
type approvalRequest struct {
	ID        int64
	Status    string
	DecidedBy string `json:"decided_by"`
}

// decision is an admin's decision about a held action, and its result.
type decision struct{ path, token, by, action, status string }

// decideOnBoth sends each server its decision at the same time. It returns which decision was carried out; the other
// one must have come too late.
func decideOnBoth(t *testing.T, pair [2]*server, decisions [2]decision, approval int64) (winner int) {
	t.Helper()
	var status [2]int
	var answers [2]struct{ Error string }
	var deciding sync.WaitGroup
	for n, d := range decisions {
		deciding.Go(func() {
			status[n] = pair[n].callAPI(d.token, "POST", fmt.Sprintf("/v1/approvals/%d/%s", approval, d.path), "", &answers[n])
		})
	}
	deciding.Wait()
	if status[1] == http.StatusOK {
		winner = 1
	}
	require.Equal(t, http.StatusOK, status[winner])
	require.Equal(t, http.StatusConflict, status[1-winner])
	require.Equal(t, "approval_not_pending", answers[1-winner].Error)
	return winner
}

// TestFaultDecidedOnBothServers asks for approval on one server. One admin approves on the other while another admin
// rejects on the first. One decision counts, and the action is done once or not at all.
func TestFaultDecidedOnBothServers(t *testing.T) {
	t.Parallel()
	pair, database := startPair(t, "REQUIRE_APPROVAL=ignore")
	_, issues := pair[0].withIssues("Shop", 20)
	agent := pair[0].makeToken("agent")
	_, rejecter := pair[0].makeTokenWith("rejecter", "admin")
	_, approver := pair[1].makeTokenWith("approver", "admin")
	decisions := [2]decision{
		{"reject", rejecter, "rejecter", "approval.reject", "rejected"},
		{"approve", approver, "approver", "approval.approve", "approved"},
	}
	want := map[activityRow]int{}
	decided := map[int64]approvalRequest{}
	for _, issue := range issues {
		var held struct {
			Status     string
			ApprovalID int64 `json:"approval_id"`
		}
		require.Equal(t, http.StatusAccepted, pair[0].callAPI(agent, "POST", fmt.Sprintf("/v1/issues/%d/ignore", issue), "", &held))
		require.Equal(t, "approval_required", held.Status)
		want[activityRow{"approval.request", "agent", held.ApprovalID}]++

		winner := decideOnBoth(t, pair, decisions, held.ApprovalID)
		d := decisions[winner]
		want[activityRow{d.action, d.by, held.ApprovalID}]++
		ignored := "unresolved"
		if winner == 1 {
			ignored = "ignored"
			want[activityRow{"issue.ignore", "agent", issue}]++
		}
		decided[held.ApprovalID] = approvalRequest{held.ApprovalID, d.status, d.by}
		for _, s := range pair {
			var shown struct{ Data struct{ Status string } }
			require.Equal(t, http.StatusOK, s.callAPI(adminToken, "GET", fmt.Sprintf("/v1/issues/%d", issue), "", &shown))
			require.Equal(t, ignored, shown.Data.Status)
		}
	}
	for _, s := range pair {
		var list struct{ Data []approvalRequest }
		require.Equal(t, http.StatusOK, s.callAPI(adminToken, "GET", "/v1/approvals?limit=100", "", &list))
		require.Len(t, list.Data, len(issues))
		for _, r := range list.Data {
			require.Equal(t, decided[r.ID], r)
		}
		rows := s.countActivity()
		for r := range rows {
			if r.Action == "project.create" || r.Action == "token.create" {
				delete(rows, r)
			}
		}
		require.Equal(t, want, rows)
	}
	t.Logf("%d of %d approved", len(want)-2*len(issues), len(issues))
	pair[0].stopServer()
	pair[1].stopServer()
	requireNoDeadlocks(t, database)
}

// TestFaultClaimsOfBothServers makes a claim on one server, then sees, renews and ends it on the other.
func TestFaultClaimsOfBothServers(t *testing.T) {
	t.Parallel()
	pair, database := startPair(t)
	_, issues := pair[0].withIssues("Shop", 2)
	id, first := pair[0].makeTokenWith("first", "issues:read", "issues:write")
	second := pair[1].makeToken("second")
	type claim struct {
		Holder    string
		ExpiresAt time.Time `json:"expires_at"`
	}
	var answer struct {
		Error string
		Claim *claim
		Data  struct{ Claim *claim }
	}
	ask := func(n int, token, method, path string, issue int64) int {
		answer.Claim, answer.Data.Claim = nil, nil
		return pair[n].callAPI(token, method, fmt.Sprintf("/v1/issues/%d%s", issue, path), "", &answer)
	}
	require.Equal(t, http.StatusOK, ask(0, first, "POST", "/claim", issues[0]))
	require.Equal(t, http.StatusOK, ask(0, first, "POST", "/claim", issues[1]))
	held := *answer.Data.Claim
	require.Equal(t, "first", held.Holder)
	require.Equal(t, http.StatusOK, ask(1, second, "GET", "", issues[1]))
	require.Equal(t, held, *answer.Data.Claim)
	require.Equal(t, http.StatusConflict, ask(1, second, "POST", "/claim", issues[1]))
	require.Equal(t, held, *answer.Claim)
	require.Equal(t, http.StatusForbidden, ask(1, second, "POST", "/release", issues[1]))
	require.Equal(t, http.StatusOK, ask(1, first, "POST", "/claim", issues[1]), "its own one, renewed on the other server")

	db, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { _ = db.Close(t.Context()) }()
	_, err = db.Exec(t.Context(), `UPDATE issues SET claim_expires_at = now() - interval '1 second' WHERE id = $1`, issues[0])
	require.NoError(t, err)
	for n := range pair {
		require.Equal(t, http.StatusOK, ask(n, second, "GET", "", issues[0]))
		require.Nil(t, answer.Data.Claim, "it has expired")
	}
	require.Equal(t, http.StatusOK, ask(1, second, "POST", "/claim", issues[0]))
	require.Equal(t, http.StatusConflict, ask(0, first, "POST", "/claim", issues[0]))
	require.Equal(t, "second", answer.Claim.Holder)

	// A revoked token renews and releases nothing on any server, and its claims end with it.
	require.Equal(t, http.StatusNoContent, pair[0].callAPI(adminToken, "DELETE", fmt.Sprintf("/v1/tokens/%d", id), "", nil))
	for n := range pair {
		require.Equal(t, http.StatusUnauthorized, ask(n, first, "POST", "/claim", issues[1]))
		require.Equal(t, http.StatusUnauthorized, ask(n, first, "POST", "/release", issues[1]))
	}
	require.Equal(t, http.StatusOK, ask(1, second, "POST", "/claim", issues[1]))
	require.Equal(t, "second", answer.Data.Claim.Holder)
}

// TestFaultDeletedOnTheOtherServer deletes a project on one server: the other hides it immediately, and its tokens end.
func TestFaultDeletedOnTheOtherServer(t *testing.T) {
	t.Parallel()
	pair, _ := startPair(t)
	slug, issues := pair[1].withIssues("Shop", 3)
	var bound struct{ Data struct{ Token string } }
	require.Equal(t, http.StatusCreated, pair[1].callAPI(adminToken, "POST", "/v1/tokens",
		`{"name":"bound","scopes":["issues:read"],"project":"`+slug+`"}`, &bound))
	list := "/v1/issues?project=" + slug
	require.Equal(t, http.StatusOK, pair[1].callAPI(bound.Data.Token, "GET", list, "", nil))
	before := pair[1].countActivity()

	require.Equal(t, http.StatusNoContent, pair[0].callAPI(adminToken, "DELETE", "/v1/projects/"+slug, "", nil))
	require.Equal(t, http.StatusUnauthorized, pair[1].callAPI(bound.Data.Token, "GET", list, "", nil))
	require.Equal(t, http.StatusNotFound, pair[1].callAPI(adminToken, "DELETE", "/v1/projects/"+slug, "", nil))
	require.Equal(t, http.StatusNotFound, pair[1].callAPI(adminToken, "GET", list, "", nil))
	for _, issue := range issues {
		for _, path := range []string{"", "/events", "/activity"} {
			require.Equal(t, http.StatusNotFound, pair[1].callAPI(adminToken, "GET", fmt.Sprintf("/v1/issues/%d%s", issue, path), "", nil), path)
		}
	}
	for _, path := range []string{"/v1/projects", "/v1/issues"} {
		var empty struct{ Data []any }
		require.Equal(t, http.StatusOK, pair[1].callAPI(adminToken, "GET", path, "", &empty))
		require.Empty(t, empty.Data, path)
	}
	after := pair[1].countActivity()
	for row := range before {
		require.Positive(t, after[row], "%+v", row)
	}
	_, again := pair[1].makeProject("Shop")
	require.Equal(t, slug, again, "the name is free")
}

// fillProject adds issues, events and hours to a project without the server.
const fillProject = `
WITH numbers AS (SELECT n, 5000000000 + n AS id FROM generate_series(1, 12000) AS n
), issues AS (
	INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status, status_at, times_seen,
		stored_events, users_affected, first_seen, last_seen, first_release, last_release)
	SELECT $1, id, int8send(n), 1, 'boom', '', '', 'error', 'go', 'unresolved', now(), 1, 1, 0, now(), now(), '', '' FROM numbers
), hours AS (
	INSERT INTO issue_hours SELECT $1, id, date_trunc('hour', now()), 1 FROM numbers)
INSERT INTO events (project_id, issue_id, id, received_at, occurred_at, event_id, level, release, environment, dictionary, payload)
SELECT $1, id, id, now(), now(), gen_random_uuid(), 'error', '', '', 0, '' FROM numbers`

// TestFaultPurgeGoesOnElsewhere kills a server while it deletes the rows of a project. The other one continues once
// the job counts as lost, which takes two minutes, so it runs only with E2E_SLOW=1.
func TestFaultPurgeGoesOnElsewhere(t *testing.T) {
	if os.Getenv("E2E_SLOW") != "1" {
		t.Skip("takes two minutes; set E2E_SLOW=1")
	}
	t.Parallel()
	database := newDatabase(t)
	killed := startServerOn(t, newDir(t), "DATABASE_URL="+database)
	text, slug := killed.makeProject("Shop")
	project := parseDSN(t, text).id
	db, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { _ = db.Close(t.Context()) }()
	_, err = db.Exec(t.Context(), fillProject, project)
	require.NoError(t, err)
	count := func(sql string) (n int) {
		if db.QueryRow(t.Context(), sql, project).Scan(&n) != nil {
			return -1
		}
		return n
	}
	require.Equal(t, http.StatusNoContent, killed.callAPI(adminToken, "DELETE", "/v1/projects/"+slug, "", nil))

	// A lock on one row stops the purge in the middle.
	lock, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), `BEGIN`)
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), `SELECT FROM projects p JOIN issue_hours h ON h.project_id = p.id WHERE p.id = $1 FOR UPDATE OF h`,
		project)
	require.NoError(t, err)
	_, err = db.Exec(t.Context(), `UPDATE projects SET deleted_at = deleted_at - interval '1 hour' WHERE id = $1`, project)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return count(`
SELECT count(*) FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND query LIKE 'DELETE FROM "issue_hours"%' AND $1::bigint > 0`) > 0
	}, time.Minute, 100*time.Millisecond)
	other := startServerOn(t, newDir(t), "DATABASE_URL="+database)
	require.NoError(t, killed.cmd.Process.Kill())
	_ = killed.cmd.Wait()
	require.NoError(t, lock.Close(t.Context()))
	require.Positive(t, count(`SELECT count(*) FROM issues WHERE project_id = $1`))
	begin := time.Now()
	require.Eventually(t, func() bool {
		return count(`SELECT count(*) FROM projects WHERE id = $1 AND purged_at IS NOT NULL`) == 1
	}, 4*time.Minute, 500*time.Millisecond)
	t.Logf("went on and was done after %s", time.Since(begin).Round(time.Second))
	for _, table := range []string{"issues", "issue_hours", "events", "project_keys"} {
		require.Zero(t, count(`SELECT count(*) FROM `+table+` WHERE project_id = $1`), table)
	}
	require.Positive(t, other.countActivity()[activityRow{"project.create", "ADMIN_TOKEN", project}])
}
