package tools_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
)

// payIssue is the issue of one event pay, as on the wire.
func payIssue(id int64) object {
	return object{
		"id": id, "project_id": shop, "project": "shop", "notes": 0,
		"title": "Error: pay", "culprit": "shop in pay", "type": "Error", "level": "error", "platform": "go",
		"status": "unresolved", "times_seen": 1, "stored_events": 1, "events_24h": 1, "events_7d": 1, "users_affected": 0, "priority": 4,
		"first_seen": noonText, "last_seen": noonText, "first_release": "1.0", "last_release": "1.0",
		"fingerprint": "9350872d712a127c494d7dc35e46b0bc9e62e288239708e581dfc3a1400154a4", "fingerprint_version": 1, "merged_into": nil,
		"claim": nil, "approval": nil, "trust": "high", "source_trust": "high", "source": "server", "triage": payTriage(),
	}
}

// changeOps are the operations that change an issue.
var changeOps = []*core.Operation{
	core.ResolveIssue.Operation, core.IgnoreIssue.Operation, core.UnresolveIssue.Operation, core.ClaimIssue.Operation,
	core.ReleaseIssue.Operation,
}

func TestListIssues(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.ListIssues.Operation
	idle := object{"state": "idle", "events_24h": 0, "last_event_at": nil, "quota_used": 0, "quota": nil, "too_many_issues": false}
	h.sameJSON(object{"data": []any{}, "next_cursor": nil, "ingest": idle}, h.mustCall(reader, op, `{}`))

	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	state := object{"state": "ok", "events_24h": 1, "last_event_at": noonText, "quota_used": 1, "quota": nil, "too_many_issues": false}
	h.sameJSON(object{"data": []any{payIssue(pay)}, "next_cursor": nil, "ingest": state}, h.mustCall(reader, op, `{}`))
	h.changeRows(`UPDATE projects SET daily_quota = 1`)
	for _, ref := range []string{`"shop"`, `1000000001`, `"1000000001"`} {
		h.sameJSON(object{"data": []any{payIssue(pay)}, "next_cursor": nil,
			"ingest": withChanges(state, object{"state": "over_quota", "quota": 1})},
			h.mustCall(reader, op, `{"project": `+ref+`}`))
	}
	h.sameJSON(object{"error": "project_not_found"}, h.mustFail(reader, op, `{"project": "office"}`))
}

func TestListIssuesShowsAbsentValuesAsNull(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	e := h.newEvent("pay", 1)
	e.Culprit, e.Type, e.Release, e.Environment = "", "", "", ""
	pay := h.addEvents(e).IssueID
	h.changeRows(`UPDATE project_seen SET server_seen_at = NULL`)
	h.sameJSON(object{"data": withChanges(payIssue(pay), object{
		"culprit": nil, "type": nil, "first_release": nil, "last_release": nil, "source": nil,
		"latest_event_id": 1, "test": false, "fix": nil, "ignored_until": nil,
		"triage": withChanges(payTriage(), object{
			"category": "unknown", "agent_fixable": false, "confidence": 0.2, "reasons": []any{"The rules do not know this message."},
		}),
	})}, h.mustCall(reader, core.GetIssue.Operation, idArgs(pay)))
}

