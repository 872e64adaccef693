package app_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// listAPIKeys returns the lines of `errand api-key list` without the heading, as words.
func listAPIKeys(t *testing.T, c app.Config) (lines [][]string) {
	t.Helper()
	keys, err := app.ListAPIKeys(t.Context(), &c, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, app.PrintAPIKeys(&text, keys))
	for line := range strings.Lines(text.String()) {
		lines = append(lines, strings.Fields(line))
	}
	require.Equal(t, "ID", lines[0][0])
	return lines[1:]
}

func TestAPIKeyCommands(t *testing.T) {
	t.Parallel()
	c, log := configOn(storetest.NewURL(t)), &logtext.Text{}

	key, err := app.CreateAPIKey(t.Context(), &c, "dashboard", []string{"problems:write", "apps:read", "apps:read"}, log.NewLogger())

	require.NoError(t, err)
	require.True(t, key.LooksLike("cka_"))
	listed := listAPIKeys(t, c)
	require.Len(t, listed, 1)
	require.Equal(t, []string{"dashboard", key.Reveal()[:10] + "...", "apps:read,problems:write"}, listed[0][1:4])
	require.Equal(t, []string{"never", "-"}, listed[0][5:])
	require.NotContains(t, log.String(), key.Reveal())

	id, err := strconv.ParseInt(listed[0][0], 10, 64)
	require.NoError(t, err)
	require.NoError(t, app.RevokeAPIKey(t.Context(), &c, id, log.NewLogger()))
	require.NotEqual(t, "-", listAPIKeys(t, c)[0][6])
	require.ErrorContains(t, app.RevokeAPIKey(t.Context(), &c, id, log.NewLogger()), "errand api-key list")
}

func TestAPIKeyIsNotMadeOfWhatIsNotAllowed(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	for _, wrong := range []struct {
		name        string
		permissions []string
		says        string
	}{
		{"dashboard", []string{"apps:delete"}, `"apps:delete" is not a permission: these are apps:read, apps:write`},
		{"dashboard", nil, "must name at least one of apps:read"},
		{" ", []string{"apps:read"}, "must not be blank"},
		{strings.Repeat("n", 101), []string{"apps:read"}, "at most 100 characters"},
	} {
		_, err := app.CreateAPIKey(t.Context(), &c, wrong.name, wrong.permissions, (&logtext.Text{}).NewLogger())
		require.ErrorContains(t, err, wrong.says)
	}
	require.Empty(t, listAPIKeys(t, c))
}
