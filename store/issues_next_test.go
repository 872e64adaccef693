package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// takeNext returns the id of the issue that the actor gets, 0 for none.
func takeNext(t *testing.T, s *store.Store, actor core.Actor, wanted store.NextWanted) (int64, store.PassedOver) {
	t.Helper()
	wanted.Minutes = 60
	issue, passed, err := s.ClaimNext(t.Context(), actor, wanted)
	require.NoError(t, err)
	if issue == nil {
		return 0, passed
	}
	require.NotNil(t, issue.Claim)
	return issue.ID, passed
}

// takeFor returns a function that takes the next issue for an actor and returns its id; 0 for none.
func takeFor(t *testing.T, s *store.Store) func(core.Actor) int64 {
	return func(a core.Actor) int64 { next, _ := takeNext(t, s, a, store.NextWanted{}); return next }
}

// openWithWorkers is storetest.OpenShop with two workers of one token.
func openWithWorkers(t *testing.T) (s *store.Store, c *storetest.Clock, red, blue core.Actor) {
	t.Helper()
	s, c = storetest.OpenShop(t)
	token := storetest.MakeActor(1, core.IssuesWrite)
	return s, c, token.As("red"), token.As("blue")
}

// numberedWorker returns the n-th worker of a token: a worker that already holds an issue would get the same one again.
func numberedWorker(n int) core.Worker { return core.Worker(fmt.Sprint("worker ", n)) }

func TestNextTakesTheBestIssueThatIsFree(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.MakeProject(t, s, 2, "Other")
	ann := storetest.MakeActor(1, core.IssuesWrite)
	id := func(name string) int64 { return storetest.MakeIssue(t, s, name) }
	correct := func(id int64, change core.TriageChange) {
		require.NoError(t, s.CorrectTriage(t.Context(), ann, id, change, ""))
	}
	yes, no := true, false
	unfixable, often, once := id("unfixable"), id("often"), id("once")
	correct(unfixable, core.TriageChange{AgentFixable: &no})
	storetest.ChangeRows(t, s, `UPDATE issues SET users_affected = CASE id WHEN $1 THEN 5 ELSE 50 END WHERE id IN ($1, $2)`, often, unfixable)
	noise, claimed, ignored, resolved := id("noise"), id("claimed"), id("ignored"), id("resolved")
	correct(noise, core.TriageChange{Noise: &yes})
	_, err := s.ClaimIssue(t.Context(), storetest.MakeActor(2), claimed, 60)
	require.NoError(t, err)
	for of, status := range map[int64]core.Status{ignored: core.Ignored, resolved: core.Resolved} {
		_, err := s.SetIssueStatus(t.Context(), ann, of, status)
		require.NoError(t, err)
	}
	held := id("held")
	_, err = s.RequestApproval(t.Context(), ann, store.MergeIssues{Target: held, Sources: []int64{id("merges soon")}})
	require.NoError(t, err)
	regressed := id("regressed")
	storetest.ChangeRows(t, s, `UPDATE issues SET status = 'regressed', status_at = now() WHERE id = $1`, regressed)

	var got []int64
	for {
		next, passed := takeNext(t, s, ann.As(numberedWorker(len(got))), store.NextWanted{})
		if next == 0 {
			require.Equal(t, store.PassedOver{Claimed: 5, Noise: 1, Held: 2}, passed)
			require.Equal(t, "5 are claimed, 1 is noise, 2 wait for an approval", passed.String())
			break
		}
		got = append(got, next)
	}

	require.Equal(t, []int64{regressed, often, once, unfixable}, got)
	none, _ := takeNext(t, s, storetest.MakeActor(3), store.NextWanted{ProjectID: 2})
	require.Zero(t, none, "the issue is in another project")
}

