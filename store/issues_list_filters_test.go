package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// foundBy returns the issues that a filter finds, in the order of their ids.
func foundBy(t require.TestingT, tb testing.TB, s *store.Store, f store.IssueFilter) []int64 {
	f.Limit = 100
	page, err := s.ListIssues(tb.Context(), f)
	require.NoError(t, err)
	ids := []int64{}
	for _, i := range page.Data {
		ids = append(ids, i.ID)
	}
	slices.Sort(ids)
	return ids
}

// requireNamed requires the filters to find the issues that have such a stored event, in every order.
func requireNamed(t *testing.T, s *store.Store, field, name string, want ...int64) {
	t.Helper()
	for _, f := range []store.IssueFilter{{}, {Sort: core.ByPriority}, {ProjectID: storetest.Shop}} {
		if field == "release" {
			f.Release = name
		} else {
			f.Environment = name
		}
		got := foundBy(t, t, s, f)
		require.ElementsMatch(t, want, got, "%s %s, %+v", field, name, f)
	}
}

// makePlacedEvent returns an event with a release and an environment.
func makePlacedEvent(group string, n int, at core.Time, release, environment string) intake.NewEvent {
	e := storetest.MakeShopEvent(group, n, at)
	e.Release, e.Environment = release, environment
	return e
}

func TestFiltersForgetWhatIsTrimmed(t *testing.T) {
	t.Parallel()
	s, c, id := storetest.OpenHot(t)
	storetest.AddEvents(t, s, makePlacedEvent("hot", 1000, c.At(0), "2.0", "staging"))
	storetest.AddEvents(t, s, makePlacedEvent("hot", 1001, c.At(0), "3.0", "canary"),
		makePlacedEvent("hot", 1002, c.At(0), "3.0", "production"))
	require.NoError(t, s.Intake.TrimAllIssues(t.Context()))
	requireNamed(t, s, "release", "2.0", id)
	requireNamed(t, s, "environment", "staging", id)
	requireNamed(t, s, "environment", "canary", id)
	c.Forward(time.Second)
	var more []intake.NewEvent
	for n := range 200 {
		more = append(more, makePlacedEvent("hot", 2000+n, c.At(0), "4.0", "production"))
	}
	storetest.AddEvents(t, s, more...)
	require.NoError(t, s.Intake.TrimAllIssues(t.Context()))
	for _, gone := range []string{"2.0", "3.0"} {
		requireNamed(t, s, "release", gone)
	}
	for _, gone := range []string{"staging", "canary"} {
		requireNamed(t, s, "environment", gone)
	}
	requireNamed(t, s, "release", "1.0", id)
	requireNamed(t, s, "release", "4.0", id)
	requireNamed(t, s, "environment", "production", id)
	storetest.AddEvents(t, s, makePlacedEvent("hot", 3000, c.At(0), "2.0", "staging"),
		makePlacedEvent("hot", 3001, c.At(0), "4.0", "production"))
	require.NoError(t, s.Intake.TrimAllIssues(t.Context()))
	requireNamed(t, s, "environment", "staging", id)
}

func TestFiltersForgetWhatHasExpired(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.AddEvents(t, s, makePlacedEvent("pay", 1, c.At(0), "1.0", "production"),
		makePlacedEvent("pay", 2, c.At(time.Second), "1.1", "staging")).IssueID
	c.Forward(48 * time.Hour)
	storetest.AddEvents(t, s, makePlacedEvent("pay", 3, c.At(0), "1.2", "production"))
	requireNamed(t, s, "release", "1.1", id)
	storetest.DropExpired(t, s, 1)
	requireNamed(t, s, "release", "1.1")
	requireNamed(t, s, "environment", "staging")
	requireNamed(t, s, "release", "1.0", id) // its first one
	requireNamed(t, s, "environment", "production", id)
}

func TestFiltersForgetWhatIsSplitOff(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	first := storetest.AddEvents(t, s, makePlacedEvent("pay", 1, c.At(0), "1.0", "production"))
	moved := storetest.AddEvents(t, s, makePlacedEvent("pay", 2, c.At(time.Second), "1.1", "staging"))
	storetest.AddEvents(t, s, makePlacedEvent("pay", 3, c.At(2*time.Second), "1.2", "production"))
	made := splitIssue(t, s, first.IssueID, moved.ID).ID
	requireNamed(t, s, "release", "1.1", made)
	requireNamed(t, s, "environment", "staging", made)
	requireNamed(t, s, "environment", "production", first.IssueID)
	storetest.MergeIssues(t, s, first.IssueID, made)
	requireNamed(t, s, "environment", "staging", first.IssueID)
}

// requireFilters compares the results of the filters with the stored events of the model.
func (g *game) requireFilters(r *rapid.T, t *testing.T) {
	for _, environment := range []string{"production", "staging"} {
		got := foundBy(r, t, g.pair[0], store.IssueFilter{ProjectID: g.project, Environment: environment})
		require.Equal(r, g.withEvent(func(e intake.NewEvent) bool { return e.Environment == environment }, nil), got, environment)
	}
	for _, release := range []string{"1.0", "1.1"} {
		got := foundBy(r, t, g.pair[1], store.IssueFilter{ProjectID: g.project, Release: release})
		ends := func(i *playedIssue) bool { return i.FirstRelease == release || i.LastRelease == release }
		require.Equal(r, g.withEvent(func(e intake.NewEvent) bool { return e.Release == release }, ends), got, fmt.Sprint("release ", release))
	}
}

// withEvent returns the unmerged issues that have such a stored event or fulfil the condition is themselves.
func (g *game) withEvent(has func(intake.NewEvent) bool, is func(*playedIssue) bool) []int64 {
	ids := []int64{}
	for _, id := range sortedKeys(g.issues) {
		i := g.issues[id]
		ok := is != nil && is(i)
		for _, e := range g.events {
			ok = ok || e.issue == id && has(e.sent)
		}
		if ok && i.Status != core.Merged {
			ids = append(ids, id)
		}
	}
	return ids
}
