package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

func setOpt[T any](v T) core.Opt[T] { return core.Opt[T]{Set: true, Value: v} }

func nullOpt[T any]() core.Opt[T] { return core.Opt[T]{Set: true, Null: true} }

// listUpdates returns the data of the activity rows about changes of a project, oldest first.
func listUpdates(t *testing.T, s *store.Store, project int64) []string {
	t.Helper()
	return storetest.ReadColumn[string](t, s, `SELECT data::text FROM activity
		WHERE project_id = $1 AND action = 'project.update' AND target_type = 'project' AND target_id = $1 AND actor_id = 5 ORDER BY id`, project)
}

func TestUpdateProject(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	office, err := s.ReadProject(t.Context(), storetest.Shop+1)
	require.NoError(t, err)
	before, err := s.ReadProject(t.Context(), storetest.Shop)
	require.NoError(t, err)

	c.Forward(time.Minute)
	all := core.ProjectChange{
		Repository: setOpt("acme/shop"), Trust: setOpt(core.TrustLow), DailyQuota: setOpt[int64](5), ScrubKeys: setOpt([]string{"iban", "IBAN"}),
		ScrubPatterns: setOpt([]string{"a{1,3}", `"\\`}), AllowedOrigins: setOpt([]string{"https://shop.example"}),
	}
	low, quota, origins := core.TrustLow, int64(5), []string{"https://shop.example"}
	want := before
	want.Repository, want.Trust, want.SourceTrust, want.TrustSetting, want.DailyQuota = "acme/shop", low, low, &low, &quota
	want.ScrubKeys, want.ScrubPatterns, want.AllowedOrigins = core.List[string]{"iban", "IBAN"}, core.List[string]{"a{1,3}", `"\\`}, &origins
	for range 2 { // the second changes nothing
		got, err := s.UpdateProject(t.Context(), storetest.MakeActor(5), storetest.Shop, all)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	stored, err := s.ReadProject(t.Context(), storetest.Shop)
	require.NoError(t, err)
	require.Equal(t, want, stored)
	rows := listUpdates(t, s, storetest.Shop)
	require.Len(t, rows, 1)
	require.JSONEq(t, `{"repository": "acme/shop", "trust": "low", "daily_quota": 5, "scrub_keys": ["iban", "IBAN"],
		"scrub_patterns": ["a{1,3}", "\"\\\\"], "allowed_origins": ["https://shop.example"]}`, rows[0])

	cleared, err := s.UpdateProject(t.Context(), storetest.MakeActor(5), storetest.Shop, core.ProjectChange{
		Repository: nullOpt[string](), Trust: nullOpt[core.Trust](), DailyQuota: nullOpt[int64](), ScrubKeys: setOpt([]string{}),
		ScrubPatterns:  setOpt([]string{}),
		AllowedOrigins: nullOpt[[]string](),
	})
	require.NoError(t, err)
	require.Equal(t, before, cleared)
	require.JSONEq(t, `{"repository": null, "trust": null, "daily_quota": null,
		"scrub_keys": [], "scrub_patterns": [], "allowed_origins": null}`,
		listUpdates(t, s, storetest.Shop)[1])

	other, err := s.ReadProject(t.Context(), storetest.Shop+1)
	require.NoError(t, err)
	require.Equal(t, office, other, "another project is unchanged")
}

func TestUpdateProjectNotesOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	for _, c := range []struct {
		change core.ProjectChange
		data   string // of the activity row; empty for none
	}{
		{core.ProjectChange{}, ``},
		{core.ProjectChange{Trust: nullOpt[core.Trust](), DailyQuota: nullOpt[int64](), Repository: nullOpt[string](),
			AllowedOrigins: nullOpt[[]string]()}, ``},
		{core.ProjectChange{ScrubKeys: setOpt([]string{}), ScrubPatterns: setOpt([]string{})}, ``},
		{core.ProjectChange{DailyQuota: setOpt[int64](5), Trust: nullOpt[core.Trust]()}, `{"daily_quota": 5}`},
		{core.ProjectChange{DailyQuota: setOpt[int64](5), Trust: setOpt(core.TrustHigh)}, `{"trust": "high"}`},
		{core.ProjectChange{ScrubKeys: setOpt([]string{"a", "b"})}, `{"scrub_keys": ["a", "b"]}`},
		{core.ProjectChange{ScrubKeys: setOpt([]string{"b", "a"})}, `{"scrub_keys": ["b", "a"]}`},
		{core.ProjectChange{ScrubKeys: setOpt([]string{"b", "a"}), DailyQuota: setOpt[int64](5)}, ``},
	} {
		before := len(listUpdates(t, s, storetest.Shop))
		_, err := s.UpdateProject(t.Context(), storetest.MakeActor(5), storetest.Shop, c.change)
		require.NoError(t, err)
		rows := listUpdates(t, s, storetest.Shop)[before:]
		if c.data == "" {
			require.Empty(t, rows)
			continue
		}
		require.Len(t, rows, 1)
		require.JSONEq(t, c.data, rows[0])
	}
}