func TestListIssuesPassesEveryFilterOn(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.ListIssues.Operation
	pay := h.newEvent("pay", 1)
	pay.Release, pay.Environment = "2.0", "staging"
	h.addEvents(pay)
	resolved := h.addEvents(h.newEvent("resolved", 1)).IssueID
	h.mustCall(writer, core.ResolveIssue.Operation, idArgs(resolved))
	claimed := h.addEvents(h.newEvent("claimed", 1)).IssueID
	h.mustCall(writer, core.ClaimIssue.Operation, idArgs(claimed))
	test := h.newEvent("test", 1)
	test.Test = true
	h.addEvents(test)
	h.now = noon.Add(time.Hour)
	h.addEvents(h.newEvent("later", 1))
	for args, want := range map[string][]string{
		`{}`:                            {"later", "claimed", "resolved", "pay"},
		`{"status": "resolved"}`:        {"resolved"},
		`{"status": "open"}`:            {"later", "claimed", "pay"},
		`{"project": "SHOP"}`:           {"later", "claimed", "resolved", "pay"},
		`{"fields": "id,title"}`:        {"later", "claimed", "resolved", "pay"},
		`{"release": "2.0"}`:            {"pay"},
		`{"environment": "staging"}`:    {"pay"},
		`{"since": "59m"}`:              {"later"},
		`{"since": "1h"}`:               {"later", "claimed", "resolved", "pay"},
		`{"since": "2026-03-14T13:00"}`: {"later"},
		`{"since": "2026-03-15"}`:       {},
		`{"search": "LATE"}`:            {"later"},
		`{"claimed": true}`:             {"claimed"},
		`{"claimed": "false"}`:          {"later", "resolved", "pay"},
		`{"claimed": null}`:             {"later", "claimed", "resolved", "pay"},
		`{"test": true}`:                {"test"},
		`{"limit": 2}`:                  {"later", "claimed"},
		`{"sort": "last_seen"}`:         {"later", "claimed", "resolved", "pay"},
		`{"sort": "priority"}`:          {"later", "claimed", "resolved", "pay"},
	} {
		var page struct {
			Data []struct{ Title string }
		}
		decodeInto(t, h.mustCall(reader, op, args), &page)
		titles := []string{}
		for _, i := range page.Data {
			titles = append(titles, i.Title[len("Error: "):])
		}
		require.Equal(t, want, titles, args)
	}
	for args, field := range map[string]string{
		`{"status": "closed"}`: "status", `{"search": "is:unresolved"}`: "search", `{"fields": "id,titel"}`: "fields",
		`{"since": "soon"}`: "since", `{"limit": 0}`: "limit", `{"limit": 101}`: "limit",
		`{"cursor": "x"}`:      "cursor",
		`{"claimed": "maybe"}`: "claimed", `{"sort": "id"}`: "sort", `{"search": "a\u0000"}`: "search", `{"query": "pay"}`: "query",
	} {
		h.mustRefuse(op, args, field)
	}
	_, refused := h.callOperation(reader, op, `{"search": "is:Unresolved"}`)
	require.Contains(t, refused.Details[0].Message, "is the filter status=open", "regressed ones are work too")
}

// TestSearchIsText searches for texts that look like filters.
func TestSearchIsText(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.ListIssues.Operation
	for _, text := range []string{"HTTP status: 500 assigned:", "answered status:500", "no release:2 of project:shop", "is:broken"} {
		h.mustCall(reader, op, `{"search": "`+text+`"}`)
	}
	for text, filter := range map[string]string{
		"TypeError is:ignored": "status=ignored", "project:shop": "project=shop", "assigned:me status:500": "claimed=true",
	} {
		_, refused := h.callOperation(reader, op, `{"search": "`+text+`"}`)
		require.Contains(t, refused.Details[0].Message, "is the filter "+filter)
	}
}

func TestListsArePaged(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	var pay int64
	for n := range 5 {
		h.addEvents(h.newEvent(fmt.Sprint(n), 1))
		pay = h.addEvents(h.newEvent("pay", n)).IssueID
		h.mustCall(writer, core.AddNote.Operation, fmt.Sprintf(`{"id": %d, "text": "note"}`, pay))
	}
	cursors := map[string]string{}
	for _, list := range []struct {
		op    *core.Operation
		args  string
		total int
	}{
		{core.ListIssues.Operation, `"limit": 2`, 6},
		{core.ListIssueEvents.Operation, fmt.Sprintf(`"id": %d, "limit": 2`, pay), 5},
		{core.ListIssueActivity.Operation, fmt.Sprintf(`"id": %d, "limit": 2`, pay), 5},
	} {
		seen := map[int64]bool{}
		for args := list.args; args != ""; {
			var page struct {
				Data       []struct{ ID int64 }
				NextCursor string `json:"next_cursor"`
			}
			decodeInto(t, h.mustCall(reader, list.op, `{`+args+`}`), &page)
			for _, row := range page.Data {
				seen[row.ID] = true
			}
			args = ""
			if page.NextCursor != "" {
				require.Len(t, page.Data, 2)
				require.Less(t, len(seen), list.total, "the pages do not end")
				args = fmt.Sprintf(`%s, "cursor": %q`, list.args, page.NextCursor)
				cursors[list.op.Name] = page.NextCursor
			}
		}
		require.Len(t, seen, list.total, list.op.Name)
	}
	h.mustRefuse(core.ListIssues.Operation, fmt.Sprintf(`{"cursor": %q}`, cursors["list_issue_events"]), "cursor")
	h.mustRefuse(core.ListIssueEvents.Operation, fmt.Sprintf(`{"id": %d, "cursor": %q}`, pay, cursors["list_issues"]), "cursor")
	h.mustRefuse(core.ListIssueActivity.Operation, fmt.Sprintf(`{"id": %d, "cursor": %q}`, pay, cursors["list_issues"]), "cursor")
}

func TestGetIssue(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	added := h.addEvents(h.newEvent("pay", 1))
	want := withChanges(payIssue(added.IssueID), object{"latest_event_id": added.ID, "test": false, "fix": nil, "ignored_until": nil})
	h.sameJSON(object{"data": want}, h.mustCall(reader, core.GetIssue.Operation, idArgs(added.IssueID)))

	h.changeRows(`UPDATE issues SET status = 'merged', merged_into = 99, test = true, latest_event_id = NULL, users_affected = 3`)
	h.sameJSON(object{"data": withChanges(want, object{
		"status": "merged", "merged_into": 99, "test": true, "latest_event_id": nil, "users_affected": 3, "priority": 16,
	})}, h.mustCall(reader, core.GetIssue.Operation, fmt.Sprintf(`{"id": "%d"}`, added.IssueID)))
}

