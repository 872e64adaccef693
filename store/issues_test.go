package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// listTitles returns the titles of the issues that match a filter, in their order.
func listTitles(t *testing.T, s *store.Store, f store.IssueFilter) []string {
	t.Helper()
	f.Limit = 100
	page, err := s.ListIssues(t.Context(), f)
	require.NoError(t, err)
	require.Empty(t, page.NextCursor)
	titles := []string{}
	for _, i := range page.Data {
		titles = append(titles, string(i.Title))
	}
	return titles
}

// addTitled adds an event of its own group, changed by fill, the given minutes ago.
func addTitled(t *testing.T, s *store.Store, title string, minutesAgo int, fill func(*intake.NewEvent)) int64 {
	t.Helper()
	e := storetest.MakeShopEvent(title, 1, core.At(s.Now().Add(-time.Duration(minutesAgo)*time.Minute)))
	e.Title = title
	if fill != nil {
		fill(&e)
	}
	return storetest.AddEvents(t, s, e).IssueID
}

// openFilteredIssues returns a store with an issue for each filter, named in its title.
func openFilteredIssues(t *testing.T) (*store.Store, *storetest.Clock) {
	t.Helper()
	s, c := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	addTitled(t, s, "plain", 1, nil)
	addTitled(t, s, "office", 2, func(e *intake.NewEvent) { e.ProjectID = storetest.Shop + 1 })
	addTitled(t, s, "staging", 3, func(e *intake.NewEvent) { e.Environment = "staging" })
	releases := addTitled(t, s, "releases", 6, func(e *intake.NewEvent) { e.Release, e.Environment = "2.0", "" })
	for n, release := range []string{"2.1", "2.2"} {
		e := storetest.MakeShopEvent("releases", 2+n, c.At(time.Duration(n-5)*time.Minute))
		e.Release, e.Environment = release, ""
		require.Equal(t, releases, storetest.AddEvents(t, s, e).IssueID)
	}
	addTitled(t, s, "test", 5, func(e *intake.NewEvent) { e.Test = true })
	for n, status := range []core.Status{core.Resolved, core.Ignored, core.Merged, core.FixPending, core.Verified, core.Regressed} {
		storetest.ChangeRows(t, s, `UPDATE issues SET status = $2 WHERE id = $1`, addTitled(t, s, string(status), 60+n, nil), status)
	}
	claimed, expired := addTitled(t, s, "claimed", 70, nil), addTitled(t, s, "expired", 71, nil)
	_, err := s.ClaimIssue(t.Context(), storetest.MakeActor(1), claimed, 60)
	require.NoError(t, err)
	storetest.ChangeRows(t, s, `UPDATE issues SET claim_type = 'token', claim_holder = 'agent', claim_token_id = 1, claim_expires_at = $2
		WHERE id = $1`, expired, storetest.Noon)
	return s, c
}

