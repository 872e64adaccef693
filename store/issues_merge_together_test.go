package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/grouping"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// Several servers that merge and split issues at the same time, while events arrive.

// consistent are statements that count contradictions; each must return 0.
var consistent = []string{
	`SELECT count(*) FROM issues i WHERE stored_events <> (SELECT count(*) FROM events e
		WHERE e.project_id = i.project_id AND e.issue_id = i.id)`,
	`SELECT count(*) FROM issues i WHERE users_affected <> (SELECT count(*) FROM issue_users u WHERE u.issue_id = i.id)`,
	`SELECT count(*) FROM issues i WHERE status <> 'merged' AND stored_events > 0
		AND NOT EXISTS (SELECT FROM events e WHERE e.issue_id = i.id AND e.id = i.latest_event_id)`,
	`SELECT count(*) FROM issues i WHERE (status = 'merged') <> (merged_into IS NOT NULL)`,
	`SELECT count(*) FROM issues i WHERE status = 'merged' AND (times_seen + stored_events + users_affected > 0 OR claim_expires_at IS NOT NULL
		OR latest_event_id IS NOT NULL OR EXISTS (SELECT FROM issue_hours h WHERE h.issue_id = i.id)
		OR EXISTS (SELECT FROM issue_environments e WHERE e.issue_id = i.id) OR EXISTS (SELECT FROM issue_releases r WHERE r.issue_id = i.id))`,
	`SELECT count(*) FROM issues i JOIN issues t ON t.id = i.merged_into WHERE t.status = 'merged' OR t.project_id <> i.project_id`,
	`SELECT count(*) FROM issue_fingerprints f JOIN issues i ON i.id = f.issue_id WHERE i.status = 'merged'`,
	`SELECT count(*) FROM events e LEFT JOIN event_ids d ON d.project_id = e.project_id AND d.event_id = e.event_id AND d.id = e.id
		AND d.issue_id = e.issue_id WHERE d.id IS NULL`,
	`SELECT abs((SELECT count(*) FROM events) - (SELECT count(*) FROM event_ids))`,
	`SELECT count(*) FROM (SELECT FROM activity WHERE action = 'issue.split' EXCEPT ALL SELECT FROM activity
		WHERE action = 'issue.split_from') a`,
}

func requireConsistent(t *testing.T, s *store.Store) {
	t.Helper()
	for _, sql := range consistent {
		require.Zero(t, storetest.ReadCell[int64](t, s, `SELECT (`+sql+`)::bigint`), sql)
	}
}

// allowRefusals drops the errors that a change may get when another one was first.
func allowRefusals(err error) error {
	for _, code := range []core.Code{core.NotFound, core.InvalidRequest, core.Claimed} {
		if core.HasCode(err, code) {
			return nil
		}
	}
	return err
}

