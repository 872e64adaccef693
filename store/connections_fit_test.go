package store_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/store"
	"errand/store/storetest"
)

// When a role is allowed fewer connections than the server wants, calls that find none free wait and are not refused.
func TestConnectionsFitTheRole(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(storetest.NewURL(t))
	require.NoError(t, err)
	root, err := pgx.Connect(t.Context(), u.String())
	require.NoError(t, err)
	role := "limited_" + strings.TrimPrefix(u.Path, "/")
	_, err = root.Exec(t.Context(), `CREATE ROLE `+role+` LOGIN CONNECTION LIMIT 5`)
	require.NoError(t, err)
	u.User = url.User(role)
	s, err := store.Open(t.Context(), store.Options{URL: u.String(), Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() {
		s.Close()
		_, err := root.Exec(context.Background(), `DROP ROLE `+role)
		require.NoError(t, err)
		_ = root.Close(context.Background())
	})

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