func TestIssueFilters(t *testing.T) {
	t.Parallel()
	s, c := openFilteredIssues(t)
	shown := []string{"plain", "office", "staging", "releases", "resolved", "ignored", "fix_pending", "verified", "regressed", "claimed",
		"expired"}
	yes, no := true, false
	for name, test := range map[string]struct {
		filter store.IssueFilter
		want   []string
	}{
		"none":            {store.IssueFilter{}, shown},
		"project":         {store.IssueFilter{ProjectID: storetest.Shop + 1}, []string{"office"}},
		"another project": {store.IssueFilter{ProjectID: 7}, []string{}},
		"unresolved": {store.IssueFilter{Status: core.Unresolved},
			[]string{"plain", "office", "staging", "releases", "claimed", "expired"}},
		"resolved":        {store.IssueFilter{Status: core.Resolved}, []string{"resolved"}},
		"ignored":         {store.IssueFilter{Status: core.Ignored}, []string{"ignored"}},
		"merged":          {store.IssueFilter{Status: core.Merged}, []string{"merged"}},
		"fix_pending":     {store.IssueFilter{Status: core.FixPending}, []string{"fix_pending"}},
		"verified":        {store.IssueFilter{Status: core.Verified}, []string{"verified"}},
		"regressed":       {store.IssueFilter{Status: core.Regressed}, []string{"regressed"}},
		"first release":   {store.IssueFilter{Release: "2.0"}, []string{"releases"}},
		"stored release":  {store.IssueFilter{Release: "2.1"}, []string{"releases"}},
		"last release":    {store.IssueFilter{Release: "2.2"}, []string{"releases"}},
		"unknown release": {store.IssueFilter{Release: "2"}, []string{}},
		"environment":     {store.IssueFilter{Environment: "staging"}, []string{"staging"}},
		"part of one":     {store.IssueFilter{Environment: "stag"}, []string{}},
		"since": {store.IssueFilter{Since: storetest.SinceTime(c.At(-3 * time.Minute).Time)},
			[]string{"plain", "office", "staging"}},
		"since a bit later": {store.IssueFilter{Since: storetest.SinceTime(c.At(-3*time.Minute + time.Millisecond).Time)},
			[]string{"plain", "office"}},
		"since another zone": {store.IssueFilter{Since: storetest.SinceTime(c.At(-3 * time.Minute).In(time.FixedZone("", -7*3600)))},
			[]string{"plain", "office", "staging"}},
		"claimed": {store.IssueFilter{Claimed: &yes}, []string{"claimed"}},
		"not claimed": {store.IssueFilter{Claimed: &no, Since: "80m"},
			slices.DeleteFunc(slices.Clone(shown), func(s string) bool { return s == "claimed" })},
		"test": {store.IssueFilter{Test: true}, []string{"test"}},
		"several": {store.IssueFilter{ProjectID: storetest.Shop, Status: core.Unresolved, Environment: "production", Claimed: &no,
			Search: "I"}, []string{"plain", "expired"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, listTitles(t, s, test.filter))
		})
	}

	c.Forward(time.Hour)
	require.Empty(t, listTitles(t, s, store.IssueFilter{Claimed: &yes}), "a claim ends at its minute")
}

func TestReleaseFilterKnowsFirstAndLastOfIssuesWithoutStoredEvents(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	storetest.ChangeRows(t, s, `UPDATE issues SET first_release = 'a', last_release = 'b' WHERE id = $1`, id)
	storetest.ChangeRows(t, s, `DELETE FROM issue_releases`)
	require.Len(t, listTitles(t, s, store.IssueFilter{Release: "a"}), 1)
	require.Len(t, listTitles(t, s, store.IssueFilter{Release: "b"}), 1)
	require.Empty(t, listTitles(t, s, store.IssueFilter{Release: "1.0"}))
}

func TestIssueSearch(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	titles := []string{"100% of disk", "100 of disk", "snake_case", "snakeXcase", `C:\temp`, `C:temp`, "Pay's \"total\"", "%", "_", `\`,
		"plain"}
	for n, title := range titles {
		addTitled(t, s, title, n, func(e *intake.NewEvent) { e.Culprit = "" })
	}
	addTitled(t, s, "by culprit", 30, func(e *intake.NewEvent) { e.Culprit = "Shop_% in Cart" })
	for search, want := range map[string][]string{
		"100%":         {"100% of disk"},
		"%":            {"100% of disk", "%", "by culprit"},
		"_":            {"snake_case", "_", "by culprit"},
		"snake_":       {"snake_case"},
		`\`:            {`C:\temp`, `\`},
		`c:\TEMP`:      {`C:\temp`},
		`\%`:           {},
		`s "TOTAL`:     {"Pay's \"total\""},
		"PLAIN":        {"plain"},
		"of disk":      {"100% of disk", "100 of disk"},
		"p_% IN car":   {"by culprit"},
		"'":            {"Pay's \"total\""},
		"; DROP TABLE": {},
		"@now $1":      {},
	} {
		require.Equal(t, want, listTitles(t, s, store.IssueFilter{Search: search}), search)
	}
}