func TestIssueEvents(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	added := h.addEvents(h.newEvent("pay", 1))
	row := object{
		"id": added.ID, "issue_id": added.IssueID, "project_id": shop, "event_id": fmt.Sprintf("%x", h.newEvent("pay", 1).EventID),
		"timestamp": noonText, "received_at": noonText, "level": "error", "release": "1.0", "environment": "production",
		"user_hash": nil,
	}
	h.sameJSON(object{"data": []any{row}, "next_cursor": nil}, h.mustCall(reader, core.ListIssueEvents.Operation, idArgs(added.IssueID)))

	h.sameJSON(object{"data": withChanges(row, object{"event": object{
		"event_id": "00000000000000000000000000000001", "timestamp": nil, "received_at": nil, "platform": "go", "level": "", "logger": nil,
		"title": nil, "culprit": nil, "message": "pay", "transaction": nil, "release": nil, "dist": nil, "environment": nil, "server_name": nil,
		"exceptions": []any{}, "threads": []any{}, "breadcrumbs": []any{}, "user": nil, "request": nil, "tags": nil, "contexts": nil,
		"extra": nil,
		"sdk":   object{"name": nil, "version": nil}, "fingerprint": []any{}, "debug_images": []any{}, "problems": []any{},
	}})}, h.mustCall(reader, core.GetEvent.Operation, idArgs(added.ID)))

	e := h.newEvent("bare", 2)
	e.Release, e.Environment = "", ""
	bare := h.addEvents(e)
	h.sameJSON(object{"data": []any{withChanges(row, object{
		"id": bare.ID, "issue_id": bare.IssueID, "event_id": fmt.Sprintf("%x", e.EventID), "release": nil, "environment": nil,
	})}, "next_cursor": nil}, h.mustCall(reader, core.ListIssueEvents.Operation, idArgs(bare.IssueID)))
}

func TestStoredEventThatCannotBeReadIsInternal(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	e := h.newEvent("pay", 1)
	e.Payload = intake.Payload{Bytes: []byte("rubbish")}
	h.sameJSON(object{"error": "internal", "request_id": "request-1"}, h.mustFail(reader, core.GetEvent.Operation, idArgs(h.addEvents(e).ID)))
	require.Contains(t, h.log.String(), "cannot be read")
	require.Contains(t, h.log.String(), "request-1")
}

func TestStatusOperations(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	for _, step := range []struct {
		op     *core.Operation
		status string
	}{
		{core.ResolveIssue.Operation, "resolved"}, {core.ResolveIssue.Operation, "resolved"}, {core.IgnoreIssue.Operation, "ignored"},
		{core.UnresolveIssue.Operation, "unresolved"}, {core.UnresolveIssue.Operation, "unresolved"}, {core.IgnoreIssue.Operation, "ignored"},
	} {
		h.sameJSON(object{"data": withChanges(payIssue(pay), object{"status": step.status})}, h.mustCall(writer, step.op, idArgs(pay)))
	}
	row := func(n int, action, from, to string) object {
		return object{
			"id": 5 - n, "at": noonText, "actor_type": "token", "actor_id": 2, "actor_name": "agent-2", "action": action,
			"target_type": "issue", "target_id": pay, "data": object{"from": from, "to": to},
		}
	}
	h.sameJSON(object{"next_cursor": nil, "data": []any{
		row(0, "issue.ignore", "unresolved", "ignored"), row(1, "issue.unresolve", "ignored", "unresolved"),
		row(2, "issue.ignore", "resolved", "ignored"), row(3, "issue.resolve", "unresolved", "resolved"),
	}}, h.mustCall(reader, core.ListIssueActivity.Operation, idArgs(pay)))
}

