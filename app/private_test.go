package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/store/embedded"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// dataDir returns an empty data folder that the user who runs Postgres may enter.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o711))
	return dir
}

// privateConfig is the configuration of a server with a private Postgres and a generated admin token.
func privateConfig(dir string) app.Config {
	return app.Config{Addr: "127.0.0.1:0", DataDir: dir, PostgresBin: os.Getenv("POSTGRES_BIN"), Migrate: "on"}
}

// statusAs makes a GET with a token, and returns the status of the answer.
func (s *server) statusAs(t *testing.T, token, path string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr()+path, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	got := s.doRequest(request)
	require.NoError(t, got.err)
	return got.status
}

func TestPrivateInstallation(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	create := func(name string) string {
		c := privateConfig(dir)
		token, err := app.CreateToken(t.Context(), &c, app.NewToken{Name: name, Scopes: []string{"issues:read"}}, (&logtext.Text{}).NewLogger())
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(token, "ck_"), token)
		return token
	}
	c := privateConfig(dir)
	_, err := app.CreateToken(t.Context(), &c, app.NewToken{Name: "early", Scopes: []string{"issues:read"}}, (&logtext.Text{}).NewLogger())
	require.ErrorContains(t, err, "there is no installation of Errand in the folder "+dir)
	require.NoError(t, app.Migrate(t.Context(), &c, (&logtext.Text{}).NewLogger()))
	before := create("before the first start")

	s := startServer(t, privateConfig(dir))
	require.Equal(t, dir, s.DataDir())
	admin := s.NewAdminToken.Reveal()
	require.GreaterOrEqual(t, len(admin), 26, "128 bits")
	file := filepath.Join(dir, "admin-token")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, admin, strings.TrimSpace(string(text)))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	beside := create("beside the server")
	settings := privateConfig(dir)
	now, err := app.UnsetSetting(t.Context(), &settings, "SIMILAR", "0.0.0", (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	require.Equal(t, app.ShownSetting{Name: "SIMILAR", Value: "on (default)"}, now, "it was not set before")
	list, err := app.ListSettings(t.Context(), &settings, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	require.Contains(t, list, app.ShownSetting{Name: "RETENTION_DAYS", Value: "90 (default)"})
	for _, token := range []string{admin, before, beside} {
		require.Equal(t, http.StatusOK, s.statusAs(t, token, "/v1/projects"))
	}
	require.Equal(t, http.StatusForbidden, s.statusAs(t, beside, "/v1/tokens"))
	_, err = app.New(t.Context(), privateConfig(dir), "0.0.0", (&logtext.Text{}).NewLogger())
	require.ErrorIs(t, err, embedded.ErrRunning)
	require.NotContains(t, s.log.String(), admin)
	s.stopServer(t)

	after := create("after the server")
	s = startServer(t, privateConfig(dir))
	require.Empty(t, s.NewAdminToken, "it is shown once")
	for _, token := range []string{admin, before, beside, after} {
		require.Equal(t, http.StatusOK, s.statusAs(t, token, "/v1/projects"))
	}
	require.NotContains(t, s.log.String(), admin)
}

func TestAdminTokenThatIsSet(t *testing.T) {
	t.Parallel()
	dir := storetest.NewDataDir(t)
	c := privateConfig(dir)
	c.AdminToken = adminToken
	s := startServer(t, c)
	require.Empty(t, s.NewAdminToken)
	require.NoFileExists(t, filepath.Join(dir, "admin-token"))
	require.Equal(t, http.StatusOK, s.statusAs(t, adminToken, "/v1/tokens"))
	s.stopServer(t)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "admin-token"), []byte("short\n"), 0o600))
	_, err := app.New(t.Context(), privateConfig(dir), "0.0.0", (&logtext.Text{}).NewLogger())
	require.ErrorContains(t, err, "ADMIN_TOKEN")
}

// With an existing database nothing is generated: without ADMIN_TOKEN only tokens open anything.
func TestNoAdminTokenIsMadeForADatabaseOfOnesOwn(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	c.AdminToken, c.DataDir = "", t.TempDir()
	token, err := app.CreateToken(t.Context(), &c, app.NewToken{Name: "root", Scopes: []string{"admin"}}, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	s := startServer(t, c)
	require.Empty(t, s.NewAdminToken)
	require.Empty(t, s.DataDir())

	entries, err := os.ReadDir(c.DataDir)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.Equal(t, http.StatusOK, s.statusAs(t, token, "/v1/tokens"))
	require.Equal(t, http.StatusUnauthorized, s.statusAs(t, adminToken, "/v1/tokens"))
}

func TestCreateTokenRefuses(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	for name, n := range map[string]app.NewToken{
		"no scope":           {Name: "fixer"},
		"an unknown scope":   {Name: "fixer", Scopes: []string{"root"}},
		"no name":            {Scopes: []string{"admin"}},
		"an unknown project": {Name: "fixer", Scopes: []string{"admin"}, Project: "no-such-app"},
	} {
		token, err := app.CreateToken(t.Context(), &c, n, (&logtext.Text{}).NewLogger())
		require.Empty(t, token, name)
		var failure *core.Error
		require.ErrorAs(t, err, &failure, name)
	}
}

// A file that somebody else could have put into the data folder, or can read, is refused as a secret of the server.
func TestForeignSecretsAreRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of other users")
	}
	for name, plant := range map[string]func(dir string) (file string){
		"a token":                    func(dir string) string { return plantFile(t, dir, "admin-token", 65534) },
		"a token that is being made": func(dir string) string { return plantFile(t, dir, "admin-token.new", 65534) },
		"a link": func(dir string) string {
			require.NoError(t, os.Symlink(plantFile(t, dir, "elsewhere", 65534), filepath.Join(dir, "admin-token")))
			return filepath.Join(dir, "admin-token")
		},
		"a link in the place of the new one": func(dir string) string {
			require.NoError(t, os.Symlink(plantFile(t, dir, "elsewhere", 0), filepath.Join(dir, "admin-token.new")))
			return filepath.Join(dir, "admin-token.new")
		},
		"a pipe": func(dir string) string {
			require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "admin-token"), 0o600))
			return filepath.Join(dir, "admin-token")
		},
	} {
		dir := storetest.NewDataDir(t)
		file := plant(dir)
		c, log := privateConfig(dir), &logtext.Text{}
		_, err := app.New(t.Context(), c, "0.0.0", log.NewLogger())
		require.ErrorContains(t, err, file, name)
		require.NotContains(t, err.Error()+log.String(), planted, name)
		text, err := os.ReadFile(filepath.Join(dir, "elsewhere"))
		if err == nil {
			require.Equal(t, planted, string(text), "%s: nothing is written through a link", name)
		}
	}
}

// planted is a token that an unauthorized person knows.
const planted = "a-token-that-somebody-knows"

// plantFile makes a file that belongs to a user, with a planted token in it.
func plantFile(t *testing.T, dir, name string, uid int) string {
	t.Helper()
	file := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(file, []byte(planted), 0o600))
	require.NoError(t, os.Chown(file, uid, uid))
	return file
}

// An interrupted start may leave an unfinished file, which is replaced.
func TestUnfinishedTokenIsMadeAnew(t *testing.T) {
	t.Parallel()
	dir := storetest.NewDataDir(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "admin-token.new"), []byte("unfini"), 0o644))
	s := startServer(t, privateConfig(dir))
	require.Equal(t, http.StatusOK, s.statusAs(t, s.NewAdminToken.Reveal(), "/v1/tokens"))

	info, err := os.Stat(filepath.Join(dir, "admin-token"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoFileExists(t, filepath.Join(dir, "admin-token.new"))
}
