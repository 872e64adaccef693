package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store"
	"errand/store/storetest"
)

// When a role is allowed fewer connections than the server wants, calls that find none free wait and are not refused.
func TestConnectionsFitTheRole(t *testing.T) {
	t.Parallel()
	limited, _ := storetest.MakeRole(t, storetest.NewURL(t), "limited", "CONNECTION LIMIT 5")
	s, err := store.Open(t.Context(), store.Options{URL: limited, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(s.Close)

	wanted, allowed, err := s.FitConnections(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{store.DefaultConnections, 5}, []int{wanted, allowed})
	require.NoError(t, s.ConnectWriter(t.Context()))
	storetest.RequireNoErrors(t, storetest.RunTogether(20, func(int) error {
		for range 5 {
			if err := s.CheckServer(t.Context()); err != nil {
				return err
			}
		}
		return nil
	}))
	wanted, _, err = s.FitConnections(t.Context())
	require.NoError(t, err)
	require.Equal(t, 5, wanted, "it fits now")
}
