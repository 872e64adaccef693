package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

func makeAPIKey(t *testing.T, s *store.Store, name string) core.APIKey {
	t.Helper()
	key, err := s.CreateAPIKey(t.Context(), core.NewBootstrapActor(), store.NewAPIKey{
		Name: name, Hash: hashOf(name), Prefix: "cka_012345", Permissions: []core.Scope{"apps:read", "problems:write"},
	})
	require.NoError(t, err)
	return key
}

func TestAPIKeysAreListed(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	first := makeAPIKey(t, s, "first")
	c.Forward(time.Second)
	second := makeAPIKey(t, s, "second")

	listed, err := s.ListAPIKeys(t.Context())

	require.NoError(t, err)
	require.Equal(t, []core.APIKey{second, first}, listed, "most recent first")
	require.Equal(t, []int64{first.ID, second.ID}, storetest.ReadColumn[int64](t, s,
		`SELECT target_id FROM activity WHERE action = 'api_key.create' AND target_type = 'api_key' ORDER BY at`))
}

func TestUseOfAPIKeyIsNotedOnceAMinute(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	key := makeAPIKey(t, s, "dashboard")
	usedAt := func() core.Time {
		used, err := s.UseAPIKey(t.Context(), hashOf("dashboard"))
		require.NoError(t, err)
		require.Equal(t, key.ID, used.ID)
		listed, err := s.ListAPIKeys(t.Context())
		require.NoError(t, err)
		return listed[0].LastUsedAt
	}

	first := c.At(0)
	require.Equal(t, first, usedAt())
	c.Forward(59 * time.Second)
	require.Equal(t, first, usedAt(), "not written again within a minute")
	c.Forward(time.Second)
	require.Equal(t, c.At(0), usedAt())
}

func TestRevokedAPIKeyStopsOnEveryServer(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	key := makeAPIKey(t, pair[0], "dashboard")
	_, err := pair[1].UseAPIKey(t.Context(), hashOf("dashboard"))
	require.NoError(t, err)

	require.NoError(t, pair[0].RevokeAPIKey(t.Context(), core.NewBootstrapActor(), key.ID))

	_, err = pair[1].UseAPIKey(t.Context(), hashOf("dashboard"))
	storetest.RequireCode(t, core.NotFound, err)
	storetest.RequireCode(t, core.NotFound, pair[0].RevokeAPIKey(t.Context(), core.NewBootstrapActor(), key.ID))
	storetest.RequireCode(t, core.NotFound, pair[0].RevokeAPIKey(t.Context(), core.NewBootstrapActor(), 404))
}
