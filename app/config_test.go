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
	"errand/testkit/logtext"
)

// change changes a configuration that works.
type change = func(*app.Config)

func withAddr(text string) change { return func(c *app.Config) { c.Addr = text } }

func withBaseURL(text string) change { return func(c *app.Config) { c.BaseURL = text } }

func withDatabaseURL(text core.Secret) change { return func(c *app.Config) { c.DatabaseURL = text } }

func withPrivatePostgres(dir, bin string) change {
	return func(c *app.Config) { c.DatabaseURL, c.DataDir, c.PostgresBin = "", dir, bin }
}

// TestConfigurationErrorsNameTheVariable checks that the error of a server that cannot start says what to change, and
// contains no secret (hunter2 here).
func TestConfigurationErrorsNameTheVariable(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	databaseURL := storetest.NewURL(t)
	for _, c := range []struct {
		variable string
		change   change
	}{
		{"ADDR", withAddr(taken.Addr().String())},
		{"ADDR", withAddr("127.0.0.1")},
		{"ADDR", withAddr("127.0.0.1:99999")},
		{"ADDR", withAddr("203.0.113.7:0")}, // no machine has it
		{"ADMIN_TOKEN", func(c *app.Config) { c.AdminToken = "hunter2-hunter2" }},
		{"ADMIN_TOKEN must have at least 6 different", func(c *app.Config) { c.AdminToken = "2rh2rh2rh2rh2rh2rh2rh2rh2rh2rh" }},
		{"ADMIN_TOKEN must have at least 6 different", func(c *app.Config) { c.AdminToken = "aaaaaaaaaaaaaaaaaaaaaaaa" }},
		{"ADMIN_TOKEN must have at least 6 different", func(c *app.Config) { c.AdminToken = "abababababababababababab" }},
		{"ADMIN_TOKEN must have at least 6 different", func(c *app.Config) { c.AdminToken = core.Secret(strings.Repeat(" ", 40)) }},
		{"VERIFY_MIN", func(c *app.Config) { c.VerifyMin = "soon" }},
		{"VERIFY_MAX", func(c *app.Config) { c.VerifyMax = "0s" }},
		{"VERIFY_MAX", func(c *app.Config) { c.VerifyMin, c.VerifyMax = "2h", "1h" }},
		{"SCM_HOST", func(c *app.Config) { c.SCMHost = "https://github.com" }},
		{"SCM_API_URL", func(c *app.Config) { c.SCMAPIURL = "api.github.com" }},
		{"SCM_API_URL", func(c *app.Config) { c.SCMAPIURL = "https://u:hunter2@api.github.com" }},
		{"SMTP_URL", func(c *app.Config) { c.SMTPURL, c.EmailFrom = "mail.example.com", "errand@example.com" }},
		{"SMTP_URL", func(c *app.Config) { c.EmailFrom = "errand@example.com" }},
		{"EMAIL_FROM", func(c *app.Config) { c.SMTPURL = "smtp://u:hunter2@mail.example.com" }},
		{"WEBHOOK_ALLOW_PRIVATE", func(c *app.Config) { c.WebhookAllowPrivate = "10.0.0.0/8, runner.example" }},
		{"TRUSTED_PROXIES", func(c *app.Config) { c.TrustedProxies = "10.0.0.0/8, proxy.example" }},
		{"TRUSTED_PROXIES", func(c *app.Config) { c.TrustedProxies = "10.0.0.0/33" }},
		{"DATABASE_URL", withDatabaseURL("postgres://errand:hunter2@127.0.0.1:port/errand")},
		{"DATABASE_URL", withDatabaseURL("postgres://errand:hunter2@%zz/errand")},
		{"DATABASE_URL", withDatabaseURL("host=127.0.0.1 port=many password=hunter2")},
		{"DATABASE_URL", withDatabaseURL("hunter2")},
		{"DATABASE_URL", withDatabaseURL("postgres://errand:hunter2@127.0.0.1:1/errand?sslmode=disable")},           // nobody listens there
		{"DATABASE_URL", withDatabaseURL("host=/nowhere user=errand password=hunter2 dbname=errand")},               // nor there
		{"DATABASE_URL", withDatabaseURL(core.Secret(databaseURL + "&password=hunter2&search_path=x&dbname=none"))}, // no such database
		{"DATA_DIR", withPrivatePostgres(file, "")},
		{"POSTGRES_BIN", withPrivatePostgres(dataDir(t), t.TempDir())},
		{"STORED_EVENTS_PER_ISSUE", func(c *app.Config) { c.StoredPerIssue = "199" }},
		{"STORED_EVENTS_PER_ISSUE", func(c *app.Config) { c.StoredPerIssue = "many" }},
		{"REQUIRE_APPROVAL", func(c *app.Config) { c.RequireApproval = "ignore,resolve" }},
		{"ignore, merge, delete_project", func(c *app.Config) { c.RequireApproval = "resolve" }}, // the allowed words
		{"RETENTION_DAYS", func(c *app.Config) { c.RetentionDays = "-1" }},
		{"RETENTION_DAYS", func(c *app.Config) { c.RetentionDays = "3651" }},
		{"RETENTION_DAYS", func(c *app.Config) { c.RetentionDays = "90d" }},
		{"SOURCE_MAPS_MAX_MB", func(c *app.Config) { c.SourceMapsMaxMB = "2GB" }},
		{"SIMILAR", func(c *app.Config) { c.Similar = "yes" }},
		{"DATABASE_WAIT", func(c *app.Config) { c.DatabaseWait = "60" }},
		{"SHUTDOWN_DELAY", func(c *app.Config) { c.ShutdownDelay = "1.5s" }},
	} {
		t.Run(c.variable, func(t *testing.T) {
			requireRefusedConfig(t, configOn(databaseURL), c.change, c.variable)
		})
	}
}

