package store_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// TestCursorOfAnotherFilterIsRefused sets each field of the filter alone: a field missing from the digest would let the
// cursor of a list without it pass.
func TestCursorOfAnotherFilterIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	for n := range 3 {
		storetest.MakeIssue(t, s, fmt.Sprint(n))
	}
	onePage := core.Paging{Limit: 1}
	first, err := s.ListIssues(t.Context(), store.IssueFilter{Paging: onePage})
	require.NoError(t, err)
	require.NotEmpty(t, first.NextCursor)

	for field := range reflect.TypeFor[store.IssueFilter]().Fields() {
		if field.Type == reflect.TypeFor[core.Paging]() {
			continue
		}
		for _, example := range examplesOf(field.Name) {
			t.Run(fmt.Sprint(field.Name, " ", example), func(t *testing.T) {
				t.Parallel()
				f := store.IssueFilter{Paging: core.Paging{Limit: 1, Cursor: first.NextCursor}}
				reflect.ValueOf(&f).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(example))

				_, err := s.ListIssues(t.Context(), f)

				storetest.RequireCode(t, core.InvalidRequest, err)
			})
		}
	}
}