// TestServersMergeAndSplitUnderLoad runs writers, mergers, splitters and people on the same few issues of two projects, on
// two servers: nothing is lost or counted twice, and there must be no deadlock.
func TestServersMergeAndSplitUnderLoad(t *testing.T) {
	t.Parallel()
	const writers, batches, size, groups, changers, changes, seeded = 6, 15, 12, 12, 8, 30, 2 * 12 * 30
	c, url := storetest.NewClock(), storetest.NewURL(t)
	keepAll := store.Options{URL: url, Clock: c.Tell, Settings: map[string]string{"STORED_EVENTS_PER_ISSUE": "1000000"}}
	pair := [2]*store.Store{storetest.OpenWith(t, keepAll), storetest.OpenWith(t, keepAll)}
	before := storetest.CountDeadlocks(t, url)
	storetest.MakeProject(t, pair[0], storetest.Shop, "Shop")
	storetest.MakeProject(t, pair[0], storetest.Shop+1, "Office")
	var first []intake.NewEvent
	for n := range seeded {
		first = append(first, storetest.MakeEvent(int64(storetest.Shop+n%2), fmt.Sprintf("group %d:", n/2%groups), 1_000_000+n, c.At(0)))
	}
	storetest.AddEvents(t, pair[0], first...)
	var merges, splits atomic.Int64
	storetest.RequireNoErrors(t, storetest.RunTogether(writers+changers, func(w int) error {
		s, random := pair[w%2], rand.New(rand.NewPCG(2, uint64(w)))
		if w < writers {
			for b := range batches {
				if err := sendSome(t, s, c, random, groups, size, w*batches+b); err != nil {
					return err
				}
			}
			return nil
		}
		for range changes {
			err := changeSome(t, s, random, w, &merges, &splits)
			if allowRefusals(err) != nil {
				return fmt.Errorf("changer %d: %w", w, err)
			}
		}
		return nil
	}))
	const total = writers*batches*size + seeded
	require.Positive(t, merges.Load())
	require.Positive(t, splits.Load())
	for _, sql := range []string{
		`SELECT sum(times_seen) FROM issues`, `SELECT sum(stored_events) FROM issues`, `SELECT sum(events) FROM issue_hours`,
		`SELECT sum(events) FROM project_hours`, `SELECT count(*) FROM events`,
	} {
		require.EqualValues(t, total, storetest.ReadCell[int64](t, pair[0], `SELECT (`+sql+`)::bigint`), sql)
	}
	require.Equal(t, merges.Load(), storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM activity
		WHERE action = 'issue.merge' AND data ? 'source_ids'`))
	require.Equal(t, splits.Load(), storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM activity WHERE action = 'issue.split'`))
	requireConsistent(t, pair[0])
	t.Logf("%d merges, %d splits", merges.Load(), splits.Load())
	pair[0].Close()
	pair[1].Close()
	require.Equal(t, before, storetest.CountDeadlocks(t, url))
}

// sendSome adds a batch to random groups of both projects, and then a part of it again.
func sendSome(t *testing.T, s *store.Store, c *storetest.Clock, random *rand.Rand, groups, size, batch int) error {
	events := make([]intake.NewEvent, size)
	for n := range events {
		e := storetest.MakeEvent(int64(storetest.Shop+random.IntN(2)), fmt.Sprintf("group %d:", random.IntN(groups)), batch*size+n,
			c.At(-time.Duration(random.IntN(180))*time.Minute))
		e.ReceivedAt, e.User, e.Release = c.At(0), storetest.HashUser(random.IntN(30)), fmt.Sprint(random.IntN(5))
		events[n] = e
	}
	again := append([]intake.NewEvent{}, events[:size/2]...)
	if _, err := s.Intake.AddEvents(t.Context(), events); err != nil {
		return err
	}
	for n := range again {
		again[n] = storetest.MakeEvent(again[n].ProjectID, "sent again", 0, again[n].ReceivedAt)
		again[n].EventID = events[n].EventID
	}
	added, err := s.Intake.AddEvents(t.Context(), again)
	for _, a := range added {
		if !a.Duplicate {
			return errors.New("an event counted twice")
		}
	}
	return err
}

// changeSome merges, splits, claims or sets the status of random issues.
func changeSome(t *testing.T, s *store.Store, random *rand.Rand, who int, merges, splits *atomic.Int64) error {
	page, err := s.ListIssues(t.Context(), store.IssueFilter{ProjectID: int64(storetest.Shop + random.IntN(2)),
		Paging: core.Paging{Limit: 100}})
	if err != nil || len(page.Data) < 2 {
		return err
	}
	pickIssue := func() core.Issue { return page.Data[random.IntN(len(page.Data))] }
	switch kind := random.IntN(8); {
	case kind < 2:
		_, err = s.CarryOut(t.Context(), storetest.MakeActor(int64(who)),
			store.MergeIssues{Target: pickIssue().ID, Sources: []int64{pickIssue().ID, pickIssue().ID}})
		if err == nil {
			merges.Add(1)
		}
	case kind < 6:
		err = splitSome(t, s, random, who, pickIssue().ID, splits)
	case kind == 6:
		_, err = s.ClaimIssue(t.Context(), storetest.MakeActor(int64(who)), pickIssue().ID, 5)
	default:
		_, err = s.SetIssueStatus(t.Context(), storetest.MakeActor(int64(who)), pickIssue().ID,
			[]core.Status{core.Resolved, core.Ignored, core.Unresolved}[random.IntN(3)])
	}
	return err
}

