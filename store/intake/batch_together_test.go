package intake_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// Several servers that take events in at the same time.

func TestTwoServersMakeOneIssue(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	for round := range 20 {
		group := fmt.Sprint("group ", round)
		ids := make([]int64, 4)
		storetest.RequireNoErrors(t, storetest.RunTogether(4, func(i int) error {
			added, err := pair[i%2].Intake.AddEvents(t.Context(), []intake.NewEvent{storetest.MakeShopEvent(group, i, c.At(0))})
			if err == nil {
				ids[i] = added[0].IssueID
			}
			return err
		}))
		require.Equal(t, []int64{ids[0], ids[0], ids[0], ids[0]}, ids)
		require.EqualValues(t, 4, storetest.ReadIssue(t, pair[0], ids[0]).TimesSeen)
	}
	require.EqualValues(t, 20, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM issues`))
	require.EqualValues(t, 20, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM issue_fingerprints`))
}

// TestServersAddToTheSameIssues lets 16 writers on two servers add batches in random order to 20 issues that none of them
// knows at first: no event may be lost, counted twice or refused, and there must be no deadlock.
func TestServersAddToTheSameIssues(t *testing.T) {
	t.Parallel()
	const writers, batches, size, groups = 16, 12, 25, 20
	c, url := storetest.NewClock(), storetest.NewURL(t)
	pair := [2]*store.Store{storetest.Open(t, url, c.Tell), storetest.Open(t, url, c.Tell)}
	before := storetest.CountDeadlocks(t, url)
	storetest.RequireNoErrors(t, storetest.RunTogether(writers, func(w int) error {
		random := rand.New(rand.NewPCG(1, uint64(w)))
		for b := range batches {
			events := make([]intake.NewEvent, size)
			for n := range events {
				project := int64(storetest.Shop + random.IntN(2))
				at := c.At(-time.Duration(random.IntN(180)) * time.Minute)
				e := storetest.MakeEvent(project, fmt.Sprint(random.IntN(groups/2)), (w*batches+b)*size+n, at)
				e.ReceivedAt, e.User, e.Release = c.At(0), storetest.HashUser(random.IntN(30)), fmt.Sprint(random.IntN(5))
				events[n] = e
			}
			if _, err := pair[w%2].Intake.AddEvents(t.Context(), events); err != nil {
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
		`SELECT sum(users_affected) FROM issues`:  storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM issue_users`),
		`SELECT count(DISTINCT id) FROM events`:   total,
		`SELECT count(*) FROM issues i WHERE latest_event_id IN (SELECT id FROM events e WHERE e.issue_id = i.id)`: groups,
		`SELECT count(*) FROM issues i WHERE times_seen = (SELECT count(*) FROM events e WHERE e.issue_id = i.id)
			AND first_seen = (SELECT min(occurred_at) FROM events e WHERE e.issue_id = i.id)
			AND last_seen = (SELECT max(occurred_at) FROM events e WHERE e.issue_id = i.id)`: groups,
	} {
		require.Equal(t, want, storetest.ReadCell[int64](t, pair[0], `SELECT (`+sql+`)::bigint`), sql)
	}
	pair[0].Close()
	pair[1].Close()
	require.Equal(t, before, storetest.CountDeadlocks(t, url))
}

// TestServersMakeManyIssuesInAnyOrder lets four writers make the same hundred issues in parallel, each in its own order.
func TestServersMakeManyIssuesInAnyOrder(t *testing.T) {
	t.Parallel()
	const writers, rounds, groups = 4, 6, 100
	c, url := storetest.NewClock(), storetest.NewURL(t)
	pair := [2]*store.Store{storetest.Open(t, url, c.Tell), storetest.Open(t, url, c.Tell)}
	before := storetest.CountDeadlocks(t, url)
	for round := range rounds {
		storetest.RequireNoErrors(t, storetest.RunTogether(writers, func(w int) error {
			var batch []intake.NewEvent
			for _, n := range rand.New(rand.NewPCG(uint64(round), uint64(w))).Perm(groups) {
				batch = append(batch, storetest.MakeShopEvent(fmt.Sprint("round ", round, n), w, c.At(0)))
			}
			_, err := pair[w%2].Intake.AddEvents(t.Context(), batch)
			return err
		}))
	}
	require.EqualValues(t, rounds*groups, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM issues WHERE times_seen = $1`, writers))
	pair[0].Close()
	pair[1].Close()
	require.Equal(t, before, storetest.CountDeadlocks(t, url))
}

// TestResolvesRaceWithEvents resolves an issue again and again while events arrive. In any order, an event after a resolve
// undoes it, and each reopening leaves its row.
func TestResolvesRaceWithEvents(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	id := storetest.MakeIssue(t, pair[0], "pay")
	const rounds = 30
	storetest.RequireNoErrors(t, storetest.RunTogether(4, func(i int) error {
		for n := range rounds {
			if i == 0 {
				if _, err := pair[1].SetIssueStatus(t.Context(), storetest.MakeActor(1), id, core.Resolved); err != nil {
					return err
				}
				continue
			}
			if _, err := pair[i%2].Intake.AddEvents(t.Context(),
				[]intake.NewEvent{storetest.MakeShopEvent("pay", 1000*i+n, c.At(time.Second))}); err != nil {
				return err
			}
		}
		return nil
	}))
	storetest.AddEvents(t, pair[0], storetest.MakeShopEvent("pay", 2, c.At(time.Second)))
	i := storetest.ReadIssue(t, pair[0], id)
	require.Equal(t, core.Unresolved, i.Status)
	require.EqualValues(t, 3*rounds+2, i.TimesSeen)
	resolves := storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM activity WHERE action = 'issue.resolve'`)
	require.Positive(t, resolves)
	require.Equal(t, resolves, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM activity WHERE action = 'issue.regress'`),
		"an issue is resolved and reopened in turn")
}
