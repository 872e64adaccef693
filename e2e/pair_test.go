//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// startPair starts two servers at the same time on one new database, with further variables.
func startPair(t *testing.T, env ...string) (pair [2]*server, database string) {
	t.Helper()
	database = newDatabase(t)
	dirs := [2]string{newDir(t), newDir(t)}
	var starting sync.WaitGroup
	for n := range pair {
		starting.Go(func() {
			pair[n] = startServerOn(t, dirs[n], slices.Concat(underLoad, []string{"DATABASE_URL=" + database}, env)...)
		})
	}
	starting.Wait()
	require.False(t, t.Failed())
	return pair, database
}

// TestFaultTwoServers lets two servers take events in at the same time, some events on both.
func TestFaultTwoServers(t *testing.T) {
	t.Parallel()
	pair, database := startPair(t)
	l := startLoad(t, senders, pair[0], pair[1])
	l.goOn(1200)
	l.checkLedger(pair[1], database)
	quotaOfPair(t, pair, database)
	claimOfPair(t, pair)
	pair[0].stopServer()
	pair[1].stopServer()
	requireNoDeadlocks(t, database)
}

// quotaOfPair fills a daily quota from both servers, which accept exactly as many events as it allows.
func quotaOfPair(t *testing.T, pair [2]*server, database string) {
	t.Helper()
	const quota, senders, each = 300, 40, 10
	text, slug := pair[0].makeProject("Limited")
	require.Equal(t, http.StatusOK, pair[0].callAPI(adminToken, "PATCH", "/v1/projects/"+slug, fmt.Sprintf(`{"daily_quota":%d}`, quota), nil))
	limited := parseDSN(t, text)
	var taken, refused atomic.Int64
	var sending sync.WaitGroup
	for n := range senders {
		sending.Go(func() {
			for range each {
				body := fmt.Sprintf(`{"message":"of kind %d","fingerprint":["%d"]}`, n%5, n%5)
				answer, err := http.Post(pair[n%2].url+"/v1/ingest?key="+limited.key, "application/json", strings.NewReader(body))
				if err != nil {
					continue
				}
				_ = answer.Body.Close()
				switch answer.StatusCode {
				case http.StatusOK:
					taken.Add(1)
				case http.StatusTooManyRequests:
					refused.Add(1)
				}
			}
		})
	}
	sending.Wait()
	require.EqualValues(t, quota, taken.Load())
	require.EqualValues(t, senders*each-quota, refused.Load())
	require.EqualValues(t, quota, readLedger(t, database).projects[limited.id])
}

// claimOfPair lets 20 agents claim one issue over both servers at the same time: one of them gets it.
func claimOfPair(t *testing.T, pair [2]*server) {
	t.Helper()
	const agents = 20
	var list struct{ Data []struct{ ID int64 } }
	require.Equal(t, http.StatusOK, pair[0].callAPI(adminToken, "GET", "/v1/issues?limit=5", "", &list))
	tokens := make([]string, agents)
	for n := range tokens {
		tokens[n] = pair[n%2].makeToken(fmt.Sprint("agent ", n))
	}
	for _, issue := range list.Data {
		path := fmt.Sprintf("/v1/issues/%d/claim", issue.ID)
		status, holder := make([]int, agents), make([]string, agents)
		var claiming sync.WaitGroup
		for n := range tokens {
			claiming.Go(func() {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, pair[n%2].url+path, strings.NewReader(`{}`))
				if err != nil {
					return
				}
				r.Header.Set("Authorization", "Bearer "+tokens[n])
				answer, err := http.DefaultClient.Do(r)
				if err != nil {
					return
				}
				defer answer.Body.Close()
				type claim struct{ Holder string }
				var body struct {
					Claim claim
					Data  struct{ Claim claim }
				}
				if json.NewDecoder(answer.Body).Decode(&body) == nil {
					status[n], holder[n] = answer.StatusCode, body.Claim.Holder+body.Data.Claim.Holder
				}
			})
		}
		claiming.Wait()
		winner := -1
		for n := range tokens {
			if status[n] == http.StatusOK {
				require.Equal(t, -1, winner, "two agents hold the claim")
				winner = n
			}
		}
		require.NotEqual(t, -1, winner, "nobody got the claim: %v", status)
		for n := range tokens {
			require.Equal(t, fmt.Sprint("agent ", winner), holder[n])
			require.True(t, n == winner || status[n] == http.StatusConflict, "%d", status[n])
		}
	}
}

// requireNoDeadlocks checks a database that had no other use, after all its connections have ended: each connection
// reports its deadlocks when it ends.
func requireNoDeadlocks(t *testing.T, database string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	others, deadlocks := 1, 0
	for asked := 0; others > 0; asked++ {
		require.Less(t, asked, 10_000, "connections stay open")
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'errand'`).Scan(&others))
	}
	require.NoError(t, conn.QueryRow(t.Context(),
		`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&deadlocks))
	require.Zero(t, deadlocks)
}