func TestUpdateProjectThatIsNotThere(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.HideProject(t, s, storetest.Shop)
	for _, id := range []int64{storetest.Shop, 12345} {
		_, err := s.UpdateProject(t.Context(), storetest.MakeActor(5), id, core.ProjectChange{DailyQuota: setOpt[int64](5)})
		storetest.RequireCode(t, core.ProjectNotFound, err)
	}
	require.Empty(t, listUpdates(t, s, storetest.Shop))
}

// TestUpdatesOfOneProjectMeet lets servers change different settings at the same time: none undoes another.
func TestUpdatesOfOneProjectMeet(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	changes := []core.ProjectChange{
		{Repository: setOpt("acme/shop")}, {Trust: setOpt(core.TrustLow)}, {DailyQuota: setOpt[int64](5)}, {ScrubKeys: setOpt([]string{"iban"})},
		{ScrubPatterns: setOpt([]string{"a+"})}, {AllowedOrigins: setOpt([]string{"https://shop.example"})},
	}
	storetest.RequireNoErrors(t, storetest.RunTogether(len(changes), func(i int) error {
		_, err := pair[i%2].UpdateProject(t.Context(), storetest.MakeActor(5), storetest.Shop, changes[i])
		return err
	}))
	p, err := pair[0].ReadProject(t.Context(), storetest.Shop)
	require.NoError(t, err)
	require.NotNil(t, p.DailyQuota)
	require.NotNil(t, p.TrustSetting)
	require.NotNil(t, p.AllowedOrigins)
	require.Equal(t, core.Text("acme/shop"), p.Repository)
	require.Equal(t, core.List[string]{"iban"}, p.ScrubKeys)
	require.Equal(t, core.List[string]{"a+"}, p.ScrubPatterns)
	merged := map[string]any{}
	for _, row := range listUpdates(t, pair[0], storetest.Shop) {
		require.NoError(t, json.Unmarshal([]byte(row), &merged))
	}
	require.Len(t, merged, len(changes))
}

// TestUpdateProjectReachesIngest checks that the intake of events sees the settings.
func TestUpdateProjectReachesIngest(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	project := storetest.MakeProject(t, s, storetest.Shop, "Shop")
	_, err := s.UpdateProject(t.Context(), storetest.MakeActor(5), storetest.Shop,
		core.ProjectChange{DailyQuota: setOpt[int64](5), ScrubPatterns: setOpt([]string{"a{1,3}"})})
	require.NoError(t, err)
	intake, err := s.FindIntakeProject(t.Context(), project.Keys[0])
	require.NoError(t, err)
	require.EqualValues(t, 5, *intake.DailyQuota)
	require.Equal(t, []string{"a{1,3}"}, intake.ScrubPatterns)
}
