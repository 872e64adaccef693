package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// listUsers returns the lines of `errand user list` without the heading, as words.
func listUsers(t *testing.T, c app.Config) (lines [][]string) {
	t.Helper()
	users, err := app.ListUsers(t.Context(), &c, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, app.PrintUsers(&text, users))
	for line := range strings.Lines(text.String()) {
		lines = append(lines, strings.Fields(line))
	}
	require.Equal(t, "ID", lines[0][0])
	return lines[1:]
}

func TestUserCommands(t *testing.T) {
	t.Parallel()
	c, log := configOn(storetest.NewURL(t)), &logtext.Text{}

	made, err := app.CreateUser(t.Context(), &c, app.NewUser{Email: "Ann@Example.com", SiteAdmin: true}, log.NewLogger())
	require.NoError(t, err)
	require.Len(t, made.Reveal(), 43)
	given, err := app.CreateUser(t.Context(), &c, app.NewUser{Email: "bob@example.com", Password: "hunter2"}, log.NewLogger())
	require.NoError(t, err)
	require.EqualValues(t, "hunter2", given.Reveal())

	listed := listUsers(t, c)
	require.Equal(t, []string{"bob@example.com", "no"}, listed[0][1:3])
	require.Equal(t, []string{"ann@example.com", "yes"}, listed[1][1:3])
	require.Equal(t, []string{"never", "-"}, listed[1][4:])

	reset, err := app.ResetPassword(t.Context(), &c, "BOB@example.com", "", log.NewLogger())
	require.NoError(t, err)
	require.NotEqual(t, given, reset)
	_, err = app.ResetPassword(t.Context(), &c, listed[0][0], "hunter2", log.NewLogger())
	require.ErrorContains(t, err, "was used recently")

	require.NoError(t, app.SetUserDisabled(t.Context(), &c, "bob@example.com", true, log.NewLogger()))
	require.NotEqual(t, "-", listUsers(t, c)[0][5])
	require.NoError(t, app.SetUserDisabled(t.Context(), &c, "bob", false, log.NewLogger()))
	require.Equal(t, "-", listUsers(t, c)[0][5])
	for _, secret := range []core.Secret{made, given, reset} {
		require.NotContains(t, log.String(), secret.Reveal())
	}
}

func TestUserCommandsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	c, log := configOn(storetest.NewURL(t)), &logtext.Text{}
	_, err := app.CreateUser(t.Context(), &c, app.NewUser{Email: "ann@example.com", SiteAdmin: true}, log.NewLogger())
	require.NoError(t, err)
	for says, n := range map[string]app.NewUser{
		"ann@example.com is a user's already": {Email: " ANN@example.com"},
		"must be an e-mail address":           {Email: "ann"},
		"must have at most 72 bytes":          {Email: "bob@example.com", Password: core.Secret(strings.Repeat("x", 73))},
		"without NUL":                         {Email: "bob@example.com", Password: "a\x00b"},
		"must not be blank":                   {Email: "bob@example.com", Password: "  "},
	} {
		_, err := app.CreateUser(t.Context(), &c, n, log.NewLogger())
		require.ErrorContains(t, err, says)
	}
	require.Len(t, listUsers(t, c), 1)

	require.ErrorContains(t, app.SetUserDisabled(t.Context(), &c, "ann@example.com", true, log.NewLogger()), "is the last site admin")
	require.ErrorContains(t, app.SetUserDisabled(t.Context(), &c, "bob@example.com", true, log.NewLogger()), "errand user list")
	_, err = app.ResetPassword(t.Context(), &c, "404", "", log.NewLogger())
	require.ErrorContains(t, err, "there is no user 404")
}

func TestPasswordIsReadFromTheFirstLine(t *testing.T) {
	t.Parallel()
	asked := app.GivenPassword{PasswordStdin: true}
	for input, want := range map[string]string{"pass word \r\nmore": "pass word ", "one": "one"} {
		password, err := asked.ReadPassword(strings.NewReader(input))
		require.NoError(t, err)
		require.Equal(t, want, password.Reveal())
	}
	_, err := asked.ReadPassword(strings.NewReader("\n"))
	require.ErrorContains(t, err, "--password-stdin")
	none, err := app.GivenPassword{}.ReadPassword(strings.NewReader("unasked"))
	require.NoError(t, err)
	require.Empty(t, none)
}