func TestClaimAndRelease(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	claim := object{"holder": "agent-2", "expires_at": "2026-03-14T14:30:00.000Z", "worker": nil}
	detail := object{"claim": claim, "latest_event_id": 1, "test": false, "fix": nil, "ignored_until": nil, "renewed": false}
	h.sameJSON(object{"data": withChanges(payIssue(pay), detail)}, h.mustCall(writer, core.ClaimIssue.Operation, idArgs(pay)))
	other := newAgent(3, core.IssuesWrite)
	h.sameJSON(object{"error": "claimed", "claim": claim}, h.mustFail(other, core.ClaimIssue.Operation, idArgs(pay)))
	h.sameJSON(object{"error": "not_claim_holder", "claim": claim}, h.mustFail(other, core.ReleaseIssue.Operation, idArgs(pay)))
	h.sameJSON(object{"data": payIssue(pay)}, h.mustCall(writer, core.ReleaseIssue.Operation, idArgs(pay)))
	h.sameJSON(object{"data": payIssue(pay)}, h.mustCall(other, core.ReleaseIssue.Operation, idArgs(pay)))

	detail["claim"] = object{"holder": "ADMIN_TOKEN", "expires_at": "2026-03-15T12:30:00.000Z", "worker": nil}
	h.sameJSON(object{"data": withChanges(payIssue(pay), detail)},
		h.mustCall(core.NewBootstrapActor(), core.ClaimIssue.Operation, fmt.Sprintf(`{"id": %d, "minutes": 1440}`, pay)))

	rows := h.mustCall(reader, core.ListIssueActivity.Operation, idArgs(pay))
	row := object{"at": noonText, "target_type": "issue", "target_id": pay, "actor_type": "token", "actor_id": 2, "actor_name": "agent-2"}
	h.sameJSON(object{"next_cursor": nil, "data": []any{
		withChanges(row, object{
			"id": 4, "action": "issue.claim", "actor_type": "admin_token", "actor_id": nil, "actor_name": "ADMIN_TOKEN",
			"data": object{"minutes": 1440, "expires_at": "2026-03-15T12:30:00.000Z"},
		}),
		withChanges(row, object{"id": 3, "action": "issue.release", "data": nil}),
		withChanges(row, object{"id": 2, "action": "issue.claim", "data": object{"minutes": 120, "expires_at": "2026-03-14T14:30:00.000Z"}}),
	}}, rows)

	for _, minutes := range []string{"0", "1441", "-5", "1.5", `"long"`} {
		h.mustRefuse(core.ClaimIssue.Operation, fmt.Sprintf(`{"id": %d, "minutes": %s}`, pay, minutes), "minutes")
	}
	h.mustRefuse(core.ClaimIssue.Operation, `{}`, "id")
}

func TestMergedIssuesTakeNoChanges(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	h.changeRows(`UPDATE issues SET status = 'merged', merged_into = 99`)
	for _, op := range changeOps {
		h.sameJSON(object{"error": "not_found"}, h.mustFail(writer, op, idArgs(pay)))
	}
}

// TestRelativeTimesHoldOverAllPages moves the clock forward at each look at it.
func TestRelativeTimesHoldOverAllPages(t *testing.T) {
	t.Parallel()
	var ticks atomic.Int64
	h := openWithClock(t, func() time.Time { return noon.Add(time.Duration(ticks.Add(1)) * 7 * time.Millisecond) })
	const issues = 5
	for n := range issues {
		decision := h.addEvents(h.newEvent(fmt.Sprint(n), 1)).IssueID
		h.mustCall(writer, core.ResolveIssue.Operation, idArgs(decision))
	}
	for _, op := range []*core.Operation{core.ListIssues.Operation, core.ListLabels.Operation} {
		for _, more := range []string{"", `, "sort": "priority"`} {
			if op == core.ListLabels.Operation && more != "" {
				continue
			}
			for _, since := range []string{"7d", "1s", noonText} {
				rows, cursor := 0, ""
				for {
					var page struct {
						Data       []any
						NextCursor string `json:"next_cursor"`
					}
					decodeInto(t, h.mustCall(core.NewBootstrapActor(), op, fmt.Sprintf(`{"since": %q, "limit": 1%s%s}`, since, more, cursor)), &page)
					rows += len(page.Data)
					if page.NextCursor == "" {
						break
					}
					cursor = fmt.Sprintf(`, "cursor": %q`, page.NextCursor)
				}
				require.Equal(t, issues, rows, "%s since %s%s", op.Name, since, more)
			}
		}
	}
}

func TestListIssuesFiltersByWhateverIsStored(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	for n, text := range []string{strings.Repeat("r", 200), strings.Repeat("é", 300), "null", "1.0", "true", " a b ", "a,b", `["x"]`,
		"shop@1.0+ä 日本", "%_'\"", "\u2028"} {
		e := h.newEvent(fmt.Sprint("of ", n), 1)
		e.Release, e.Environment = text, text
		want := h.addEvents(e).IssueID
		for _, field := range []string{"release", "environment"} {
			var page struct{ Data []struct{ ID int64 } }
			decodeInto(t, h.mustCall(reader, core.ListIssues.Operation, mustJSON(t, object{field: text})), &page)
			require.Len(t, page.Data, 1, "%s %q", field, text)
			require.Equal(t, want, page.Data[0].ID, "%s %q", field, text)
			if text == "1.0" {
				break // of other events too
			}
		}
	}
}