func TestIssueSearchKnowsTheCasesOfAllLetters(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	for n, title := range []string{"MÜLLER is gone", "Müller (1+1)", "straße.*", "ПРИВЕТ мир", "Σίσυφος", "日本語 エラー", "K in kelvin: \u212a",
		"plain"} {
		addTitled(t, s, title, n, func(e *intake.NewEvent) { e.Culprit = "" })
	}
	for search, want := range map[string][]string{
		"müller":     {"MÜLLER is gone", "Müller (1+1)"},
		"MÜLLER (1+": {"Müller (1+1)"},
		"mÜll_r":     {},
		"SSE.*":      {},
		"ße.*":       {"straße.*"},
		"ẞE.":        {"straße.*"},
		"привет МИР": {"ПРИВЕТ мир"},
		"σίσυφοσ":    {"Σίσυφος"},
		"語 エ":        {"日本語 エラー"},
		"ü[":         {},
		"ü|plain":    {},
		`ü\`:         {},
		"***:ü":      {},
		"(?i)ü{9}":   {},
		"^é$ ]-\x01": {},
	} {
		require.Equal(t, want, listTitles(t, s, store.IssueFilter{Search: search}), search)
		f := store.IssueFilter{Search: search, ProjectID: storetest.Shop, Sort: core.ByPriority}
		require.ElementsMatch(t, want, listTitles(t, s, f), search)
	}
	require.Empty(t, listTitles(t, s, store.IssueFilter{Search: strings.Repeat("ǅ[", 100)}), "the longest text allowed")
}

func TestIssuesOfADeletedProjectAreHidden(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	added := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, s.Now()))
	storetest.ReadIssue(t, s, added.IssueID) // the store now remembers its project
	storetest.HideProject(t, s, storetest.Shop)
	require.Empty(t, listTitles(t, s, store.IssueFilter{}))
	require.Empty(t, listTitles(t, s, store.IssueFilter{ProjectID: storetest.Shop}))
	for name, call := range map[string]func() error{
		"issue": func() error { _, err := s.ReadIssue(t.Context(), added.IssueID); return err },
		"event": func() error { _, err := s.ReadEvent(t.Context(), added.ID); return err },
		"events": func() error {
			_, err := s.ListIssueEvents(t.Context(), added.IssueID, store.EventFilter{Paging: core.Paging{Limit: 1}})
			return err
		},
		"activity": func() error {
			_, err := s.ListIssueActivity(t.Context(), added.IssueID, core.AllActivity, core.Paging{Limit: 1})
			return err
		},
		"status": func() error {
			_, err := s.SetIssueStatus(t.Context(), storetest.MakeActor(1), added.IssueID, core.Resolved)
			return err
		},
		"claim": func() error {
			_, err := s.ClaimIssue(t.Context(), storetest.MakeActor(1), added.IssueID, 1)
			return err
		},
		"release": func() error {
			_, err := s.ReleaseIssue(t.Context(), storetest.MakeActor(1), added.IssueID, "")
			return err
		},
		"note": func() error {
			_, err := s.AddNote(t.Context(), storetest.MakeActor(1), added.IssueID, "hi")
			return err
		},
	} {
		err := call()
		require.True(t, core.HasCode(err, core.NotFound), "%s: %v", name, err)
	}
	storetest.MakeIssue(t, s, "log in")
	storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 2, s.Now())) // the servers have not noticed yet: no error
}

// TestIssuePagesWhileEventsArrive reads 250 issues in pages of 7 while others move to the front.
func TestIssuePagesWhileEventsArrive(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	var events []intake.NewEvent
	for n := range 250 {
		events = append(events, storetest.MakeShopEvent(fmt.Sprint(n), 1, c.At(-time.Duration(n/4)*time.Second))) // four at each time
	}
	added, err := s.Intake.AddEvents(t.Context(), events)
	require.NoError(t, err)
	order := make([]int64, len(added)) // newest first; at equal times the higher id first
	at := map[int64]int{}
	for n, a := range added {
		order[n], at[a.IssueID] = a.IssueID, n/4
	}
	slices.SortFunc(order, func(a, b int64) int { return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(b, a)) })

	moved, seen := map[int64]bool{}, []int64{}
	filter := store.IssueFilter{Paging: core.Paging{Limit: 7}}
	for page := 0; ; page++ {
		got, err := s.ListIssues(t.Context(), filter)
		require.NoError(t, err)
		for _, i := range got.Data {
			seen = append(seen, i.ID)
		}
		if got.NextCursor == "" {
			require.Len(t, got.Data, len(seen)-7*page)
			break
		}
		require.Len(t, got.Data, 7)
		filter.Cursor = got.NextCursor

		c.Forward(time.Second)
		already, later := seen[len(seen)-1], order[min(7*page+20, 249)]
		for _, id := range []int64{already, later} {
			n := slices.IndexFunc(added, func(a intake.Added) bool { return a.IssueID == id })
			storetest.AddEvents(t, s, storetest.MakeShopEvent(fmt.Sprint(n), 100+page, c.At(0)))
		}
		moved[later] = true
		storetest.AddEvents(t, s, storetest.MakeShopEvent(fmt.Sprint("new ", page), 1, c.At(0)))                // before all others
		storetest.AddEvents(t, s, storetest.MakeShopEvent(fmt.Sprint(200-page), 200+page, c.At(-24*time.Hour))) // too old to move anything
		require.Less(t, page, 40, "the pages never end")
	}
	want := slices.DeleteFunc(slices.Clone(order), func(id int64) bool { return moved[id] && !slices.Contains(seen, id) })
	require.Equal(t, want, seen)
	require.Greater(t, len(seen), 200)
}

func TestIssuePagesEnd(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	for n := range 6 {
		storetest.MakeIssue(t, s, fmt.Sprint(n))
	}
	for _, limit := range []int{1, 2, 3, 5, 6, 7} {
		filter, pages, seen := store.IssueFilter{Paging: core.Paging{Limit: limit}}, 0, map[int64]bool{}
		for {
			page, err := s.ListIssues(t.Context(), filter)
			require.NoError(t, err)
			pages++
			for _, i := range page.Data {
				require.False(t, seen[i.ID], "an issue appears twice")
				seen[i.ID] = true
			}
			if filter.Cursor = page.NextCursor; filter.Cursor == "" {
				break
			}
		}
		require.Len(t, seen, 6)
		require.Equal(t, (6+limit-1)/limit, pages, "limit %d: a full last page has no next one", limit)
	}
}

func TestIssuesRefuseACursorOfAnotherList(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	for _, cursor := range []core.Cursor{
		core.ListPosition{Sort: "received_at", At: c.Now, ID: 1}.Cursor(), core.ListPosition{Sort: "priority", At: c.Now, ID: 1}.Cursor(),
		"nonsense", "%",
	} {
		_, err := s.ListIssues(t.Context(), store.IssueFilter{Paging: core.Paging{Limit: 5, Cursor: cursor}})
		storetest.RequireCode(t, core.InvalidRequest, err)
		require.Equal(t, "cursor", core.AsError(err).Details[0].Path)
	}
}

func TestIssueWindows(t *testing.T) {
	t.Parallel()
	const day, week = 24 * time.Hour, 7 * 24 * time.Hour
	for name, test := range map[string]struct {
		now     time.Time
		age     time.Duration
		in24h   int64
		in7days int64
	}{
		"now":                             {storetest.Noon, 0, 1, 1},
		"the first hour inside a day":     {storetest.Noon, day - 30*time.Minute, 1, 1}, // 12:30 the day before, and the hour from 13:00
		"an hour that begins too early":   {storetest.Noon, day - 30*time.Minute + time.Millisecond, 0, 1},
		"a day at the full hour":          {storetest.Noon.Add(-30 * time.Minute), day, 1, 1},
		"before the full hour":            {storetest.Noon.Add(-30 * time.Minute), day + time.Millisecond, 0, 1},
		"the first hour inside a week":    {storetest.Noon, week - 30*time.Minute, 0, 1},
		"an hour too early for the week":  {storetest.Noon, week - 30*time.Minute + time.Millisecond, 0, 0},
		"a week at the full hour":         {storetest.Noon.Add(-30 * time.Minute), week, 0, 1},
		"more than a week":                {storetest.Noon, 2 * week, 0, 0},
		"a little ahead, in the next one": {storetest.Noon.Add(29*time.Minute + 30*time.Second), -time.Minute, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := storetest.OpenShop(t)
			c.Now = test.now
			e := storetest.MakeShopEvent("pay", 1, c.At(-test.age))
			e.ReceivedAt = c.At(0)
			i := storetest.ReadIssue(t, s, storetest.AddEvents(t, s, e).IssueID)
			require.Equal(t, test.in24h, i.Events24h)
			require.Equal(t, test.in7days, i.Events7d)
			page, err := s.ListIssues(t.Context(), store.IssueFilter{Paging: core.Paging{Limit: 1}})
			require.NoError(t, err)
			require.Equal(t, i.Issue, page.Data[0], "a list shows an issue like ReadIssue")
		})
	}
}

func TestIssuePriority(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	for name, test := range map[string]struct {
		users, events int64
		status        core.Status
		last, first   time.Duration // ago
		want          float64
	}{
		"new":                      {0, 1, core.Unresolved, 0, 0, 4}, // (1+0) x (1+1) x 1 x 2
		"old":                      {0, 1, core.Unresolved, 0, 48 * time.Hour, 2},
		"users and events":         {9, 99, core.Unresolved, 0, 48 * time.Hour, 1000},
		"regressed":                {9, 99, core.Regressed, 0, 48 * time.Hour, 2000},
		"new and regressed":        {9, 99, core.Regressed, 0, time.Hour, 4000},
		"quiet for a day":          {9, 99, core.Unresolved, 24 * time.Hour, 48 * time.Hour, 500},
		"quiet for a month":        {999, 0, core.Ignored, 30 * 24 * time.Hour, 300 * 24 * time.Hour, 32.258},
		"12 hours":                 {0, 0, core.Unresolved, 12 * time.Hour, 48 * time.Hour, 0.667},
		"first seen a day ago":     {0, 0, core.Unresolved, 0, 24 * time.Hour, 1},
		"first seen just within":   {0, 0, core.Unresolved, 0, 24*time.Hour - time.Millisecond, 2},
		"a clock that runs ahead":  {0, 0, core.Unresolved, -time.Minute, 48 * time.Hour, 1},
		"resolved makes no change": {9, 99, core.Resolved, 0, 48 * time.Hour, 1000},
	} {
		storetest.ChangeRows(t, s, `UPDATE issues SET users_affected = $2, status = $3, last_seen = $4, first_seen = $5 WHERE id = $1`,
			id, test.users, test.status, c.At(-test.last), c.At(-test.first))
		storetest.ChangeRows(t, s, `UPDATE issue_hours SET events = $2 WHERE issue_id = $1`, id, test.events)
		require.InDelta(t, test.want, storetest.ReadIssue(t, s, id).Priority, 0, name)
	}
}

func TestIssueTrustIsThatOfItsProject(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	e := storetest.MakeShopEvent("log in", 1, c.At(0))
	e.Source = core.SourceBrowser
	storetest.AddEvents(t, s, e)
	mixed, browser := core.SourceMixed, core.SourceBrowser
	i := storetest.ReadIssue(t, s, id)
	require.Equal(t, []any{core.TrustLow, core.TrustLow, &mixed}, []any{i.Trust, i.SourceTrust, i.Source})
	storetest.ChangeRows(t, s, `UPDATE projects SET trust_setting = 'high'`)
	storetest.ChangeRows(t, s, `UPDATE project_seen SET server_seen_at = $1`, c.At(-30*24*time.Hour))
	i = storetest.ReadIssue(t, s, id)
	require.Equal(t, []any{core.TrustHigh, core.TrustHigh, &browser}, []any{i.Trust, i.SourceTrust, i.Source})
	c.Forward(30 * 24 * time.Hour)
	storetest.ChangeRows(t, s, `UPDATE projects SET trust_setting = NULL`)
	i = storetest.ReadIssue(t, s, id)
	require.Equal(t, core.TrustHigh, i.Trust)
	require.Nil(t, i.Source)
}

func TestUnknownIssue(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	for _, id := range []int64{1, 1 << 53} {
		_, err := s.ReadIssue(t.Context(), id)
		storetest.RequireCode(t, core.NotFound, err)
	}
}
