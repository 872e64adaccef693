//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFaultFewConnections uses a role with at most five connections, and reads and events at the same time: with a
// pool of five, and with the pool of a server whose operator does not know about the limit.
func TestFaultFewConnections(t *testing.T) {
	t.Parallel()
	const limit, readers = 5, 8
	for name, pool := range map[string]string{"a pool of 5": "DATABASE_POOL=5", "the usual pool": "DATABASE_POOL="} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := newManaged(t, startPostgres(t, newDir(t)).URL(), limit, "")
			s := startServerOn(t, newDir(t), append(underLoad, "DATABASE_URL="+db.url, pool)...)
			l := startLoad(t, senders, s)
			endReads := startReads(s, readers)
			for range 20 {
				l.goOn(4 * senders)
				require.Equal(t, http.StatusOK, s.callAPI("", "GET", "/readyz", "", nil), "reads keep it from being ready")
			}
			reads := endReads()
			t.Logf("with %s: %d answers for reads were 200, %d were 503", name, reads[http.StatusOK], reads[http.StatusServiceUnavailable])
			l.checkLedger(s, db.superuser)
			for _, e := range l.events {
				require.Zero(t, e.refused, "reads take the connections of ingest")
			}
			require.Positive(t, reads[http.StatusOK])
			require.Len(t, reads, 1, "reads wait for a connection, and are not refused")
			s.requireFewLines(1)
			require.Equal(t, pool == "DATABASE_POOL=", strings.Contains(s.log.String(), "fewer connections than DATABASE_POOL"))
		})
	}
}

// startReads makes readers list issues and events. It returns a function that ends them and returns how many answers had which status.
func startReads(s *server, readers int) (end func() map[int]int64) {
	ctx, stop := context.WithCancel(context.Background())
	var reading sync.WaitGroup
	var answered [600]atomic.Int64
	s.t.Cleanup(stop)
	for n := range readers {
		paths := []string{"/v1/issues?limit=100", "/v1/issues?limit=100&sort=priority", "/v1/projects", fmt.Sprintf("/v1/activity?limit=%d", n+1)}
		reading.Go(func() {
			for k := 0; ctx.Err() == nil; k++ {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+paths[(n+k)%len(paths)], nil)
				if err != nil {
					return
				}
				r.Header.Set("Authorization", "Bearer "+adminToken)
				answer, err := http.DefaultClient.Do(r)
				if err != nil {
					continue // the end
				}
				_ = answer.Body.Close()
				answered[answer.StatusCode].Add(1)
			}
		})
	}
	return func() map[int]int64 {
		stop()
		reading.Wait()
		by := map[int]int64{}
		for status := range answered {
			if n := answered[status].Load(); n > 0 {
				by[status] = n
			}
		}
		return by
	}
}