// splitSome splits two events off an issue that has enough for all splitters together: the original never has to keep a
// times_seen without events behind it.
func splitSome(t *testing.T, s *store.Store, random *rand.Rand, who int, id int64, splits *atomic.Int64) error {
	page, err := s.ListIssueEvents(t.Context(), id, store.EventFilter{Paging: core.Paging{Limit: 100}})
	if err != nil || len(page.Data) < 20 {
		return err
	}
	n := random.IntN(len(page.Data) - 1)
	_, err = s.SplitIssue(t.Context(), storetest.MakeActor(int64(who)), id, []int64{page.Data[n].ID, page.Data[n+1].ID},
		grouping.FindStoredType)
	if err == nil {
		splits.Add(1)
	}
	return err
}

// TestServersMergeInACircle merges issues into each other from two servers at the same time: one of each pair wins.
func TestServersMergeInACircle(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	pair := [2]*store.Store{storetest.Open(t, url, c.Tell), storetest.Open(t, url, c.Tell)}
	before := storetest.CountDeadlocks(t, url)
	storetest.MakeProject(t, pair[0], storetest.Shop, "Shop")
	for round := range 15 {
		var ids []int64
		for n := range 4 {
			ids = append(ids, storetest.MakeIssue(t, pair[0], fmt.Sprint(round, n)))
		}
		errs := storetest.RunTogether(4, func(i int) error {
			_, err := pair[i%2].CarryOut(t.Context(), storetest.MakeActor(1), store.MergeIssues{Target: ids[i], Sources: []int64{ids[(i+1)%4]}})
			return err
		})
		for _, err := range errs {
			require.NoError(t, allowRefusals(err))
		}
		requireConsistent(t, pair[0])
		require.EqualValues(t, 4, storetest.ReadCell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues
			WHERE id = ANY ($1) AND status <> 'merged'`, ids))
	}
	pair[0].Close()
	pair[1].Close()
	require.Equal(t, before, storetest.CountDeadlocks(t, url))
}

// TestDaysAreDroppedWhileIssuesAreMergedAndSplit lets the retention drop a day while its events move between issues.
func TestDaysAreDroppedWhileIssuesAreMergedAndSplit(t *testing.T) {
	t.Parallel()
	const days, groups = 4, 8
	c, url := storetest.NewClock(), storetest.NewURL(t)
	pair := [2]*store.Store{storetest.Open(t, url, c.Tell), storetest.Open(t, url, c.Tell)}
	before := storetest.CountDeadlocks(t, url)
	storetest.MakeProject(t, pair[0], storetest.Shop, "Shop")
	for day := range days {
		c.Forward(24 * time.Hour)
		var old []intake.NewEvent
		for n := range 40 * groups {
			old = append(old, storetest.MakeShopEvent(fmt.Sprintf("group %d of day %d:", n%groups, day), n, c.At(0)))
		}
		storetest.AddEvents(t, pair[day%2], old...)
	}
	c.Forward(24 * time.Hour)
	var merges, splits atomic.Int64
	storetest.RequireNoErrors(t, storetest.RunTogether(6, func(w int) error {
		s, random := pair[w%2], rand.New(rand.NewPCG(3, uint64(w)))
		for n := range 20 {
			if w < 2 {
				if _, err := s.Intake.DropExpired(t.Context(), days-n/5); err != nil {
					return err
				}
				continue
			}
			if err := changeSome(t, s, random, w, &merges, &splits); allowRefusals(err) != nil {
				return err
			}
		}
		return nil
	}))
	for _, s := range pair {
		storetest.DropExpired(t, s, 1)
	}
	require.Zero(t, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM events WHERE received_at < $1`,
		c.Now.Add(-24*time.Hour).Truncate(24*time.Hour)))
	requireConsistent(t, pair[0])
	pair[0].Close()
	pair[1].Close()
	require.Equal(t, before, storetest.CountDeadlocks(t, url))
}
