package store_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// TestActivityOfOneMomentIsListedByID reads rows of one millisecond. They come newest id first, in pages of any size, and keep their
// places when rows of that millisecond are added.
func TestActivityOfOneMomentIsListedByID(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	ctx, actor := t.Context(), core.NewBootstrapActor()
	issue := storetest.MakeIssue(t, s, "boom")
	project := storetest.ReadIssue(t, s, issue).ProjectID
	tag := func(from, to int) {
		for n := from; n < to; n++ {
			_, _, err := s.AddTag(ctx, actor, project, issue, "tag-"+strconv.Itoa(n))
			require.NoError(t, err)
		}
	}
	tag(0, 7)
	all, err := s.ListActivity(ctx, store.ActivityFilter{Paging: core.Paging{Limit: 100}})
	require.NoError(t, err)
	require.Len(t, all.Data, 8, "the project, and its tags")
	for i := range all.Data[1:] {
		require.Equal(t, all.Data[0].At, all.Data[i+1].At)
		require.Greater(t, all.Data[i].ID, all.Data[i+1].ID)
	}
	lists := map[string]func(core.Paging) (core.Page[core.Activity], error){
		"of the installation": func(page core.Paging) (core.Page[core.Activity], error) {
			return s.ListActivity(ctx, store.ActivityFilter{Paging: page})
		},
		"of an issue": func(page core.Paging) (core.Page[core.Activity], error) {
			return s.ListIssueActivity(ctx, issue, core.AllActivity, page)
		},
	}
	cursors := map[string]core.Cursor{}
	read := map[string][]core.Activity{}
	for name, list := range lists {
		page, err := list(core.Paging{Limit: 3})
		require.NoError(t, err)
		cursors[name], read[name] = page.NextCursor, page.Data
	}
	tag(7, 9)
	for name, list := range lists {
		for cursor := cursors[name]; cursor != ""; {
			page, err := list(core.Paging{Limit: 2, Cursor: cursor})
			require.NoError(t, err)
			read[name], cursor = append(read[name], page.Data...), page.NextCursor
		}
	}
	require.Equal(t, []core.Activity(all.Data), read["of the installation"])
	require.Equal(t, []core.Activity(all.Data[:7]), read["of an issue"])
}
