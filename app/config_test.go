package app_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/store/storetest"
)

// TestConfigurationErrorsNameTheVariable holds that whoever starts a server that cannot work is told what to change,
// and that no secret (hunter2 here) is told with it.
func TestConfigurationErrorsNameTheVariable(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	addr := func(text string) func(*app.Config) { return func(c *app.Config) { c.Addr = text } }
	base := func(text string) func(*app.Config) { return func(c *app.Config) { c.BaseURL = text } }
	database := func(text core.Secret) func(*app.Config) { return func(c *app.Config) { c.DatabaseURL = text } }
	private := func(dir, bin string) func(*app.Config) {
		return func(c *app.Config) { c.DatabaseURL, c.DataDir, c.PostgresBin = "", dir, bin }
	}

	databaseURL := storetest.URL(t)
	for _, c := range []struct {
		variable string
		change   func(*app.Config)
	}{
		{"ADDR", addr(taken.Addr().String())},
		{"ADDR", addr("127.0.0.1")},
		{"ADDR", addr("127.0.0.1:99999")},
		{"ADDR", addr("203.0.113.7:0")}, // of no machine
		{"BASE_URL", base("http://errand.example/app")},
		{"BASE_URL", base("https://ada:hunter2@errand.example")},
		{"BASE_URL", base("https://errand.example?key=hunter2")},
		{"BASE_URL", base("https://errand.example/#hunter2")},
		{"BASE_URL", base("ftp://errand.example")},
		{"BASE_URL", base("errand.example:8080")},
		{"BASE_URL", base("errand.example")},
		{"BASE_URL", base("http://")},
		{"BASE_URL", base("http://ada:hunter2@errand example")},
		{"BASE_URL", base("http://[::1")},
		{"ADMIN_TOKEN", func(c *app.Config) { c.AdminToken = "hunter2-hunter2" }},
		{"ADMIN_TOKEN must have at least 6 different", func(c *app.Config) { c.AdminToken = "2rh2rh2rh2rh2rh2rh2rh2rh2rh2rh" }},
		{"ADMIN_TOKEN must have at least 6 different", func(c *app.Config) { c.AdminToken = "aaaaaaaaaaaaaaaaaaaaaaaa" }},
		{"ADMIN_TOKEN must have at least 6 different", func(c *app.Config) { c.AdminToken = "abababababababababababab" }},
		{"ADMIN_TOKEN must have at least 6 different", func(c *app.Config) { c.AdminToken = core.Secret(strings.Repeat(" ", 40)) }},
		{"TRUSTED_PROXIES", func(c *app.Config) { c.TrustedProxies = "10.0.0.0/8, proxy.example" }},
		{"TRUSTED_PROXIES", func(c *app.Config) { c.TrustedProxies = "10.0.0.0/33" }},
		{"DATABASE_URL", database("postgres://errand:hunter2@127.0.0.1:port/errand")},
		{"DATABASE_URL", database("postgres://errand:hunter2@%zz/errand")},
		{"DATABASE_URL", database("host=127.0.0.1 port=many password=hunter2")},
		{"DATABASE_URL", database("hunter2")},
		{"DATABASE_URL", database("postgres://errand:hunter2@127.0.0.1:1/errand?sslmode=disable")},           // nobody listens
		{"DATABASE_URL", database("host=/nowhere user=errand password=hunter2 dbname=errand")},               // nor here
		{"DATABASE_URL", database(core.Secret(databaseURL + "&password=hunter2&search_path=x&dbname=none"))}, // no such database
		{"DATA_DIR", private(file, "")},
		{"POSTGRES_BIN", private(dataDir(t), t.TempDir())},
		{"STORED_EVENTS_PER_ISSUE", func(c *app.Config) { c.KeepEvents = 199 }},
		{"REQUIRE_APPROVAL", func(c *app.Config) { c.RequireApproval = []core.HeldAction{"ignore", "resolve"} }},
		{"ignore, merge, delete_project", func(c *app.Config) { c.RequireApproval = []core.HeldAction{"Ignore"} }}, // what is allowed
		{"RETENTION_DAYS", func(c *app.Config) { c.Retention = -1 }},
		{"RETENTION_DAYS", func(c *app.Config) { c.Retention = 3651 }},
	} {
		config, log := config(databaseURL), &logText{}
		c.change(&config)
		_, err := app.New(t.Context(), config, "0.0.0", log.logger())
		require.ErrorContains(t, err, c.variable)
		require.NotContains(t, err.Error()+log.String(), "hunter2")
		if c.variable != "ADMIN_TOKEN" && config.AdminToken != "" {
			require.NotContains(t, err.Error()+log.String(), config.AdminToken.Reveal())
		}
	}
}

func TestRequireApproval(t *testing.T) {
	t.Parallel()
	c := app.Config{Addr: "127.0.0.1:8080", RequireApproval: []core.HeldAction{"ignore", " merge ", "", "delete_project"}}
	require.NoError(t, c.Complete())
	require.Equal(t, []core.HeldAction{core.HoldIgnore, core.HoldMerge, core.HoldDeleteProject}, c.RequireApproval)
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"":                         "http://0.0.0.0:8080",
		"https://errand.example":   "https://errand.example",
		"https://errand.example/":  "https://errand.example",
		"http://errand.example:81": "http://errand.example:81",
		"http://[::1]:8080":        "http://[::1]:8080",
	} {
		c := app.Config{Addr: "0.0.0.0:8080", BaseURL: given}
		require.NoError(t, c.Complete())
		require.Equal(t, want, c.BaseURL)
	}
}
