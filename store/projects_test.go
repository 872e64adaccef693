package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

func TestCreateProject(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	s := storetest.NewAt(t, c.Tell)
	got, err := s.CreateProject(t.Context(), storetest.MakeActor(5),
		store.NewProject{ID: storetest.Shop, Name: "Web Shop!", Platform: "node", PublicKey: "key"})
	require.NoError(t, err)
	require.Equal(t, store.StoredProject{
		Project: core.Project{
			ID: storetest.Shop, Name: "Web Shop!", Slug: "web-shop", Platform: "node", CreatedAt: c.At(0), Trust: core.TrustHigh,
			SourceTrust: core.TrustHigh,
			ScrubKeys:   core.List[string]{}, ScrubPatterns: core.List[string]{},
		},
		Keys: []string{"key"},
	}, got)
	again, err := s.ReadProject(t.Context(), storetest.Shop)
	require.NoError(t, err)
	require.Equal(t, got, again)
	require.EqualValues(t, 1, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM activity
		WHERE project_id = $1 AND action = 'project.create'
		AND target_type = 'project' AND target_id = $1 AND actor_id = 5 AND data IS NULL`, storetest.Shop))
}

func TestSlugs(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	var slugs []string
	for n, name := range []string{"Shop", "shop", "SHOP!", "Shop 2", "Shopping", "Shop", "42", "___", "Shop_x"} {
		slugs = append(slugs, storetest.MakeProject(t, s, int64(storetest.Shop+n), name).Slug)
	}
	require.Equal(t, []string{"shop", "shop-1", "shop-2", "shop-2-1", "shopping", "shop-3", "app-42", "app", "shop-x"}, slugs)

	storetest.HideProject(t, s, storetest.Shop+1)
	require.Equal(t, "shop-1", storetest.MakeProject(t, s, storetest.Shop+20, "Shop").Slug, "the name of a deleted project can be used again")
}

func TestManyServersCreateProjectsOfOneName(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	const many = 12
	storetest.RequireNoErrors(t, storetest.RunTogether(many, func(i int) error {
		_, err := pair[i%2].CreateProject(t.Context(), storetest.MakeActor(1),
			store.NewProject{ID: int64(storetest.Shop + 1 + i), Name: "Shop", PublicKey: fmt.Sprint("key", i)})
		return err
	}))
	want := []string{"shop"}
	for n := range many {
		want = append(want, fmt.Sprint("shop-", n+1))
	}
	got := storetest.ReadColumn[string](t, pair[0], `SELECT slug FROM projects`)
	require.ElementsMatch(t, want, got)
	require.EqualValues(t, many+1, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM activity WHERE action = 'project.create'`))
}

