package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// TestApproveFailsAfterAChange checks that an action is not done to issues which are no longer what somebody asked about.
func TestApproveFailsAfterAChange(t *testing.T) {
	t.Parallel()
	ask := map[string]func(id, other int64) store.HoldableChange{
		"ignore": func(id, _ int64) store.HoldableChange { return store.IgnoreIssue{ID: id} },
		"merge target": func(id, other int64) store.HoldableChange {
			return store.MergeIssues{Target: id, Sources: []int64{other}}
		},
		"merge source": func(id, other int64) store.HoldableChange {
			return store.MergeIssues{Target: other, Sources: []int64{id}}
		},
	}
	for name, action := range ask {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := storetest.OpenShop(t)
			id, other := storetest.MakeIssue(t, s, "pay"), storetest.MakeIssue(t, s, "ship")
			request := requestApproval(t, s, ann, action(id, other))
			c.Forward(time.Minute)
			_, err := s.ResolveIssue(t.Context(), eve, id, store.WorkEnd{})
			require.NoError(t, err)
			err = s.ApproveRequest(t.Context(), bob, request)
			storetest.RequireCode(t, core.ApprovalFailed, err)
			require.Equal(t, fmt.Sprintf("issue %d has issue.resolve in its activity since the request: ask again if that is still wanted", id),
				core.AsError(err).Extra["reason"])
			requireStatus(t, s, request, core.RequestFailed)
			require.Equal(t, core.Resolved, storetest.ReadIssue(t, s, id).Status)
			require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, other).Status)

			c.Forward(time.Minute)
			again := requestApproval(t, s, ann, action(id, other))
			require.NotEqual(t, request, again)
			c.Forward(time.Minute)
			_, err = s.AddNote(t.Context(), eve, id, "it says nothing about the error")
			require.NoError(t, err)
			require.NoError(t, s.ApproveRequest(t.Context(), bob, again))
		})
	}
}

func TestApproveAMergeAfterAnother(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	target, first, second := storetest.MakeIssue(t, s, "target"), storetest.MakeIssue(t, s, "first"), storetest.MakeIssue(t, s, "second")
	merges := []int64{
		requestApproval(t, s, ann, store.MergeIssues{Target: target, Sources: []int64{first}}),
		requestApproval(t, s, ann, store.MergeIssues{Target: target, Sources: []int64{second}}),
	}
	ignore := requestApproval(t, s, ann, store.IgnoreIssue{ID: target})
	for _, merge := range merges {
		c.Forward(time.Minute)
		require.NoError(t, s.ApproveRequest(t.Context(), bob, merge))
	}
	storetest.RequireCode(t, core.ApprovalFailed, s.ApproveRequest(t.Context(), bob, ignore))
}
