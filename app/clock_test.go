package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// wrongClock is the clock of a server that is ahead of the machine's, or behind.
type wrongClock struct{ ahead atomic.Int64 }

func newWrongClock(ahead time.Duration) *wrongClock {
	c := &wrongClock{}
	c.ahead.Store(int64(ahead))
	return c
}

func (c *wrongClock) tell() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// requireNow requires a time of an answer to be Postgres', which has the machine's clock here.
func requireNow(t *testing.T, text any) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text.(string))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), at, 5*time.Second)
}

// TestServersWithWrongClocksMissNoReturn has one server report the deploy of a fix, and another one take the event that shows that it
// does not hold.
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

func TestWrongClockIsWarnedOfAndMeasured(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	own := newWrongClock(0)
	c.Clock, c.MeasureClockEvery, c.MetricsAddr = own.tell, every, "127.0.0.1:0"
	s := startServer(t, c)
	s.makeProject(t)
	const warning = "the clock of this server differs from that of Postgres"
	require.NotContains(t, s.log.String(), warning)

	own.ahead.Store(int64(120 * time.Second)) // it is set to a wrong time while the server runs

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