// An issue that a change of code can fix goes before those that no change can fix, even if these fill more than one chunk.
func TestNextPrefersWhatCanBeFixed(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	ann := storetest.MakeActor(1, core.IssuesWrite)
	const unfixable = 60
	no, yes := false, true
	for n := range unfixable {
		id := storetest.MakeIssue(t, s, fmt.Sprint("outage ", n))
		require.NoError(t, s.CorrectTriage(t.Context(), ann, id, core.TriageChange{AgentFixable: &no}, ""))
	}
	storetest.ChangeRows(t, s, `UPDATE issues SET users_affected = 1 + id % 50`)
	fixable := storetest.MakeIssue(t, s, "fixable")
	require.NoError(t, s.CorrectTriage(t.Context(), ann, fixable, core.TriageChange{AgentFixable: &yes}, ""))

	first, _ := takeNext(t, s, ann, store.NextWanted{})
	taken := map[int64]bool{}
	for {
		next, _ := takeNext(t, s, ann.As(numberedWorker(len(taken))), store.NextWanted{})
		if next == 0 {
			break
		}
		taken[next] = true
	}

	require.Equal(t, fixable, first)
	require.Len(t, taken, unfixable, "the others come later, but they all come")
}

func TestNextDoesNotOfferWhatAWorkerGaveBack(t *testing.T) {
	t.Parallel()
	s, c, red, blue := openWithWorkers(t)
	id := storetest.MakeIssue(t, s, "pay")
	take := takeFor(t, s)
	release := func(a core.Actor, note string) {
		_, err := s.ReleaseIssue(t.Context(), a, id, note)
		require.NoError(t, err)
	}

	require.Equal(t, id, take(red))
	release(red, "")
	require.Equal(t, id, take(red), "without a note it is offered again")
	release(red, "needs the payment team")
	_, passed := takeNext(t, s, red, store.NextWanted{})
	require.Equal(t, store.PassedOver{GivenBack: 1}, passed)
	require.Equal(t, id, take(blue), "another worker may try")
	release(blue, "")

	c.Forward(24 * time.Hour)
	require.Equal(t, id, take(red), "a day later")
}

// A ranking is kept for a second. Changes through the same server go before it nevertheless, changes through another one after it.
func TestNextSeesWhatIsNew(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	ann := storetest.MakeActor(1, core.IssuesWrite)
	takes := 0
	take := func() int64 {
		takes++
		next, _ := takeNext(t, pair[0], ann.As(numberedWorker(takes)), store.NextWanted{})
		return next
	}
	makeLoud := func(s *store.Store, name string) int64 {
		id := storetest.MakeIssue(t, s, name)
		storetest.AddEvents(t, s, storetest.MakeShopEvent(name, 2, s.Now()), storetest.MakeShopEvent(name, 3, s.Now()))
		return id
	}
	quiet := map[int64]bool{}
	for n := range 5 {
		quiet[storetest.MakeIssue(t, pair[0], fmt.Sprint("quiet ", n))] = true
	}
	require.Contains(t, quiet, take())

	loud := makeLoud(pair[0], "loud")
	require.Equal(t, loud, take(), "it is seen immediately")
	_, err := pair[0].ReleaseIssue(t.Context(), ann, loud, "")
	require.NoError(t, err)
	require.Equal(t, loud, take(), "and so is the release")

	elsewhere := makeLoud(pair[1], "elsewhere")
	require.Contains(t, quiet, take())
	c.Forward(1001 * time.Millisecond)
	require.Equal(t, elsewhere, take(), "a second later")
	for range len(quiet) - 2 {
		require.Contains(t, quiet, take())
	}

	last := storetest.MakeIssue(t, pair[1], "last")
	require.Equal(t, last, take(), "when nothing is left, it ranks again")
	_, err = pair[1].ReleaseIssue(t.Context(), ann, last, "")
	require.NoError(t, err)
	require.Equal(t, last, take(), "and sees what another server released")
}

