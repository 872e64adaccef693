package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
)

// Several servers that take events in at once.

func TestTwoServersMakeOneIssue(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	for round := range 20 {
		group := fmt.Sprint("group ", round)
		ids := make([]int64, 4)
		noErrors(t, together(4, func(i int) error {
			added, err := pair[i%2].AddEvents(t.Context(), []store.NewEvent{event(shop, group, i, c.at(0))})
			if err == nil {
				ids[i] = added[0].IssueID
			}
			return err
		}))
		require.Equal(t, []int64{ids[0], ids[0], ids[0], ids[0]}, ids)
		require.EqualValues(t, 4, issue(t, pair[0], ids[0]).TimesSeen)
	}
	require.EqualValues(t, 20, cell[int64](t, pair[0], `SELECT count(*) FROM issues`))
	require.EqualValues(t, 20, cell[int64](t, pair[0], `SELECT count(*) FROM issue_fingerprints`))
}

// TestServersAddToTheSameIssues has 16 writers on two servers add batches in random order to 20 issues that none of
// them knows at first: no event may be lost, counted twice or refused.
func TestServersAddToTheSameIssues(t *testing.T) {
	t.Parallel()
	const writers, batches, size, groups = 16, 12, 25, 20
	pair, c := openPair(t)
	makeProject(t, pair[0], shop+1, "Office")
	noErrors(t, together(writers, func(w int) error {
		random := rand.New(rand.NewPCG(1, uint64(w)))
		for b := range batches {
			events := make([]store.NewEvent, size)
			for n := range events {
				project := int64(shop + random.IntN(2))
				at := c.at(-time.Duration(random.IntN(180)) * time.Minute)
				e := event(project, fmt.Sprint(random.IntN(groups/2)), (w*batches+b)*size+n, at)
				e.ReceivedAt, e.User, e.Release = c.at(0), user(random.IntN(30)), fmt.Sprint(random.IntN(5))
				events[n] = e
			}
			if _, err := pair[w%2].AddEvents(t.Context(), events); err != nil {
				return err
			}
		}
		return nil
	}))
	const total = writers * batches * size
	for sql, want := range map[string]int64{
		`SELECT sum(times_seen) FROM issues`:      total,
		`SELECT sum(stored_events) FROM issues`:   total,
		`SELECT sum(events) FROM issue_hours`:     total,
		`SELECT sum(events) FROM project_hours`:   total,
		`SELECT count(*) FROM events`:             total,
		`SELECT count(*) FROM event_ids`:          total,
		`SELECT count(*) FROM issues`:             groups,
		`SELECT count(*) FROM issue_fingerprints`: groups,
		`SELECT sum(users_affected) FROM issues`:  cell[int64](t, pair[0], `SELECT count(*) FROM issue_users`),
		`SELECT count(DISTINCT id) FROM events`:   total,
		`SELECT count(*) FROM issues i WHERE latest_event_id IN (SELECT id FROM events e WHERE e.issue_id = i.id)`: groups,
		`SELECT count(*) FROM issues i WHERE times_seen = (SELECT count(*) FROM events e WHERE e.issue_id = i.id)
			AND first_seen = (SELECT min(occurred_at) FROM events e WHERE e.issue_id = i.id)
			AND last_seen = (SELECT max(occurred_at) FROM events e WHERE e.issue_id = i.id)`: groups,
	} {
		require.Equal(t, want, cell[int64](t, pair[0], `SELECT (`+sql+`)::bigint`), sql)
	}
}

// TestResolvesRaceWithEvents resolves an issue again and again while events arrive: whatever the order, a resolve that
// an event came after does not stand, and each reopening leaves its row.
func TestResolvesRaceWithEvents(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	id := makeIssue(t, pair[0], "pay")
	const rounds = 30
	noErrors(t, together(4, func(i int) error {
		for n := range rounds {
			if i == 0 {
				if _, err := pair[1].SetStatus(t.Context(), person(1), id, core.Resolved); err != nil {
					return err
				}
				continue
			}
			if _, err := pair[i%2].AddEvents(t.Context(), []store.NewEvent{event(shop, "pay", 1000*i+n, c.at(time.Second))}); err != nil {
				return err
			}
		}
		return nil
	}))
	add(t, pair[0], event(shop, "pay", 2, c.at(time.Second)))
	i := issue(t, pair[0], id)
	require.Equal(t, core.Unresolved, i.Status)
	require.EqualValues(t, 3*rounds+2, i.TimesSeen)
	resolves := cell[int64](t, pair[0], `SELECT count(*) FROM activity WHERE action = 'issue.resolve'`)
	require.Positive(t, resolves)
	require.Equal(t, resolves, cell[int64](t, pair[0], `SELECT count(*) FROM activity WHERE action = 'issue.regress'`),
		"an issue is resolved and reopened in turn")
}
