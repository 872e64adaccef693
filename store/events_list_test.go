package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// addTaggedEvents adds events of one issue, one a minute, with two releases, three users and a tag on every fourth.
func addTaggedEvents(t *testing.T, s *store.Store, c *storetest.Clock, count int) (issue int64) {
	t.Helper()
	for n := range count {
		e := storetest.MakeShopEvent("pay", n, c.At(time.Duration(n)*time.Minute))
		e.Release, e.Environment = fmt.Sprint("shop@", n%2), "production"
		e.User = storetest.HashUser(n % 3)
		event := core.Event{Release: core.Untrusted(e.Release), Tags: core.Value{Kind: core.Object, Kids: []core.Member{
			{Key: "customer", Value: core.StringValue(map[bool]string{true: "acme: north", false: "other"}[n%4 == 0])},
		}}}
		e.Payload = intake.PackPlain(event.AppendJSON(nil))
		issue = storetest.AddEvents(t, s, e).IssueID
	}
	return issue
}

func TestListIssueEventsFilters(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	const count = 24
	issue := addTaggedEvents(t, s, c, count)
	c.Now = c.At(count * time.Minute).Time
	all, err := s.ListIssueEvents(t.Context(), issue, store.EventFilter{Paging: core.Paging{Limit: 100}})
	require.NoError(t, err)
	require.Len(t, all.Data, count)
	require.Len(t, string(all.Data[0].User), 12)
	user := core.UserHash(all.Data[0].User)
	minute := func(n int) core.Since {
		return core.Since(c.At(time.Duration(n-count) * time.Minute).UTC().Format(time.RFC3339Nano))
	}

	for name, test := range map[string]struct {
		filter store.EventFilter
		want   func(n int) bool // of the n-th event
	}{
		"release":       {store.EventFilter{Release: "shop@1"}, func(n int) bool { return n%2 == 1 }},
		"environment":   {store.EventFilter{Environment: "staging"}, func(int) bool { return false }},
		"user":          {store.EventFilter{User: user}, func(n int) bool { return n%3 == (count-1)%3 }},
		"tag":           {store.EventFilter{Tag: "customer:acme: north"}, func(n int) bool { return n%4 == 0 }},
		"tag of nobody": {store.EventFilter{Tag: "customer:acme"}, func(int) bool { return false }},
		"found tag":     {store.EventFilter{Tag: "release:shop@1"}, func(n int) bool { return n%2 == 1 }},
		"since":         {store.EventFilter{Since: minute(10)}, func(n int) bool { return n >= 10 }},
		"until":         {store.EventFilter{Until: minute(10)}, func(n int) bool { return n < 10 }},
		"all at once": {store.EventFilter{Release: "shop@0", Tag: "customer:acme: north", Since: minute(3), Until: minute(20)},
			func(n int) bool { return n%4 == 0 && n >= 3 && n < 20 }},
		"the last 5 minutes": {store.EventFilter{Since: "5m"}, func(n int) bool { return n >= count-5 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want, got []int64
			for i, e := range all.Data {
				if test.want(count - 1 - i) {
					want = append(want, e.ID)
				}
			}
			test.filter.Limit = 2
			for pages := 0; pages <= count; pages++ {
				page, err := s.ListIssueEvents(t.Context(), issue, test.filter)
				require.NoError(t, err)
				for _, e := range page.Data {
					got = append(got, e.ID)
				}
				if test.filter.Cursor = page.NextCursor; page.NextCursor == "" {
					break
				}
			}
			require.Equal(t, want, got)
		})
	}
}

func TestACursorOfOtherEventsIsRefused(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	issue := addTaggedEvents(t, s, c, 6)
	page, err := s.ListIssueEvents(t.Context(), issue, store.EventFilter{Release: "shop@1", Paging: core.Paging{Limit: 1}})
	require.NoError(t, err)

	others := store.EventFilter{Release: "shop@0", Paging: core.Paging{Limit: 1, Cursor: page.NextCursor}}
	_, err = s.ListIssueEvents(t.Context(), issue, others)

	storetest.RequireCode(t, core.InvalidRequest, err)
}

func TestCountTags(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	issue := addTaggedEvents(t, s, c, 12)
	unreadable := storetest.MakeShopEvent("pay", 100, c.At(time.Hour))
	unreadable.Payload = intake.Payload{Bytes: []byte("{}")}
	storetest.AddEvents(t, s, unreadable)

	shares, err := s.CountTags(t.Context(), issue, 9, 1)

	require.NoError(t, err, "an unreadable event is skipped")
	require.Len(t, shares, 3)
	require.Equal(t, core.TagShares{Key: "release", Events: 8, Of: 8, Distinct: 2,
		Values: core.List[core.TagShare]{{Value: "shop@0", Events: 4}}}, shares[0])
	require.Equal(t, core.Untrusted("user"), shares[1].Key)
	require.Equal(t, int64(3), shares[1].Distinct)
	require.Equal(t, core.TagShares{Key: "customer", Events: 8, Of: 8, Distinct: 2,
		Values: core.List[core.TagShare]{{Value: "other", Events: 6}}}, shares[2])
}

func TestListIssuesByTag(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	var want []int64
	for n := range 40 {
		e := storetest.MakeShopEvent(fmt.Sprint("issue ", n), n, c.At(time.Duration(n)*time.Minute))
		event := core.Event{Tags: core.Value{Kind: core.Object, Kids: []core.Member{
			{Key: "customer", Value: core.StringValue(fmt.Sprint(n % 5))},
		}}}
		e.Payload = intake.PackPlain(event.AppendJSON(nil))
		added := storetest.AddEvents(t, s, e)
		if n%5 == 2 {
			want = append([]int64{added.IssueID}, want...)
		}
	}
	for _, sort := range []core.IssueSort{core.ByLastSeen, core.ByPriority} {
		var got []int64
		filter := store.IssueFilter{Tag: "customer:2", Sort: sort, Paging: core.Paging{Limit: 3}}
		for range 40 {
			page, err := s.ListIssues(t.Context(), filter)
			require.NoError(t, err)
			require.LessOrEqual(t, len(page.Data), 3)
			for _, issue := range page.Data {
				got = append(got, issue.ID)
			}
			if filter.Cursor = page.NextCursor; page.NextCursor == "" {
				break
			}
		}
		require.ElementsMatch(t, want, got, sort)
	}
}

func TestFindEvent(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	added := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, c.At(0)))
	event, err := s.ReadEvent(t.Context(), added.ID)
	require.NoError(t, err)
	text := event.EventID
	dashed := text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
	for _, ref := range []core.EventRef{core.EventRef(fmt.Sprint(added.ID)), core.EventRef(text), core.EventRef(dashed)} {
		require.NoError(t, ref.Check())
		id, err := s.FindEvent(t.Context(), ref)
		require.NoError(t, err, ref)
		require.Equal(t, added.ID, id)
	}
	for _, ref := range []core.EventRef{"0", "-1", "x", "00000000000000000000000000000zzz", "9007199254740993"} {
		require.Error(t, ref.Check(), ref)
	}
	_, err = s.FindEvent(t.Context(), "00000000000000000000000000000000")
	storetest.RequireCode(t, core.NotFound, err)
}
