package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

func TestSettingsAreTheInstallations(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	own := store.Options{URL: url, Clock: c.Tell, Settings: map[string]string{"BASE_URL": "http://127.0.0.1:1"}}
	here, there := storetest.OpenWith(t, own), storetest.Open(t, url, c.Tell)
	save := func(s *store.Store, name string, value *string, by string) []store.SettingChange {
		changes, err := s.SaveSettings(t.Context(), map[string]*string{name: value}, by)
		require.NoError(t, err)
		return changes
	}
	days, base := func(n string) *string { return &n }, "https://errand.example"
	require.Equal(t, []store.SettingChange{{Name: "RETENTION_DAYS", New: days("30")}}, save(here, "RETENTION_DAYS", days("30"), "first"))
	c.Forward(time.Hour)
	require.Empty(t, save(there, "RETENTION_DAYS", days("30"), "second"), "it already has the value")
	require.Len(t, save(there, "BASE_URL", &base, "second"), 1)

	require.Equal(t, "http://127.0.0.1:1", here.Settings().BaseURL, "the old value until it is read")
	for _, s := range []*store.Store{here, there} {
		rows, err := s.LoadSettings(t.Context())
		require.NoError(t, err)
		require.Equal(t, []store.StoredSetting{
			{Name: "BASE_URL", Value: &base, SetBy: "second", SetAt: core.At(storetest.Noon.Add(time.Hour))},
			{Name: "RETENTION_DAYS", Value: days("30"), SetBy: "first", SetAt: core.At(storetest.Noon)},
		}, rows)
		want := core.Settings{BaseURL: base, RetentionDays: 30, StoredPerIssue: intake.DefaultKeep, NewIssuesPerHour: 1000, SourceMapsMaxMB: 2000}
		require.Equal(t, want, *s.Settings())
	}

	require.Equal(t, []store.SettingChange{{Name: "BASE_URL", Old: &base}}, save(here, "BASE_URL", nil, "person"))
	require.Empty(t, save(here, "SIMILAR", nil, "person"), "it was not set before")
	for s, want := range map[*store.Store]string{here: "http://127.0.0.1:1", there: ""} {
		rows, err := s.LoadSettings(t.Context())
		require.NoError(t, err)
		require.Equal(t, store.StoredSetting{Name: "BASE_URL", SetBy: "person", SetAt: core.At(storetest.Noon.Add(time.Hour))}, rows[0])
		require.Equal(t, want, s.Settings().BaseURL, "each server has its own")
	}
}

// TestSettingThatCannotBeRead has a setting of a newer version: the known settings still apply, since a default could delete data.
func TestSettingThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	storetest.SaveSettings(t, s, map[string]string{"RETENTION_DAYS": "0"})
	storetest.ChangeRows(t, s, `UPDATE install_settings SET value = 'two summers' WHERE name = 'RETENTION_DAYS'`)
	_, err := s.LoadSettings(t.Context())
	require.ErrorContains(t, err, "RETENTION_DAYS")
	require.Zero(t, s.Settings().RetentionDays)
}

// TestSettingsOfServersThatStartTogether checks that one of them is last, on all servers.
func TestSettingsOfServersThatStartTogether(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	var servers [8]*store.Store
	for i := range servers {
		servers[i] = storetest.Open(t, url, time.Now)
	}
	before := make([]store.SettingChange, len(servers))
	storetest.RequireNoErrors(t, storetest.RunTogether(len(servers), func(i int) error {
		value := string(rune('1' + i))
		changes, err := servers[i].SaveSettings(t.Context(), map[string]*string{"RETENTION_DAYS": &value}, "server "+value)
		if err == nil {
			before[i] = changes[0]
		}
		return err
	}))
	first, replaced := 0, map[string]bool{}
	for _, b := range before {
		if b.Old == nil {
			first++
			continue
		}
		require.False(t, replaced[*b.Old], "each server saw the value before its own")
		replaced[*b.Old] = true
	}
	require.Equal(t, 1, first)
	rows, err := servers[0].LoadSettings(t.Context())
	require.NoError(t, err)
	require.False(t, replaced[*rows[0].Value])
	require.Equal(t, "server "+*rows[0].Value, rows[0].SetBy)
}

func TestRetentionSaysWhatItDropped(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	s := storetest.NewAt(t, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	for n := range 3 {
		storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", n, c.At(0)))
	}
	c.Forward(24 * time.Hour)
	storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 4, c.At(0)))
	c.Forward(48 * time.Hour) // and no further: others need the partitions of today
	kept := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 5, c.At(0)))
	require.Empty(t, storetest.DropExpired(t, s, 0), "0 means never")
	require.EqualValues(t, 5, storetest.ReadIssue(t, s, kept.IssueID).StoredEvents)
	partition := func(day time.Time) string { return "events_" + day.Format("20060102") }
	got := storetest.DropExpired(t, s, 1)
	require.EqualValues(t, 3, got[partition(storetest.Noon)])
	require.EqualValues(t, 1, got[partition(storetest.Noon.AddDate(0, 0, 1))])
	require.Empty(t, storetest.DropExpired(t, s, 1))
	require.EqualValues(t, 1, storetest.ReadIssue(t, s, kept.IssueID).StoredEvents)
}

// TestServerThatCannotHoldOurData uses a database that claims to be Postgres 14, and one that is not in UTF-8.
func TestServerThatCannotHoldOurData(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	require.NoError(t, s.CheckServer(t.Context()))

	url := storetest.NewEmptyURL(t)
	old := storetest.Open(t, url, time.Now)
	rows, err := storetest.QuerySQL(t.Context(), old, `CREATE FUNCTION public.current_setting(text) RETURNS text LANGUAGE sql AS
		$$ SELECT CASE $1 WHEN 'server_version_num' THEN '140012' WHEN 'server_version' THEN '14.12' ELSE pg_catalog.current_setting($1) END $$`)
	require.NoError(t, err)
	rows.Close()
	require.NoError(t, rows.Err())
	old = storetest.Open(t, url+"&search_path=public,pg_catalog", time.Now)
	err = old.CheckServer(t.Context())
	require.ErrorContains(t, err, "Postgres 14.12")
	require.ErrorContains(t, err, "15 or later")

	latin := storetest.Open(t, storetest.NewEncodedURL(t, "LATIN1"), time.Now)
	require.ErrorContains(t, latin.CheckServer(t.Context()), "LATIN1")
}
