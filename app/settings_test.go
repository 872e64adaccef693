package app_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// configThatRefreshes is the configuration of a server that reads the installation's settings often.
func configThatRefreshes(databaseURL string) app.Config {
	c := configWithJobs(databaseURL)
	c.RefreshEvery = every
	return c
}

// policy is how a server acts under the settings of the installation.
type policy struct {
	Ignore, Similar int // HTTP statuses
	DSN             string
}

// policyOf finds out the policy of a server.
func (s *server) policyOf(t *testing.T, issue int64) policy {
	t.Helper()
	body := strings.NewReader(`{"text": "cart"}`)
	ignored := s.sendRequest(t.Context(), http.MethodPost, fmt.Sprintf("/v1/issues/%d/ignore", issue), "", nil)
	similar := s.sendRequest(t.Context(), http.MethodPost, "/v1/similar", "", body)
	require.NoError(t, ignored.err)
	require.NoError(t, similar.err)
	dsn := s.postAsAdmin(t, "/v1/projects", `{"name": "Another"}`)["dsn"].(string)
	_, host, _ := strings.Cut(dsn, "@")
	host, _, _ = strings.Cut(host, "/")
	return policy{ignored.status, similar.status, host}
}

// shownSettings is the output of `errand settings` for a database: value and who set it, by name.
func shownSettings(t *testing.T, databaseURL string) map[string]app.ShownSetting {
	t.Helper()
	c := configWithJobs(databaseURL)
	list, err := app.ListSettings(t.Context(), &c, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)
	found := map[string]app.ShownSetting{}
	for _, s := range list {
		found[s.Name] = s
	}
	return found
}

const (
	changedHere  = "this server has changed a setting of the installation"
	changedThere = "a setting of the installation was changed, and applies here too"
)

// TestServerWithoutSettingsTakesTheInstallations starts a server with settings, and beside it one without.
func TestServerWithoutSettingsTakesTheInstallations(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	c := configThatRefreshes(databaseURL)
	c.RequireApproval, c.Similar, c.BaseURL, c.RetentionDays, c.StoredPerIssue = "Ignore", "OFF", "https://errand.example/", "400", "200"
	first := startServer(t, c)
	issue := first.sendEvent(t, first.makeProject(t))
	for _, day := range []int{100, 300, 500} {
		storeEventOf(t, databaseURL, day)
	}
	held := policy{http.StatusAccepted, http.StatusConflict, "errand.example"}
	require.Equal(t, held, first.policyOf(t, issue))

	plain := configThatRefreshes(databaseURL)
	plain.RequireApproval, plain.Similar, plain.RetentionDays = "", " ", "" // empty means not set
	plain.MetricsAddr = "127.0.0.1:0"
	second := startServer(t, plain)
	require.Equal(t, held, second.policyOf(t, issue))
	require.Equal(t, "https://errand.example", second.URL())
	require.Contains(t, second.sendRequest(t.Context(), http.MethodGet, "/docs", "", nil).body, "https://errand.example")
	require.Empty(t, second.log.FindLines(changedHere))
	first.stopServer(t) // now at the latest, the second one does the jobs
	second.stopServer(t)
	third := startServer(t, plain)
	require.Eventually(t, func() bool { return seriesOf(third.scrapeMetrics(t)["errand_job_runs_total"])["drop_expired ok"] > 0 }, atMost,
		every)
	require.Equal(t, map[int]bool{100: true, 300: true, 500: false}, stillStored(t, databaseURL, 100, 300, 500))
	got := shownSettings(t, databaseURL)["RETENTION_DAYS"]
	require.Equal(t, "400", got.Value)
	require.Contains(t, got.SetBy, first.Addr())
	require.Contains(t, got.SetBy, "Errand 0.0.0")
	require.NotEmpty(t, got.SetAt)
}

