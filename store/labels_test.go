package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// listLabels returns all labels, oldest first, as label or label<corrects.
func listLabels(t testing.TB, s *store.Store, since core.Since) []string {
	t.Helper()
	page, err := s.ListLabels(t.Context(), since, core.Paging{Limit: 1000})
	require.NoError(t, err)
	require.Empty(t, page.NextCursor)
	list := make([]string, len(page.Data))
	for i, l := range page.Data {
		text := l.Label
		if l.Corrects != "" {
			text += "<" + string(l.Corrects)
		}
		list[len(list)-1-i] = text
	}
	return list
}

func TestLabelsOfDecisions(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	set := func(to core.Status) {
		t.Helper()
		c.Forward(time.Minute)
		_, err := s.SetIssueStatus(t.Context(), ann, id, to)
		require.NoError(t, err)
	}
	for _, to := range []core.Status{core.Resolved, core.Unresolved, core.Ignored, core.Unresolved, core.Ignored, core.Resolved} {
		set(to)
	}
	c.Forward(time.Minute)
	storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 2, s.Now()))
	storetest.ChangeRows(t, s, `UPDATE issues SET status = 'fix_pending'`)
	set(core.Unresolved)
	_, err := s.AddNote(t.Context(), ann, id, "no label")
	require.NoError(t, err)
	_, err = s.ClaimIssue(t.Context(), ann, id, 10)
	require.NoError(t, err)
	_, err = s.ReleaseIssue(t.Context(), ann, id, "")
	require.NoError(t, err)
	requestApproval(t, s, ann, store.IgnoreIssue{ID: id})
	require.Equal(t, []string{
		"resolved", "unresolved<resolved", "ignored", "unresolved<ignored", "ignored", "resolved", "regressed<resolved", "unresolved",
	}, listLabels(t, s, ""))

	page, err := s.ListLabels(t.Context(), "", core.Paging{Limit: 2})
	require.NoError(t, err)
	regressed := page.Data[1]
	require.JSONEq(t, `{"from": "resolved", "to": "unresolved"}`, string(regressed.Data))
	rows := storetest.ReadActivity(t, s, id)
	require.Positive(t, regressed.ID)
	regressed.ID, regressed.Data = 0, nil
	require.Equal(t, core.Label{
		At: rows[6].At, IssueID: id, Label: "regressed", ActorType: core.ActorSystem, ActorName: "ingest", Corrects: "resolved",
	}, regressed)

	require.Equal(t, []string{"regressed<resolved", "unresolved"}, listLabels(t, s, storetest.SinceTime(rows[6].At.Time)), "since is included")
	require.Empty(t, listLabels(t, s, storetest.SinceTime(c.Now.Add(time.Millisecond))))
}

// insertActivityByHand inserts rows of actions, a second apart.
const insertActivityByHand = `
INSERT INTO activity (project_id, id, at, actor_type, actor_name, action, target_type, target_id, data)
SELECT 1000000001, $1 + n, $2::timestamptz + n * interval '1 second', 'token', 'agent-1', $3, 'issue', 7, $4::jsonb
	FROM generate_series(1, $5) AS n`

func TestLabelsOfEveryAction(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	for i, c := range []struct{ action, data, want string }{
		{"issue.merge", `{"source_ids": [3]}`, "merged"},
		{"issue.split", `{"new_issue_id": 8, "event_ids": [1]}`, "split<grouping"},
		{"issue.split_from", `{"issue_id": 7}`, ""},
		{"issue.triage_correction", `{"from": {"category": "bug"}, "to": {"category": "network"}, "note": null}`, "triage_corrected<triage"},
		{"issue.regress", `{"from": "verified", "to": "regressed"}`, "regressed"},
		{"issue.regress", `null`, "regressed"},
		{"issue.unresolve", `{"from": "regressed", "to": "unresolved"}`, "unresolved"},
		{"issue.ignore", `{"from": "resolved", "to": "ignored"}`, "ignored"},
		{"issue.fix", `{"kind": "commit", "ref": "1234567", "from": "resolved", "to": "fix_pending"}`, ""},
		{"issue.verify", `null`, ""},
	} {
		storetest.ChangeRows(t, s, `DELETE FROM activity`)
		storetest.ChangeRows(t, s, insertActivityByHand, i*10, storetest.Noon, c.action, c.data, 1)
		require.Equal(t, c.want, strings.Join(listLabels(t, s, ""), " "), c.action)
	}
}

