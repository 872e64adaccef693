package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
)

func TestMisspelledVariables(t *testing.T) {
	t.Parallel()
	for name, meant := range map[string]string{
		"RETENTION_DAY": "RETENTION_DAYS", "RETENTION_DAYSS": "RETENTION_DAYS", "RETENTION_DYAS": "RETENTION_DAYS",
		"RETENTON_DAYS": "RETENTION_DAYS",
		"ADMIN_TOKN":    "ADMIN_TOKEN", "ADMIN_TOKENS": "ADMIN_TOKEN", "ADMINTOKEN": "ADMIN_TOKEN",
		"LOGLEVEL": "LOG_LEVEL", "BASE_URI": "BASE_URL",
		"DATABASE_URLS": "DATABASE_URL", "REQUIRE_APROVALS": "REQUIRE_APPROVAL", "STORED_EVENT_PER_ISSUE": "STORED_EVENTS_PER_ISSUE",
		"retention_days": "", "Retention_Days": "",
	} {
		t.Run(name, func(t *testing.T) {
			want := map[string]string{}
			if meant != "" {
				want[name] = meant
			}
			require.Equal(t, want, app.FindMisspelled([]string{name + "=hunter2"}))
		})
	}
	ordinary := []string{
		"PATH=/bin", "HOME=/root", "USER=ada", "SHELL=/bin/sh", "PWD=/", "LANG=C",
		"TERM=xterm", "EDITOR=vi", "HOSTNAME=web", "LOGNAME=ada", "MAIL=x",
		"PORT=80", "HOST=x", "ADDRESS=x", "ROLE=x", "ROOT=x", "ROUTES=x", "API_URL=x",
		"BASE_DIR=x", "BASEDIR=x", "LOG_FILE=x", "LOG_DIR=x", "DATA=x",
		"DATABASE_HOST=x", "DATABASE_PORT=5432", "DATABASE_USER=x", "DATABASE_NAME=x", "DATABASE_PASSWORD=x", "POSTGRES_DB=x", "POSTGRES_USER=x",
		"POSTGRES_PASSWORD=x", "PGDATA=x", "PGHOST=x", "METRICS_PORT=1",
		"ADMIN_USER=x", "ADMIN_EMAIL=x", "MIGRATIONS=x", "SIMILARITY=x", "GOGC=50", "XDG_DATA_HOME=/x",
	}

	require.Empty(t, app.FindMisspelled(ordinary))
	for _, known := range app.ListVariables() {
		require.Empty(t, app.FindMisspelled([]string{known + "=x"}), known)
	}
}