func TestBaseURLsThatAreRefused(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	for _, baseURL := range []string{
		"http://errand.example/app",
		"https://ada:hunter2@errand.example",
		"https://errand.example?key=hunter2",
		"https://errand.example/#hunter2",
		"ftp://errand.example",
		"errand.example:8080",
		"errand.example",
		"http://",
		"http://:8080",
		"http://ada:hunter2@errand example",
		"http://[::1",
	} {
		t.Run(baseURL, func(t *testing.T) {
			requireRefusedConfig(t, configOn(databaseURL), withBaseURL(baseURL), "BASE_URL")
		})
	}
}

// requireRefusedConfig starts a server with a changed configuration. The error must name the variable, and no secret.
func requireRefusedConfig(t *testing.T, config app.Config, changeIt change, variable string) {
	t.Helper()
	log := &logtext.Text{}
	changeIt(&config)

	_, err := app.New(t.Context(), config, "0.0.0", log.NewLogger())

	require.ErrorContains(t, err, variable)
	require.NotContains(t, err.Error()+log.String(), "hunter2")
	if variable != "ADMIN_TOKEN" && config.AdminToken != "" {
		require.NotContains(t, err.Error()+log.String(), config.AdminToken.Reveal())
	}
}

// TestBaseURLOfItsOwn covers servers where neither the server nor the installation has a BASE_URL.
func TestBaseURLOfItsOwn(t *testing.T) {
	t.Parallel()
	s := startServer(t, configOn(storetest.NewURL(t)))
	require.Equal(t, "http://"+s.Addr(), s.URL())
	require.NotContains(t, s.log.String(), "BASE_URL is not set")

	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		c := configOn(storetest.NewURL(t))
		c.Addr = addr
		s := startServer(t, c)
		require.Contains(t, s.log.String(), "BASE_URL is not set", addr)
		c.BaseURL = "https://errand.example"
		s = startServer(t, c)
		require.NotContains(t, s.log.String(), "BASE_URL is not set", addr)
	}
}