func TestLabelsArePaged(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.ChangeRows(t, s, insertActivityByHand, 20000, storetest.Noon, "issue.note", `{"text": "x"}`, 50)
	storetest.ChangeRows(t, s, insertActivityByHand, 100, storetest.Noon, "issue.resolve", `{"from": "unresolved", "to": "resolved"}`, 5)
	var got []int64
	page := core.Paging{Limit: 2}
	for range 2 {
		list, err := s.ListLabels(t.Context(), storetest.SinceTime(storetest.Noon.Add(2*time.Second)), page)
		require.NoError(t, err)
		for _, l := range list.Data {
			got = append(got, l.ID)
		}
		page.Cursor = list.NextCursor
	}
	require.Equal(t, []int64{105, 104, 103, 102}, got)
	require.Empty(t, page.Cursor)
}

func TestCursorOfOtherLabelsIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.ChangeRows(t, s, insertActivityByHand, 100, storetest.Noon, "issue.resolve", `{"from": "unresolved", "to": "resolved"}`, 5)
	first, err := s.ListLabels(t.Context(), storetest.SinceTime(storetest.Noon), core.Paging{Limit: 2})
	require.NoError(t, err)

	_, err = s.ListLabels(t.Context(), storetest.SinceTime(storetest.Noon.Add(time.Second)), core.Paging{Limit: 2, Cursor: first.NextCursor})

	storetest.RequireCode(t, core.InvalidRequest, err)
}

// TestLabelsAreReadFromTheirIndex checks that a page of labels does not read the notes and claims around them.
func TestLabelsAreReadFromTheirIndex(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.ChangeRows(t, s, insertActivityByHand, 20000, storetest.Noon, "issue.note", `{"text": "x"}`, 5000)
	storetest.ChangeRows(t, s, insertActivityByHand, 10000, storetest.Noon, "issue.resolve", `{"from": "unresolved", "to": "resolved"}`, 20)
	for _, condition := range []string{"true", fmt.Sprintf("at >= '%s' AND (at, id) < ('%s', 10010)", storetest.Noon.Format(time.RFC3339),
		storetest.Noon.Add(time.Hour).Format(time.RFC3339))} {
		plan := strings.Join(storetest.ReadColumn[string](t, s,
			`EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) `+store.LabelColumns+` WHERE `+store.LabelActions+
				` AND `+condition+` ORDER BY at DESC, id DESC LIMIT 11`), "\n")
		require.Contains(t, plan, "Index Scan using activity_labels", plan)
		require.Contains(t, plan, "rows=11", plan)
		require.NotContains(t, plan, "Removed by Filter", plan)
		require.NotContains(t, plan, "Sort", plan)
	}
}

func TestActivityOfTheWholeInstallation(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	c.Forward(time.Minute)
	token, err := s.CreateToken(t.Context(), core.NewBootstrapActor(),
		store.NewToken{Name: "ci", Hash: []byte{1}, Prefix: "ck_1", Scopes: []core.Scope{core.Admin}})
	require.NoError(t, err)
	c.Forward(time.Minute)
	_, err = s.ClaimIssue(t.Context(), ann, id, 10)
	require.NoError(t, err)
	var got []string
	page := core.Paging{Limit: 2}
	for range 2 {
		list, err := s.ListActivity(t.Context(), store.ActivityFilter{Paging: page})
		require.NoError(t, err)
		for _, a := range list.Data {
			got = append(got, fmt.Sprintf("%s of %s %d by %s, data %t", a.Action, a.TargetType, a.TargetID, a.ActorName, a.Data != nil))
		}
		page.Cursor = list.NextCursor
	}
	require.Equal(t, []string{
		fmt.Sprintf("issue.claim of issue %d by agent-1, data true", id),
		fmt.Sprintf("token.create of token %d by ADMIN_TOKEN, data false", token.ID),
		fmt.Sprintf("project.create of project %d by ADMIN_TOKEN, data false", storetest.Shop),
	}, got)
	require.Empty(t, page.Cursor)
}
