package app_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

// An address whose keys and projects fail too often has only a few looked up at a time, including preflights. The
// others are answered without the database, which is left to good keys.
func TestUnknownKeysOfSuspectsAreLookedUpInTurn(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	s := startServer(t, configOn(url))
	key := s.makeProject(t)
	require.Equal(t, http.StatusOK, s.requestOf(t, http.MethodPost, "/v1/ingest", event, "X-Service-Key: "+key).status)
	preflight := func(n int) answer {
		return s.requestOf(t, http.MethodOptions, fmt.Sprintf("/api/%d/envelope/", 7_000_000_000+n), "", "Origin: https://shop.example")
	}
	for n := range 101 {
		require.Equal(t, http.StatusNoContent, preflight(n).status)
	}
	got := s.requestOf(t, http.MethodPost, "/v1/ingest", event, "X-Service-Key: unknown")
	require.Equal(t, http.StatusTooManyRequests, got.status, "preflights of unknown projects count")

	lock := openConnection(t, url)
	_, err := lock.Exec(t.Context(), `BEGIN; LOCK TABLE projects`)
	require.NoError(t, err)
	answers := make(chan int, 8)
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() { answers <- preflight(1000 + n).status })
		all.Go(func() {
			request, err := http.NewRequestWithContext(context.Background(), http.MethodPost,
				fmt.Sprintf("%s/v1/ingest?key=unknown%d", s.URL(), n), nil)
			if err == nil {
				answers <- s.doRequest(request).status
			}
		})
	}
	for range 6 {
		require.Contains(t, []int{http.StatusTooManyRequests, http.StatusNoContent}, <-answers)
	}
	var waiting int
	require.NoError(t, openConnection(t, url).QueryRow(t.Context(),
		`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%public_key%'
		OR datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%allowed_origins%'`).Scan(&waiting))
	require.Equal(t, 2, waiting)
	_, err = lock.Exec(t.Context(), `COMMIT`)
	require.NoError(t, err)
	all.Wait()
	s.stopServer(t)
	require.NotContains(t, s.log.String(), "events are refused", "wrong keys have a line of their own")
}
