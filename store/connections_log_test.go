package store_test

import (
	"context"
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

// Everyday events must not fill the log of Postgres with errors: operators look there for real ones.

func TestDuplicatesLeaveNoErrorInTheLog(t *testing.T) {
	t.Parallel()
	pair, c, logged := openLogged(t)
	for n := range 30 {
		known, fresh := storetest.MakeShopEvent("pay", n, c.At(0)), storetest.MakeShopEvent(fmt.Sprint("group ", n), n, c.At(0))
		storetest.RequireNoErrors(t, storetest.RunTogether(6, func(i int) error { // the same events, from senders that try again
			_, err := pair[i%2].Intake.AddEvents(t.Context(), []intake.NewEvent{known, fresh, storetest.MakeShopEvent("pay", 1000+6*n+i, c.At(0))})
			return err
		}))
	}
	require.EqualValues(t, 30+30+30*6, storetest.ReadCell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues`))
	require.EqualValues(t, 31, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM issues`))
	require.EqualValues(t, 31, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM issue_fingerprints`))
	require.Empty(t, logged())
}

func TestRegroupedIssuesLeaveNoErrorInTheLog(t *testing.T) {
	t.Parallel()
	pair, c, logged := openLogged(t)
	for n := range 10 {
		groups := []string{fmt.Sprint("pay ", n), fmt.Sprint("buy ", n), fmt.Sprint("ask ", n)}
		ids := make([]int64, len(groups))
		for i, group := range groups {
			ids[i] = storetest.AddEvents(t, pair[0], storetest.MakeShopEvent(group, 0, c.At(0))).IssueID
			storetest.AddEvents(t, pair[1], storetest.MakeShopEvent(group, 1, c.At(0)))
		}
		storetest.RequireNoErrors(t, storetest.RunTogether(4, func(i int) error {
			switch i {
			case 0:
				_, err := pair[0].SetIssueStatus(t.Context(), storetest.MakeActor(1), ids[2], core.Resolved)
				return err
			case 1:
				_, err := pair[1].CarryOut(t.Context(), storetest.MakeActor(1), store.MergeIssues{Target: ids[0], Sources: ids[1:2]})
				return err
			}
			for k := range 5 {
				var batch []intake.NewEvent
				for g, group := range groups {
					batch = append(batch, storetest.MakeShopEvent(group, 100*i+10*k+g+2, c.At(time.Duration(k)*time.Minute)))
				}
				if _, err := pair[i%2].Intake.AddEvents(t.Context(), batch); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	require.EqualValues(t, 10*(6+30), storetest.ReadCell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues`))
	require.Empty(t, logged())
}

func TestQuotaLeavesNoErrorInTheLog(t *testing.T) {
	t.Parallel()
	pair, c, logged := openLogged(t)
	quota := int64(5)
	for n := range 20 {
		e := storetest.MakeShopEvent(fmt.Sprint("group ", n%4), n, c.At(0))
		e.DailyQuota = &quota
		_, err := pair[rand.IntN(2)].Intake.AddEvents(t.Context(), []intake.NewEvent{e})
		if n < 5 {
			require.NoError(t, err)
		} else {
			storetest.RequireCode(t, core.Quota, err)
		}
	}
	require.EqualValues(t, 5, storetest.ReadCell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues`))
	require.Empty(t, logged())
}

func TestProjectsOfOneNameLeaveNoErrorInTheLog(t *testing.T) {
	t.Parallel()
	pair, _, logged := openLogged(t)
	create := func(id int64, demo bool) error {
		_, err := pair[id%2].CreateProject(t.Context(), core.NewBootstrapActor(), store.NewProject{
			ID: id, Name: "Same", Platform: "go", PublicKey: fmt.Sprint("key", id, demo), Demo: demo,
		})
		return err
	}
	storetest.RequireNoErrors(t, storetest.RunTogether(12, func(i int) error { return create(int64(10+i), false) }))
	require.EqualValues(t, 12, storetest.ReadCell[int64](t, pair[0], `SELECT count(DISTINCT slug) FROM projects WHERE name = 'Same'`))
	require.ErrorIs(t, create(10, true), store.ErrIDTaken)
	require.NoError(t, create(30, true))
	require.ErrorIs(t, create(31, true), store.ErrDemoTaken)
	require.Empty(t, logged())
}

func TestFirstsOfADayLeaveNoErrorInTheLog(t *testing.T) {
	t.Parallel()
	pair, c, logged := openLogged(t)
	for day := range 3 {
		c.Now = storetest.Noon.AddDate(0, 0, 40+10*day)
		storetest.RequireNoErrors(t, storetest.RunTogether(6, func(i int) error {
			if i < 2 {
				return pair[i].Intake.MakePartitions(t.Context())
			}
			_, err := pair[i%2].Intake.AddEvents(t.Context(), []intake.NewEvent{storetest.MakeShopEvent("pay", 10*day+i, c.At(0))})
			return err
		}))
	}
	require.Empty(t, logged())
}

// TestCanceledCallsLeaveNoErrorInTheLog makes the caller of a statement leave while it runs, as at a stop.
func TestCanceledCallsLeaveNoErrorInTheLog(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	s := storetest.Open(t, url, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	id := storetest.MakeIssue(t, s, "pay")
	other := storetest.ConnectTo(t, url)
	logged := storetest.CollectErrors(t, url)
	_, err := other.Exec(t.Context(), `BEGIN; LOCK TABLE issues IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)

	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		_, _ = s.ReadIssue(ctx, id)
	}()
	storetest.WaitUntilLocked(t, s)
	leave()
	_, err = other.Exec(t.Context(), `SELECT pg_sleep(0.1); ROLLBACK`)
	require.NoError(t, err)
	<-left
	s.Close() // waits for unfinished statements
	require.Empty(t, logged())
}

// openLogged is openPair with a function that returns the errors that Postgres logs from now on.
func openLogged(t *testing.T) (pair [2]*store.Store, c *storetest.Clock, logged func() []string) {
	t.Helper()
	url := storetest.NewURL(t)
	c = storetest.NewClock()
	pair = [2]*store.Store{storetest.Open(t, url, c.Tell), storetest.Open(t, url, c.Tell)}
	storetest.MakeProject(t, pair[0], storetest.Shop, "Shop")
	return pair, c, storetest.CollectErrors(t, url)
}
