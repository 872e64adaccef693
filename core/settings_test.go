package core_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// normalizeText returns the stored form of a setting's value.
func normalizeText(t *testing.T, name, text string) (string, error) {
	t.Helper()
	for _, s := range core.InstallationSettings() {
		if s.Name == name {
			return s.NormalizeText(text)
		}
	}
	t.Fatalf("no setting is called %s", name)
	return "", nil
}

func TestSettingsAreStoredInOneForm(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"BASE_URL", "https://errand.example/", "https://errand.example"},
		{"BASE_URL", "http://[::1]:8080", "http://[::1]:8080"},
		{"RETENTION_DAYS", "030", "30"},
		{"RETENTION_DAYS", "0", "0"},
		{"RETENTION_DAYS", "3650", "3650"},
		{"ISSUE_RETENTION_DAYS", "0400", "400"},
		{"STORED_EVENTS_PER_ISSUE", "200", "200"},
		{"REQUIRE_APPROVAL", " Ignore ,,MERGE,", "ignore,merge"},
		{"REQUIRE_APPROVAL", "None", "none"},
		{"REQUIRE_APPROVAL", ",", "none"},
		{"SIMILAR", "OFF", "off"},
		{"OUTGOING", " Off", "off"},
		{"SOURCE_MAPS_MAX_MB", "0500", "500"},
		{"NEW_ISSUES_PER_HOUR", "0", "0"},
		{"NEW_ISSUES_PER_HOUR", "01000000", "1000000"},
	} {
		got, err := normalizeText(t, c[0], c[1])
		require.NoError(t, err)
		require.Equal(t, c[2], got, "%s=%s", c[0], c[1])
		again, err := normalizeText(t, c[0], got)
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
	for _, c := range [][2]string{
		{"RETENTION_DAYS", "-1"}, {"RETENTION_DAYS", "3651"}, {"RETENTION_DAYS", "7d"},
		{"ISSUE_RETENTION_DAYS", "-1"}, {"ISSUE_RETENTION_DAYS", "3651"}, {"ISSUE_RETENTION_DAYS", "never"},
		{"STORED_EVENTS_PER_ISSUE", "199"}, {"SIMILAR", "no"}, {"OUTGOING", "no"},
		{"NEW_ISSUES_PER_HOUR", "-1"}, {"NEW_ISSUES_PER_HOUR", "1000001"}, {"NEW_ISSUES_PER_HOUR", "off"},
		{"SOURCE_MAPS_MAX_MB", "0"}, {"SOURCE_MAPS_MAX_MB", "2 GB"}, {"SOURCE_MAPS_MAX_MB", "9999999999"},
		{"REQUIRE_APPROVAL", "none,ignore"}, {"REQUIRE_APPROVAL", "no_action"},
		{"BASE_URL", "errand.example"}, {"BASE_URL", "https://errand.example/app"}, {"BASE_URL", "http://:8080"},
		{"BASE_URL", `http://x"y`}, {"BASE_URL", "http://<b>"}, {"BASE_URL", "http://a\u202eb"},
	} {
		_, err := normalizeText(t, c[0], c[1])
		require.ErrorContains(t, err, c[0], c[1])
	}
}

func TestSettingsThatAreNotSetHaveTheirDefault(t *testing.T) {
	t.Parallel()
	got, err := core.ReadSettings(nil)
	require.NoError(t, err)
	require.Equal(t, core.Settings{StoredPerIssue: 1000, RetentionDays: 90, NewIssuesPerHour: 1000, SourceMapsMaxMB: 2000}, got)
	got, err = core.ReadSettings(map[string]string{
		"RETENTION_DAYS": "0", "SIMILAR": "off", "REQUIRE_APPROVAL": "merge", "OF_A_NEWER_VERSION": "x", "BASE_URL": "",
	})
	require.NoError(t, err)
	require.Equal(t, core.Settings{
		StoredPerIssue: 1000, SimilarOff: true, RequireApproval: []core.HeldAction{core.HoldMerge}, NewIssuesPerHour: 1000, SourceMapsMaxMB: 2000,
	}, got)
	_, err = core.ReadSettings(map[string]string{"RETENTION_DAYS": "for ever"})
	require.ErrorContains(t, err, "RETENTION_DAYS")
}

// TestEverySettingIsAVariable checks that each setting can be set, and that nothing else counts as a setting.
func TestEverySettingIsAVariable(t *testing.T) {
	t.Parallel()
	given := core.SettingTexts{
		BaseURL: "1", StoredPerIssue: "2", RetentionDays: " 3 ", IssueRetentionDays: "4", RequireApproval: "5", Similar: "6",
		NewIssuesPerHour: "7", SourceMapsMaxMB: "8", Outgoing: "9",
	}.ByName()
	var names []string
	for _, s := range core.InstallationSettings() {
		names = append(names, s.Name)
	}
	require.Len(t, given, len(names))
	for n, name := range names {
		require.Equal(t, string(rune('1'+n)), given[name])
	}
	require.Empty(t, core.SettingTexts{Similar: " "}.ByName(), "what is empty is not set")
}