// An actor who links a fix has given nothing back: if the error returns, the same worker may try again. Neither has a
// worker that lets go without a note where another worker of the token left one.
func TestNextOffersWhatWasNotGivenBack(t *testing.T) {
	t.Parallel()
	s, c, red, blue := openWithWorkers(t)
	id := storetest.MakeIssue(t, s, "pay")
	take := takeFor(t, s)
	require.Equal(t, id, take(red))
	_, err := s.LinkFix(t.Context(), red, id, store.NewFix{
		Kind: core.FixByCommit, Ref: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", WorkEnd: store.WorkEnd{Note: "null check", Releases: true},
	})
	require.NoError(t, err)
	storetest.ChangeRows(t, s, `UPDATE issues SET status = 'regressed', status_at = now() WHERE id = $1`, id)

	require.Equal(t, id, take(red), "it came back and is free for anyone")

	_, err = s.ReleaseIssue(t.Context(), red, id, "needs the payment team")
	require.NoError(t, err)
	c.Forward(time.Minute)
	require.Equal(t, id, take(blue))
	_, err = s.ReleaseIssue(t.Context(), blue, id, "")
	require.NoError(t, err)
	require.Equal(t, id, take(blue), "the note is another worker's")
}

// TestNextRemembersWhatWasGivenBackLate gives an issue back after the lease has run out. A note of somebody who never held it changes
// nothing.
func TestNextRemembersWhatWasGivenBackLate(t *testing.T) {
	t.Parallel()
	s, c, red, blue := openWithWorkers(t)
	id := storetest.MakeIssue(t, s, "pay")
	take := takeFor(t, s)
	require.Equal(t, id, take(red))
	c.Forward(2 * time.Hour)

	for _, worker := range []core.Actor{red, blue} {
		_, err := s.ReleaseIssue(t.Context(), worker, id, "needs the payment team")
		require.NoError(t, err)
	}

	require.Zero(t, take(red))
	require.Equal(t, id, take(blue))
}

// TestNextIsNeverTheSameForTwo lets 50 agents on two servers take all issues while events arrive.
func TestNextIsNeverTheSameForTwo(t *testing.T) {
	t.Parallel()
	const agents, each = 50, 4
	pair, _ := storetest.OpenPair(t)
	for n := range agents * each {
		storetest.MakeIssue(t, pair[0], fmt.Sprint("group ", n))
	}
	got := make([][]int64, agents)
	counting, stopCounting := context.WithCancel(t.Context())
	counted := make(chan int)
	go func() {
		events := 0
		for ; counting.Err() == nil; events++ {
			storetest.AddEvents(t, pair[events%2], storetest.MakeShopEvent(fmt.Sprint("group ", events%(agents*each)), events+2, pair[0].Now()))
		}
		counted <- events
	}()

	errs := storetest.RunTogether(agents, func(i int) error {
		for n := range each {
			agent := storetest.MakeActor(1).As(numberedWorker(i*each + n))
			issue, passed, err := pair[i%2].ClaimNext(t.Context(), agent, store.NextWanted{Minutes: 60})
			if err != nil {
				return err
			}
			if issue == nil {
				return fmt.Errorf("agent %d got nothing: %v", i, passed)
			}
			got[i] = append(got[i], issue.ID)
		}
		return nil
	})

	stopCounting()
	require.Positive(t, <-counted, "events arrived in the meantime")
	seen := map[int64]int{}
	for i := range agents {
		require.NoError(t, errs[i])
		for n, id := range got[i] {
			seen[id]++
			require.Equal(t, string(numberedWorker(i*each+n)), string(storetest.ReadIssue(t, pair[0], id).Claim.Worker))
		}
	}
	require.Len(t, seen, agents*each)
}

func TestPassedOverSaysWhatWasNotLookedAt(t *testing.T) {
	t.Parallel()
	passed := store.PassedOver{Noise: 2000, HasMore: true}
	require.Equal(t, "2000 are noise, others were not looked at: name a project", passed.String())
}
