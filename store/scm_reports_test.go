package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// A body alone says little: the same one much later is another report. An id is remembered for a month.
func TestReportsAreKnownForAWhile(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	isKnown := func(keys ...core.SCMKey) bool {
		t.Helper()
		isDuplicate, err := s.RememberReport(t.Context(), keys)
		require.NoError(t, err)
		return isDuplicate
	}
	body, id, other := core.SCMKey{Text: "body", IsOfBody: true}, core.SCMKey{Text: "id"}, core.SCMKey{Text: "other id"}

	require.False(t, isKnown(body, id))
	c.Forward(10 * time.Minute)
	require.True(t, isKnown(body, other), "the same body again")
	c.Forward(time.Second)
	require.True(t, isKnown(body, id), "the same id again")
	require.False(t, isKnown(core.SCMKey{Text: "body of another"}))
	c.Forward(11 * time.Minute)
	require.False(t, isKnown(body))
	require.True(t, isKnown(body), "one body without an id")
}
