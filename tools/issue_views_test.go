package tools_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

func TestCountIssues(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.CountIssues.Operation
	counts := func(changes object) object {
		none := object{"open": 0, "unresolved": 0, "regressed": 0, "fix_pending": 0, "verified": 0, "resolved": 0, "ignored": 0, "merged": 0,
			"total": 0, "complete": true, "hidden": object{"test": 0, "noise": 0}}
		return object{"data": withChanges(none, changes)}
	}
	h.sameJSON(counts(nil), h.mustCall(reader, op, `{}`))

	var ids []int64
	for _, group := range []string{"pay", "ship", "cart", "mail", "sms", "pdf"} {
		e := h.newEvent(group, 1)
		if group == "pay" {
			e.Environment, e.Release = "staging", "2.0"
		}
		ids = append(ids, h.addEvents(e).IssueID)
	}
	test := h.newEvent("test", 1)
	test.Test = true
	h.addEvents(test)
	h.mustCall(writer, core.ResolveIssue.Operation, idArgs(ids[1]))
	h.mustCall(writer, core.IgnoreIssue.Operation, idArgs(ids[2]))
	h.mustCall(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "commit": "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"}`, ids[3]))
	h.mustCall(writer, core.MergeIssues.Operation, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, ids[0], ids[4]))
	h.mustCall(writer, core.ClaimIssue.Operation, idArgs(ids[5]))
	all := object{"open": 2, "unresolved": 2, "resolved": 1, "ignored": 1, "fix_pending": 1, "merged": 1, "total": 5,
		"hidden": object{"test": 1, "noise": 0}}
	for args, want := range map[string]object{
		`{}`: all, `{"project": "shop"}`: all, `{"since": "1h"}`: all,
		`{"test": true}`:             {"open": 1, "unresolved": 1, "total": 1},
		`{"environment": "staging"}`: {"open": 1, "unresolved": 1, "total": 1},
		`{"release": "2.0"}`:         {"open": 1, "unresolved": 1, "total": 1},
		`{"search": "cart"}`:         {"ignored": 1, "total": 1},
		`{"claimed": true}`:          {"open": 1, "unresolved": 1, "total": 1},
		`{"tag": "release:2.0"}`:     nil, // these events have no tags
	} {
		h.sameJSON(counts(want), h.mustCall(reader, op, args))
	}
	link := fmt.Sprintf(`{"search": "https://errors.example/issues/%d"}`, ids[4])
	h.sameJSON(counts(object{"merged": 1}), h.mustCall(reader, op, link))

	h.mustCall(writer, core.CorrectTriage.Operation, fmt.Sprintf(`{"id": %d, "noise": true}`, ids[5]))
	h.sameJSON(counts(object{"open": 1, "unresolved": 1, "total": 1}),
		h.mustCall(reader, op, `{"noise": true}`))
	h.sameJSON(counts(withChanges(all, object{"open": 1, "unresolved": 1, "total": 4, "hidden": object{"test": 1, "noise": 1}})),
		h.mustCall(reader, op, `{"noise": false}`))

	h.changeRows(`UPDATE issues SET overdue_fix_id = fix_id WHERE id = $1`, ids[3])
	h.sameJSON(counts(withChanges(all, object{"open": 3})), h.mustCall(reader, op, `{}`))
	h.sameJSON(object{"error": "project_not_found"}, h.mustFail(reader, op, `{"project": "office"}`))
	h.mustRefuse(op, `{"status": "open"}`, "status")
	h.mustRefuse(op, `{"search": "is:open"}`, "search")
}

// Counts of many issues are kept for some seconds. A change by this server drops them.
func TestCountIssuesOfMany(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.changeRows(`INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status,
			status_at, times_seen, stored_events, users_affected, first_seen, last_seen, first_release, last_release)
		SELECT $1, n, '', 1, 'Error', '', '', 'error', 'go', CASE WHEN n % 10 = 0 THEN 'fix_pending' ELSE 'unresolved' END, $2, 1, 0, 0,
			$2, $2, '', ''
		FROM generate_series(1, 3000) n`, shop, noon)
	count := func(args string) object { return h.callData(reader, core.CountIssues.Operation, args) }
	require.EqualValues(t, 3000, count(`{}`)["total"])
	require.EqualValues(t, 2700, count(`{}`)["open"])
	require.Equal(t, true, count(`{"project": "shop"}`)["complete"])
	cut := count(`{"since": "1h"}`)
	require.Equal(t, false, cut["complete"])
	require.EqualValues(t, 2001, cut["total"])
	frequent := count(`{"search": "error"}`)
	require.Equal(t, false, frequent["complete"])
	require.EqualValues(t, 1000, frequent["total"])

	h.changeRows(`UPDATE issues SET noise = true WHERE id % 100 = 1`)
	require.EqualValues(t, 2970, count(`{"noise": false}`)["total"])
	require.EqualValues(t, object{"test": 0., "noise": 30.}, count(`{"noise": false}`)["hidden"])
	require.EqualValues(t, 30, count(`{"noise": true}`)["total"])

	h.changeRows(`UPDATE issues SET status = 'resolved' WHERE id = 1`)
	require.EqualValues(t, 0, count(`{}`)["resolved"])
	h.mustCall(writer, core.ResolveIssue.Operation, idArgs(2))
	require.EqualValues(t, 2, count(`{}`)["resolved"])
	h.mustCall(writer, core.IgnoreIssue.Operation, idArgs(3))
	require.EqualValues(t, 1, count(`{}`)["ignored"])
	h.changeRows(`UPDATE issues SET status = 'resolved' WHERE id = 4`)
	h.now = noon.Add(10 * time.Second)
	require.EqualValues(t, 3, count(`{}`)["resolved"])
}

func TestListFilterValues(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.ListFilterValues.Operation
	h.sameJSON(object{"data": object{"environments": []any{}, "releases": []any{}}}, h.mustCall(reader, op, `{}`))
	for n, group := range []string{"pay", "ship", "cart"} {
		e := h.newEvent(group, 1)
		e.Release, e.Environment = fmt.Sprintf("%d.0", n), "production"
		if n == 2 {
			e.Environment = "staging"
		}
		h.addEvents(e)
		h.now = h.now.Add(time.Minute)
	}
	h.mustCall(core.NewBootstrapActor(), core.CreateDeploy.Operation, `{"project": "shop", "commit": "9f8e7d6", "release": "3.0"}`)
	h.mustCall(core.NewBootstrapActor(), core.CreateDeploy.Operation, `{"project": "shop", "commit": "9f8e7d7", "release": "0.0"}`)
	storetest.MakeProject(t, h.store, 2, "Other")
	at := func(minutes int) string {
		return noon.Add(time.Duration(minutes) * time.Minute).Format(core.TimeLayout)
	}
	h.sameJSON(object{"data": object{
		"environments": []any{object{"name": "production", "at": at(1)}, object{"name": "staging", "at": at(2)}},
		"releases": []any{
			object{"name": "0.0", "at": at(3)}, object{"name": "3.0", "at": at(3)}, object{"name": "2.0", "at": at(2)},
			object{"name": "1.0", "at": at(1)},
		},
	}}, h.mustCall(reader, op, `{"project": "shop"}`))
	require.Contains(t, h.mustCall(reader, op, `{}`), `"staging"`)
	h.sameJSON(object{"data": object{"environments": []any{}, "releases": []any{}}}, h.mustCall(reader, op, `{"project": 2}`))
	h.sameJSON(object{"error": "project_not_found"}, h.mustFail(reader, op, `{"project": "office"}`))
}

// Names of many issues are kept for some seconds.
func TestListFilterValuesOfMany(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.changeRows(`INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status,
			status_at, times_seen, stored_events, users_affected, first_seen, last_seen, first_release, last_release)
		SELECT $1, n, '', 1, 'Error', '', '', 'error', 'go', 'unresolved', $2, 1, 0, 0, $2, $2, '', '' FROM generate_series(1, 1000) n`,
		shop, noon)
	add := func(name string, issues int) {
		h.changeRows(`INSERT INTO issue_environments (project_id, environment, issue_id) SELECT $1, $2, n FROM generate_series(1, $3::int) n`,
			shop, name, issues)
	}
	listed := func() int {
		return len(h.callData(reader, core.ListFilterValues.Operation, `{}`)["environments"].([]any))
	}
	add("production", 999)
	require.Equal(t, 1, listed())
	add("staging", 1)
	require.Equal(t, 2, listed(), "few names are read again")
	add("development", 1)
	require.Equal(t, 2, listed())
	h.now = noon.Add(10 * time.Second)
	require.Equal(t, 3, listed())
}

func TestGetIssueHours(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.GetIssueHours.Operation
	old := h.newEvent("pay", 1)
	old.OccurredAt = core.At(noon.Add(-24 * time.Hour)) // in an hour that is not wholly in the window
	h.addEvents(old)
	for n, ago := range []time.Duration{0, time.Minute, 23 * time.Hour} {
		e := h.newEvent("pay", n+2)
		e.OccurredAt = core.At(noon.Add(-ago))
		h.addEvents(e)
	}
	pay := h.addEvents(h.newEvent("pay", 9)).IssueID
	ship := h.addEvents(h.newEvent("ship", 1)).IssueID
	hours := func(first, last int64) []any {
		list := make([]any, core.HoursShown)
		for i := range list {
			list[i] = 0
		}
		list[0], list[len(list)-1] = first, last
		return list
	}
	h.sameJSON(object{"data": object{"since": "2026-03-13T13:00:00.000Z", "issues": []any{
		object{"id": ship, "events": hours(0, 1)}, object{"id": pay, "events": hours(1, 3)},
	}}}, h.mustCall(reader, op, fmt.Sprintf(`{"ids": [%d, 99, %d]}`, ship, pay)))
	require.EqualValues(t, 4, h.callData(reader, core.GetIssue.Operation, idArgs(pay))["events_24h"])
	h.mustRefuse(op, `{"ids": []}`, "ids")
	h.mustRefuse(op, `{}`, "ids")
	storetest.HideProject(t, h.store, shop)
	h.sameJSON(object{"data": object{"since": "2026-03-13T13:00:00.000Z", "issues": []any{}}},
		h.mustCall(reader, op, fmt.Sprintf(`{"ids": [%d]}`, pay)))
}

func TestGetIssueHoursShowsNothingOfOthers(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	own, other := h.ownPart().issue(), h.foreignPart().issue()
	args := fmt.Sprintf(`{"ids": [%d, %d]}`, other, own)
	for who, want := range map[string]int{"viewer": 1, "in no team": 0, "site admin": 2} {
		require.Len(t, h.callData(people[who], core.GetIssueHours.Operation, args)["issues"], want, who)
	}
}

// TestGetIssues compares several issues with each alone.
func TestGetIssues(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.GetIssues.Operation
	pay, ship := h.addEvents(h.newEvent("pay", 1)).IssueID, h.addEvents(h.newEvent("ship", 1)).IssueID
	h.mustCall(writer, core.LinkFix.Operation, fmt.Sprintf(`{"id": %d, "commit": "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"}`, pay))
	alone := func(id int64) object { return h.callData(reader, core.GetIssue.Operation, idArgs(id)) }
	require.NotNil(t, alone(pay)["fix"])

	h.sameJSON(object{"data": []any{alone(ship), alone(pay)}}, h.mustCall(reader, op, fmt.Sprintf(`{"ids": [%d, 99, %d]}`, ship, pay)))

	h.mustRefuse(op, `{"ids": []}`, "ids")
	storetest.HideProject(t, h.store, shop)
	h.sameJSON(object{"data": []any{}}, h.mustCall(reader, op, fmt.Sprintf(`{"ids": [%d]}`, pay)))
}

func TestGetIssuesShowsNothingOfOthers(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	own, other := h.ownPart().issue(), h.foreignPart().issue()
	args := fmt.Sprintf(`{"ids": [%d, %d]}`, other, own)
	for who, want := range map[string]int{"viewer": 1, "in no team": 0, "site admin": 2} {
		var answer struct{ Data []object }
		require.NoError(t, json.Unmarshal([]byte(h.mustCall(people[who], core.GetIssues.Operation, args)), &answer))
		require.Len(t, answer.Data, want, who)
	}
}

func TestGetIssueDays(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.GetIssueDays.Operation
	issue := h.addEvents(h.newEvent("pay", 1)).IssueID
	h.changeRows(`INSERT INTO issue_hours (project_id, issue_id, hour, events) SELECT $1, $2, unnest($3::timestamptz[]), 5`, shop, issue,
		[]time.Time{noon.Truncate(time.Hour).Add(-29 * 24 * time.Hour), noon.Truncate(24 * time.Hour).Add(-29*24*time.Hour - time.Hour)})
	h.mustCall(core.NewBootstrapActor(), core.CreateDeploy.Operation, `{"project": "shop", "commit": "9f8e7d6", "release": "0.9"}`)
	h.changeRows(`UPDATE deploys SET deployed_at = $1`, noon.AddDate(0, 0, -31))
	deploy := h.callData(core.NewBootstrapActor(), core.CreateDeploy.Operation, `{"project": "shop", "commit": "9f8e7d7", "release": "1.0"}`)

	days := h.callData(reader, op, idArgs(issue))

	require.Equal(t, "2026-02-13T00:00:00.000Z", days["since"])
	events := days["events"].([]any)
	require.Len(t, events, core.DaysShown)
	require.Equal(t, []any{5.0, 0.0, 1.0}, []any{events[0], events[1], events[29]})
	h.sameJSON([]any{object{"id": deploy["id"], "release": "1.0", "environment": "production", "deployed_at": noonText}},
		mustJSON(t, days["deploys"]))
	h.sameJSON(object{"error": "not_found"}, h.mustFail(reader, op, idArgs(99)))
	storetest.HideProject(t, h.store, shop)
	h.sameJSON(object{"error": "not_found"}, h.mustFail(reader, op, idArgs(issue)))
}

func TestGetIssueShares(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.GetIssueShares.Operation
	var issue int64
	for n := range 3 {
		issue = h.addEvents(taggedEvent(h.newEvent("pay", n), fmt.Sprintf(`{"customer":"c%d"}`, n%2))).IssueID
	}
	shares := h.callData(reader, op, idArgs(issue))
	require.EqualValues(t, 3, shares["events"])
	h.sameJSON([]any{object{"key_untrusted": "customer", "events": 3, "of": 3, "distinct": 2, "values": []any{
		object{"value_untrusted": "c0", "events": 2}, object{"value_untrusted": "c1", "events": 1},
	}}}, mustJSON(t, shares["tags"]))

	many := ""
	for n := range 50 {
		many += fmt.Sprintf(`,"tag-%d":"x"`, n)
	}
	issue = h.addEvents(taggedEvent(h.newEvent("many", 1), "{"+many[1:]+"}")).IssueID
	require.Len(t, h.callData(reader, op, idArgs(issue))["tags"], 30)
	h.sameJSON(object{"error": "not_found"}, h.mustFail(reader, op, idArgs(99)))
	storetest.HideProject(t, h.store, shop)
	h.sameJSON(object{"error": "not_found"}, h.mustFail(reader, op, idArgs(issue)))
}
