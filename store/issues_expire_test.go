package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// TestTablesOfIssuesEndWithThem compares what is deleted with an issue with the tables that name one.
func TestTablesOfIssuesEndWithThem(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	otherwise := []string{
		"approvals",           // part of the record; a pending one keeps its issue
		"deliveries",          // end by their own time
		"event_ids", "events", // an issue has none when it is deleted, but for ids of counted events, which end after a day
		"issue_alerts", // nobody writes it
		"spikes",       // end after a day
	}
	naming := storetest.ReadColumn[string](t, s, `
SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'issue_id'
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`)
	require.NotEmpty(t, naming)
	for _, table := range naming {
		require.NotEqual(t, slices.Contains(otherwise, table), slices.Contains(store.IssueTables, table), table)
	}
}

// TestIssuesWithoutEventsEndAfterTheirTime has issues that are old, each with one reason to stay.
func TestIssuesWithoutEventsEndAfterTheirTime(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	ctx, by := t.Context(), core.NewBootstrapActor()
	storetest.MakeProject(t, s, office, "Office")
	for n, group := range []string{"old", "source", "target", "waiting", "claimed", "noted", "resolved"} {
		storetest.AddEvents(t, s, storetest.MakeShopEvent(group, n, c.At(0)))
	}
	ids := map[string]int64{}
	for _, group := range []string{"old", "source", "target", "waiting", "claimed", "noted", "resolved"} {
		ids[group] = storetest.AddEvents(t, s, storetest.MakeShopEvent(group, 100, c.At(0))).IssueID
	}
	indexAll(t, s)
	storetest.MergeIssues(t, s, ids["target"], ids["source"])
	_, err := s.AddNote(ctx, by, ids["old"], "seen")
	require.NoError(t, err)
	_, err = s.LinkFix(ctx, by, ids["waiting"], store.NewFix{Kind: core.FixByCommit, Ref: "abcdef1"})
	require.NoError(t, err)

	c.Forward(100 * 24 * time.Hour)
	ids["recent"] = storetest.MakeIssue(t, s, "recent")
	storetest.DropExpired(t, s, 90)
	ids["stored"] = storetest.MakeIssue(t, s, "stored")
	_, err = s.ClaimIssue(ctx, storetest.MakeActor(7), ids["claimed"], 5)
	require.NoError(t, err)
	_, err = s.AddNote(ctx, by, ids["noted"], "still looked into")
	require.NoError(t, err)
	_, err = s.SetIssueStatus(ctx, by, ids["resolved"], core.Resolved)
	require.NoError(t, err)

	drop := func(days, want int) {
		t.Helper()
		dropped, err := s.DropIssues(ctx, days)
		require.NoError(t, err)
		require.Equal(t, want, dropped)
	}
	drop(0, 0)
	drop(101, 0)
	drop(99, 3) // the old one, the source, and the target once it has lost its source
	drop(99, 0)

	for name, id := range ids {
		_, err := s.ReadIssue(ctx, id)
		if gone := slices.Contains([]string{"old", "source", "target"}, name); gone {
			storetest.RequireCode(t, core.NotFound, err)
			for _, table := range store.IssueTables {
				require.Zero(t, storetest.ReadCell[int64](t, s, fmt.Sprintf(`SELECT count(*) FROM %s WHERE issue_id = $1`, table), id), table)
			}
			require.Zero(t, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM activity WHERE target_type = 'issue' AND target_id = $1`, id))
			continue
		}
		require.NoError(t, err, name)
	}
}

// TestEventOfADeletedIssueMakesANewOne lets the server that remembers the issue add the event.
func TestEventOfADeletedIssueMakesANewOne(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	old := storetest.MakeIssue(t, pair[0], "pay")
	c.Forward(100 * 24 * time.Hour)
	storetest.DropExpired(t, pair[1], 90)
	dropped, err := pair[1].DropIssues(t.Context(), 90)
	require.NoError(t, err)
	require.Equal(t, 1, dropped)

	added := storetest.AddEvents(t, pair[0], storetest.MakeShopEvent("pay", 2, c.At(0)))

	require.NotEqual(t, old, added.IssueID)
	issue := storetest.ReadIssue(t, pair[0], added.IssueID)
	require.EqualValues(t, 1, issue.TimesSeen)
	require.EqualValues(t, 1, issue.StoredEvents)
}

// TestEventsAndDeletionsTogether sends events of old issues while these are deleted: none is lost or counted twice.
func TestEventsAndDeletionsTogether(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	const issues = 40
	for n := range issues {
		storetest.MakeIssue(t, pair[0], fmt.Sprint("group", n))
	}
	c.Forward(100 * 24 * time.Hour)
	storetest.DropExpired(t, pair[1], 90)

	storetest.RequireNoErrors(t, storetest.RunTogether(3, func(i int) error {
		if i == 0 {
			_, err := pair[1].DropIssues(t.Context(), 90)
			return err
		}
		for n := range issues {
			_, err := pair[i%2].Intake.AddEvents(t.Context(), []intake.NewEvent{
				storetest.MakeShopEvent(fmt.Sprint("group", (n*i)%issues), 1000*i+n, c.At(0)),
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))

	require.EqualValues(t, 2*issues, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM events`))
	require.EqualValues(t, 2*issues, storetest.ReadCell[int64](t, pair[0], `
SELECT sum(h.events)::bigint FROM issue_hours h JOIN issues i ON i.id = h.issue_id WHERE h.hour > $1`, c.Now.Add(-24*time.Hour)))
	require.Zero(t, storetest.ReadCell[int64](t, pair[0], `
SELECT count(*) FROM issue_fingerprints f WHERE NOT EXISTS (SELECT FROM issues i WHERE i.id = f.issue_id)`))
}