// storeEventOf adds the partition of a past day, with an event.
func storeEventOf(t *testing.T, databaseURL string, daysBack int) {
	t.Helper()
	day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -daysBack)
	conn := openConnection(t, databaseURL)
	_, err := conn.Exec(t.Context(), fmt.Sprintf(`CREATE TABLE %s PARTITION OF events FOR VALUES FROM ('%s') TO ('%s')`,
		partitionOf(daysBack), day.Format(time.RFC3339), day.AddDate(0, 0, 1).Format(time.RFC3339)))
	require.NoError(t, err)
	var columns string
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = 'events'::regclass AND attnum > 0 AND attname NOT IN ('id', 'event_id', 'received_at')`).Scan(&columns))
	_, err = conn.Exec(t.Context(), fmt.Sprintf(`INSERT INTO events (id, event_id, received_at, %s)
		SELECT id + %d, gen_random_uuid(), $1, %[1]s FROM events LIMIT 1`, columns, daysBack), day)
	require.NoError(t, err)
}

func partitionOf(daysBack int) string {
	return "events_" + time.Now().UTC().AddDate(0, 0, -daysBack).Format("20060102")
}

// stillStored reports for each day whether its events are stored.
func stillStored(t *testing.T, databaseURL string, daysBack ...int) map[int]bool {
	t.Helper()
	found := map[int]bool{}
	for _, n := range daysBack {
		var there bool
		require.NoError(t, openConnection(t, databaseURL).QueryRow(t.Context(), `SELECT to_regclass($1) IS NOT NULL`,
			partitionOf(n)).Scan(&there))
		found[n] = there
	}
	return found
}

// TestSettingThatIsSetHoldsEverywhere starts a server with values other than the installation's.
func TestSettingThatIsSetHoldsEverywhere(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	old := configThatRefreshes(databaseURL)
	old.RequireApproval, old.Similar = "ignore", "off"
	first := startServer(t, old)
	issue := first.sendEvent(t, first.makeProject(t))
	free := configThatRefreshes(databaseURL)
	free.RequireApproval, free.Similar, free.BaseURL = "none", "on", "https://errand.example"
	second := startServer(t, free)
	want := policy{http.StatusOK, http.StatusOK, "errand.example"}
	require.Equal(t, want, second.policyOf(t, issue))
	require.Eventually(t, func() bool { return first.policyOf(t, issue) == want }, atMost, every)

	here := second.log.FindLines(changedHere)
	require.Len(t, here, 3)
	require.Equal(t, []any{"REQUIRE_APPROVAL", "ignore", "none"}, []any{here[1]["setting"], here[1]["old"], here[1]["new"]})
	there := first.log.FindLines(changedThere)
	require.Len(t, there, 3)
	require.Equal(t, []any{"REQUIRE_APPROVAL", "ignore", "none"}, []any{there[1]["setting"], there[1]["old"], there[1]["new"]})
	require.Equal(t, "ignore", there[1]["started_with"])
	require.Contains(t, there[1]["by"], second.Addr())
	require.Contains(t, first.sendRequest(t.Context(), http.MethodGet, "/docs", "", nil).body, "https://errand.example")

	// And back to the default.
	c := configWithJobs(databaseURL)
	for name, value := range map[string]string{
		"similar": "on (default)", "require-approval": "none (default)", "BASE_URL": "http:// and each server's ADDR (default)",
	} {
		now, err := app.UnsetSetting(t.Context(), &c, name, "0.0.0", (&logtext.Text{}).NewLogger())
		require.NoError(t, err)
		require.Equal(t, strings.ToUpper(strings.ReplaceAll(name, "-", "_")), now.Name)
		require.Equal(t, value, now.Value)
		require.Contains(t, now.SetBy, "unset by ")
	}
	for _, s := range []*server{first, second} {
		want.DSN = s.Addr() // each server has its own
		require.Eventually(t, func() bool { return s.policyOf(t, issue) == want }, atMost, every)
		require.Equal(t, "http://"+s.Addr(), s.URL())
	}
	got := shownSettings(t, databaseURL)["REQUIRE_APPROVAL"]
	require.Equal(t, "none (default)", got.Value)
	require.Contains(t, got.SetBy, "unset by ")
	_, err := app.UnsetSetting(t.Context(), &c, "ADDR", "0.0.0", (&logtext.Text{}).NewLogger())
	require.ErrorContains(t, err, "RETENTION_DAYS")
}

// TestServersThatStartTogether starts servers with different settings. Those of the last one apply to both, and stay.
func TestServersThatStartTogether(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	started := make(chan *starting, 2)
	for _, days := range []string{"30", "300"} {
		c := configThatRefreshes(databaseURL)
		c.RetentionDays = days
		started <- beginStart(t, c)
	}
	close(started)
	var pair []*server
	for s := range started {
		require.NoError(t, <-s.result)
		s.done = make(chan error, 1)
		ctx, end := context.WithCancel(context.Background())
		s.end = end
		go func() { s.done <- s.Run(ctx) }()
		t.Cleanup(func() { s.stopServer(t) })
		pair = append(pair, s.server)
	}
	require.Eventually(t, func() bool {
		return len(pair[0].log.FindLines(changedThere))+len(pair[1].log.FindLines(changedThere)) == 1
	}, atMost, every, "the one that was first hears of the other")
	holds := shownSettings(t, databaseURL)["RETENTION_DAYS"]
	for _, s := range pair {
		here := s.log.FindLines(changedHere)
		require.Len(t, here, 1)
		if last := here[0]["new"] == holds.Value; !last {
			require.Equal(t, holds.Value, s.log.FindLines(changedThere)[0]["new"])
		}
	}
	reads := func() (n int64) {
		require.NoError(t, openConnection(t, databaseURL).QueryRow(t.Context(),
			`SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = 'install_settings'`).Scan(&n))
		return n
	}
	before := reads()

	require.Eventually(t, func() bool { return reads() > before+20 }, atMost, every, "they go on reading")

	require.Equal(t, holds, shownSettings(t, databaseURL)["RETENTION_DAYS"], "and nobody writes")
}

// TestRetentionIsLoggedAndCounted runs a server that deletes the events of two days.
func TestRetentionIsLoggedAndCounted(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := startServer(t, configWithJobs(databaseURL))
	s.sendEvent(t, s.makeProject(t))
	storeEventOf(t, databaseURL, 30)
	storeEventOf(t, databaseURL, 40)
	s.stopServer(t)
	c := configWithJobs(databaseURL)
	c.MetricsAddr, c.RetentionDays = "127.0.0.1:0", "0"
	s = startServer(t, c)
	require.Eventually(t, func() bool { return seriesOf(s.scrapeMetrics(t)["errand_job_runs_total"])["drop_expired ok"] > 0 }, atMost, every)
	require.Equal(t, map[int]bool{30: true, 40: true}, stillStored(t, databaseURL, 30, 40), "0 is never")

	s.stopServer(t)
	c.RetentionDays = "20"
	s = startServer(t, c)
	require.Eventually(t, func() bool { return seriesOf(s.scrapeMetrics(t)["errand_retention_dropped_days_total"])[""] == 2 }, atMost, every)
	require.Equal(t, 2.0, seriesOf(s.scrapeMetrics(t)["errand_retention_dropped_events_total"])[""])

	dropped := s.log.FindLines("deleted stored events older than RETENTION_DAYS")
	require.Len(t, dropped, 2)
	require.Equal(t, []any{partitionOf(40), 1.0, 20.0}, []any{dropped[0]["partition"], dropped[0]["events"], dropped[0]["retention_days"]})
}
