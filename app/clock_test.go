package app_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// wrongClock is the clock of a server that is ahead of the machine's clock, or behind it.
type wrongClock struct{ ahead atomic.Int64 }

func newWrongClock(ahead time.Duration) *wrongClock {
	c := &wrongClock{}
	c.ahead.Store(int64(ahead))
	return c
}

// tell has no monotonic part: a change of the clock also changes the difference between times before and after it.
func (c *wrongClock) tell() time.Time { return time.Now().Round(0).Add(time.Duration(c.ahead.Load())) }

// requireNow requires a time in an answer to be Postgres' time, which is the machine's here.
func requireNow(t *testing.T, text any) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text.(string))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), at, 5*time.Second)
}

// TestServersWithWrongClocksMissNoReturn lets one server report the deploy of a fix, and another take the event that
// shows that the fix failed.
func TestServersWithWrongClocksMissNoReturn(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{120 * time.Second, -120 * time.Second} {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			databaseURL := storetest.NewURL(t)
			wrong := configOn(databaseURL)
			wrong.Clock = newWrongClock(skew).tell
			deploying, taking := startServer(t, wrong), startServer(t, configOn(databaseURL))
			key := taking.makeProject(t)
			issue := taking.sendEvent(t, key)
			for n, servers := range [][2]*server{{deploying, taking}, {taking, deploying}} {
				commit := fmt.Sprintf("%040x", 0xabc0+n)
				deploying.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", issue), fmt.Sprintf(`{"commit": %q}`, commit))
				deployed := servers[0].postAsAdmin(t, "/v1/deploys",
					fmt.Sprintf(`{"project": "web-shop", "commit": %q, "release": "1.%d"}`, commit, n))
				requireNow(t, deployed["deployed_at"])

				got := servers[1].sendRequest(t.Context(), http.MethodPost, "/v1/ingest", key,
					strings.NewReader(fmt.Sprintf(`{"message": "cart cannot be loaded", "release": "1.%d"}`, n)))

				require.Equal(t, http.StatusOK, got.status, got.body)
				shown := taking.sendRequest(t.Context(), http.MethodGet, fmt.Sprintf("/v1/issues/%d", issue), "", nil)
				require.Contains(t, shown.body, `"status":"regressed"`)
			}
		})
	}
}

// TestClockThatIsSetWhileTheServerRuns sets the clock, and makes no comparison before the next deploy.
func TestClockThatIsSetWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	own := newWrongClock(-120 * time.Second)
	c.Clock = own.tell
	s := startServer(t, c)
	s.makeProject(t)
	for n, ahead := range []time.Duration{0, -2 * time.Hour, 300 * time.Hour} {
		own.ahead.Store(int64(ahead))

		deployed := s.postAsAdmin(t, "/v1/deploys", fmt.Sprintf(`{"project": "web-shop", "commit": "abcdef12%d"}`, n))

		requireNow(t, deployed["deployed_at"])
	}
}

// hideClock makes a database that refuses to tell its time, with an error of that SQLSTATE, and returns its URL.
func hideClock(t *testing.T, state string) (databaseURL string, conn *pgx.Conn) {
	t.Helper()
	databaseURL = storetest.NewEmptyURL(t)
	conn = openConnection(t, databaseURL)
	_, err := conn.Exec(t.Context(), `CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS
		$$ BEGIN RAISE EXCEPTION 'no clock today' USING ERRCODE = '`+state+`'; END $$`)
	require.NoError(t, err)
	return databaseURL + "&search_path=public,pg_catalog", conn
}

// TestClockThatCannotBeComparedStopsNothing uses an error that waiting does not cure, and one that lasts.
func TestClockThatCannotBeComparedStopsNothing(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]string{"denied": "42501", "not yet": "57P03"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL, _ := hideClock(t, state)
			c := configOn(databaseURL)
			c.DatabaseWait = "1s"
			const warning = "could not be compared with that of Postgres"

			s := startServer(t, c)
			require.Contains(t, s.log.String(), warning)
			s.makeProject(t)
			log := &logtext.Text{}
			_, err := app.ListUsers(t.Context(), &c, log.NewLogger())

			require.NoError(t, err)
			require.Contains(t, log.String(), warning)
		})
	}
}

func TestStartWaitsForTheClock(t *testing.T) {
	t.Parallel()
	databaseURL, conn := hideClock(t, "57P03")
	c := configOn(databaseURL)
	c.DatabaseWait = "1m"
	own := newWrongClock(120 * time.Second)
	c.Clock = own.tell
	s := beginStart(t, c)
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "no clock today") }, atMost, every)

	_, err := conn.Exec(t.Context(), `DROP FUNCTION public.clock_timestamp()`)
	require.NoError(t, err)

	require.NoError(t, <-s.result)
	defer s.Close(context.Background())
	require.WithinDuration(t, time.Now(), s.Store().Now().Time, 5*time.Second)
}

func TestWrongClockIsWarnedOfAndMeasured(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	own := newWrongClock(0)
	c.Clock, c.MeasureClockEvery, c.MetricsAddr = own.tell, every, "127.0.0.1:0"
	s := startServer(t, c)
	s.makeProject(t)
	const warning = "the clock of this server differs from that of Postgres"
	require.NotContains(t, s.log.String(), warning)

	own.ahead.Store(int64(120 * time.Second)) // set to a wrong time while the server runs

	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), warning) }, atMost, every)
	deployed := s.postAsAdmin(t, "/v1/deploys", `{"project": "web-shop", "commit": "abcdef1234"}`)
	requireNow(t, deployed["deployed_at"])
	families, err := s.MetricsRegistry().Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == "errand_clock_ahead_seconds" {
			require.InDelta(t, 120, family.GetMetric()[0].GetGauge().GetValue(), 5)
			return
		}
	}
	require.Fail(t, "there is no metric of the clock")
}