func TestProjectIDTaken(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	for _, state := range []string{"active", "deleted"} {
		if state == "deleted" {
			storetest.HideProject(t, s, storetest.Shop)
		}
		_, err := s.CreateProject(t.Context(), storetest.MakeActor(1), store.NewProject{ID: storetest.Shop, Name: "Office", PublicKey: "other"})
		require.ErrorIs(t, err, store.ErrIDTaken, state)
	}
	require.EqualValues(t, 1, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM project_keys`))
}

func TestFindProject(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Gone")
	storetest.HideProject(t, s, storetest.Shop+1)
	for _, ref := range []core.ProjectRef{"shop", "1000000001", "Shop", "SHOP"} {
		id, err := s.FindProject(t.Context(), ref)
		require.NoError(t, err)
		require.EqualValues(t, storetest.Shop, id)
	}
	for _, ref := range []core.ProjectRef{"shop-1", "1000000003", "gone", "1000000002", "", "-1", "99999999999999999999", "1e9",
		"' OR true --"} {
		_, err := s.FindProject(t.Context(), ref)
		storetest.RequireCode(t, core.ProjectNotFound, err)
	}
	_, err := s.ReadProject(t.Context(), storetest.Shop+1)
	storetest.RequireCode(t, core.NotFound, err)
}

func TestProjectsListsTheMostRecentFirst(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	s := storetest.NewAt(t, c.Tell)
	all, err := s.ListProjects(t.Context())
	require.NoError(t, err)
	require.Empty(t, all)
	for n := range 4 {
		c.Forward(time.Duration(n/2) * time.Second)
		storetest.MakeProject(t, s, int64(storetest.Shop+n), fmt.Sprint("P", n))
	}
	storetest.HideProject(t, s, storetest.Shop+1)
	all, err = s.ListProjects(t.Context())
	require.NoError(t, err)
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
		alone, err := s.ReadProject(t.Context(), p.ID)
		require.NoError(t, err)
		require.Equal(t, alone, p)
	}
	require.Equal(t, []string{"P3", "P2", "P0"}, names)
}

func TestProjectReadsItsSettings(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.ChangeRows(t, s, `UPDATE projects SET repository = 'acme/shop', trust_setting = 'low', daily_quota = 5, scrub_keys = '{iban}',
		scrub_patterns = '{a+,b+}', allowed_origins = '{https://shop.example}', demo = true`)
	p, err := s.ReadProject(t.Context(), storetest.Shop)
	require.NoError(t, err)
	low, quota, origins := core.TrustLow, int64(5), []string{"https://shop.example"}
	require.Equal(t, core.Project{
		ID: storetest.Shop, Name: "Shop", Slug: "shop", Platform: "go", CreatedAt: core.At(storetest.Noon), Repository: "acme/shop",
		Trust: low, TrustSetting: &low, SourceTrust: low, AllowedOrigins: &origins, DailyQuota: &quota,
		ScrubKeys: core.List[string]{"iban"}, ScrubPatterns: core.List[string]{"a+", "b+"}, Demo: true,
	}, p.Project)
	intake, err := s.FindIntakeProject(t.Context(), p.Keys[0])
	require.NoError(t, err)
	require.Equal(t, store.IntakeProject{
		ID: storetest.Shop, Name: "Shop", Slug: "shop", Platform: "go", TrustSetting: &low, DailyQuota: &quota,
		ScrubKeys: []string{"iban"}, ScrubPatterns: []string{"a+", "b+"}, AllowedOrigins: &origins,
	}, intake)
	same, err := s.ReadIntakeProject(t.Context(), storetest.Shop)
	require.NoError(t, err)
	require.Equal(t, intake, same)
	_, err = s.ReadIntakeProject(t.Context(), storetest.Shop+1)
	require.True(t, core.HasCode(err, core.NotFound))
}

func TestProjectCountsEvents(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	arrive := func(n int, ago time.Duration) {
		e := storetest.MakeShopEvent("pay", n, c.At(-ago))
		e.OccurredAt = c.At(-29 * 24 * time.Hour) // counts go by arrival
		storetest.AddEvents(t, s, e, e)
	}
	arrive(1, 0)                           // 12:30 today
	arrive(2, 12*time.Hour+30*time.Minute) // 00:00 today
	arrive(3, 12*time.Hour+31*time.Minute) // 23:59 yesterday
	arrive(4, 23*time.Hour+30*time.Minute) // 12:59 yesterday: its hour is not completely inside
	arrive(5, 23*time.Hour+31*time.Minute) // 12:59 yesterday: its hour is not wholly inside
	p, err := s.ReadProject(t.Context(), storetest.Shop)
	require.NoError(t, err)
	require.EqualValues(t, 2, p.EventsToday, "an event sent twice counts once")
	require.EqualValues(t, 4, p.Events24h)
	require.Equal(t, c.At(0), p.LastEventAt)
}

func TestProjectKeys(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	first := fmt.Sprint("key", storetest.Shop)
	keys := func() []string {
		p, err := s.ReadProject(t.Context(), storetest.Shop)
		require.NoError(t, err)
		return p.Keys
	}
	storetest.RequireCode(t, core.LastKey, s.RevokeProjectKey(t.Context(), core.NewBootstrapActor(), storetest.Shop, first))
	c.Forward(time.Second)
	require.NoError(t, s.CreateProjectKey(t.Context(), core.NewBootstrapActor(), storetest.Shop, "a second"))
	require.Equal(t, []string{first, "a second"}, keys(), "oldest first")

	storetest.RequireCode(t, core.NotFound, s.RevokeProjectKey(t.Context(), core.NewBootstrapActor(), storetest.Shop, "unknown"))
	storetest.RequireCode(t, core.NotFound, s.RevokeProjectKey(t.Context(), core.NewBootstrapActor(), storetest.Shop,
		fmt.Sprint("key", storetest.Shop+1)))
	storetest.RequireCode(t, core.NotFound, s.RevokeProjectKey(t.Context(), core.NewBootstrapActor(), 12345, first))
	require.NoError(t, s.RevokeProjectKey(t.Context(), core.NewBootstrapActor(), storetest.Shop, first))
	require.Equal(t, []string{"a second"}, keys())
	storetest.RequireCode(t, core.NotFound, s.RevokeProjectKey(t.Context(), core.NewBootstrapActor(), storetest.Shop, first))
	storetest.RequireCode(t, core.LastKey, s.RevokeProjectKey(t.Context(), core.NewBootstrapActor(), storetest.Shop, "a second"))

	intake, err := s.FindIntakeProject(t.Context(), "a second")
	require.NoError(t, err)
	require.EqualValues(t, storetest.Shop, intake.ID)
	for _, key := range []string{first, "unknown", ""} {
		_, err = s.FindIntakeProject(t.Context(), key)
		storetest.RequireCode(t, core.NotFound, err)
	}
	storetest.HideProject(t, s, storetest.Shop)
	_, err = s.FindIntakeProject(t.Context(), "a second")
	storetest.RequireCode(t, core.NotFound, err)
	storetest.RequireCode(t, core.NotFound, s.RevokeProjectKey(t.Context(), core.NewBootstrapActor(), storetest.Shop, "a second"))
}

func TestLastTwoKeysAreNotBothRevoked(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	for round := range 20 {
		active, err := pair[0].ReadProject(t.Context(), storetest.Shop)
		require.NoError(t, err)
		require.Len(t, active.Keys, 1)
		keys := append(slices.Clone(active.Keys), fmt.Sprint("round ", round))
		require.NoError(t, pair[0].CreateProjectKey(t.Context(), core.NewBootstrapActor(), storetest.Shop, keys[1]))
		errs := storetest.RunTogether(2, func(i int) error {
			return pair[i].RevokeProjectKey(t.Context(), core.NewBootstrapActor(), storetest.Shop, keys[i])
		})
		if errs[0] == nil {
			errs[0], errs[1] = errs[1], errs[0]
		}
		storetest.RequireCode(t, core.LastKey, errs[0])
		require.NoError(t, errs[1])
	}
}

func TestIngestState(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	storetest.MakeProject(t, s, storetest.Shop+2, "Gone")
	storetest.HideProject(t, s, storetest.Shop+2)
	state := func(project int64) core.IngestState {
		got, err := s.ReadIngestState(t.Context(), project)
		require.NoError(t, err)
		return got
	}
	require.Equal(t, core.IngestState{State: "idle"}, state(storetest.Shop))
	require.Equal(t, core.IngestState{State: "idle"}, state(0))

	first := c.At(0)
	storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, first), storetest.MakeShopEvent("pay", 2, first))
	storetest.AddEvents(t, s, storetest.MakeEvent(storetest.Shop+2, "pay", 1, first)) // a deleted project is not counted
	require.Equal(t, core.IngestState{State: "ok", Events24h: 2, LastEventAt: first, QuotaUsed: 2}, state(storetest.Shop))
	require.Equal(t, core.IngestState{State: "ok", Events24h: 2, LastEventAt: first, QuotaUsed: 2}, state(0))
	require.Equal(t, core.IngestState{State: "idle"}, state(storetest.Shop+1))

	storetest.ChangeRows(t, s, `UPDATE projects SET daily_quota = 3 WHERE id = $1`, storetest.Shop)
	quota := int64(3)
	require.Equal(t, core.IngestState{State: "ok", Events24h: 2, LastEventAt: first, QuotaUsed: 2, Quota: &quota}, state(storetest.Shop))
	storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 3, first))
	require.Equal(t, core.IngestState{State: "over_quota", Events24h: 3, LastEventAt: first, QuotaUsed: 3, Quota: &quota},
		state(storetest.Shop))
	require.Equal(t, core.IngestState{State: "ok", Events24h: 3, LastEventAt: first, QuotaUsed: 3}, state(0),
		"all projects have no quota together")

	c.Forward(12 * time.Hour) // the next day, 00:30
	require.Equal(t, core.IngestState{State: "ok", Events24h: 3, LastEventAt: first, Quota: &quota}, state(storetest.Shop))
	c.Forward(12*time.Hour - time.Millisecond)
	require.Equal(t, "ok", state(storetest.Shop).State)
	c.Forward(time.Millisecond)
	require.Equal(t, core.IngestState{State: "idle", LastEventAt: first, Quota: &quota}, state(storetest.Shop))
}

func TestInstallSecretIsOneForAllServers(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	secrets := make([]string, 8)
	storetest.RequireNoErrors(t, storetest.RunTogether(8, func(i int) error {
		secret, err := pair[i%2].EnsureSecret(t.Context(), "users", fmt.Append(nil, "fresh ", i))
		secrets[i] = string(secret)
		return err
	}))
	require.Len(t, slices.Compact(secrets), 1)
	other, err := pair[0].EnsureSecret(t.Context(), "other", []byte{0, 255})
	require.NoError(t, err)
	require.Equal(t, []byte{0, 255}, other)
}
