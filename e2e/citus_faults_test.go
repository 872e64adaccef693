//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/testkit/citus"
)

// killRounds is how many rounds of kills TestCitusNodesAreKilled has, unless CITUS_ROUNDS says otherwise.
const killRounds = 4

// TestCitusNodesAreKilled kills each worker, the coordinator and a server under load, round after round: nothing that got 200 is lost,
// and nothing counts twice.
func TestCitusNodesAreKilled(t *testing.T) {
	nodes := listNodes(t)
	rounds := killRounds
	if text := os.Getenv("CITUS_ROUNDS"); text != "" {
		var err error
		rounds, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	database := newDatabase(t)
	start := func(dir string) *server { return startServerOn(t, dir, append(underLoad, "DATABASE_URL="+database)...) }
	servers := []*server{start(newDir(t)), start(newDir(t))}
	l := startLoad(t, senders, servers...)
	for round := range rounds {
		l.measureOutage(func() {
			if which := round % 4; which < len(nodes) {
				nodes[which].kill()
				<-time.After(time.Second)
				nodes[which].start()
			} else {
				require.NoError(t, servers[0].cmd.Process.Kill())
				_ = servers[0].cmd.Wait()
				servers[0] = start(servers[0].dataDir)
				l.moveServer(0, servers[0])
			}
		})
	}
	l.checkLedger(servers[1], database)
}

// TestCitusNodeIsAway stops one worker: its projects are answered 503, others as before, and what waited is taken when it is back.
func TestCitusNodeIsAway(t *testing.T) {
	nodes := listNodes(t)
	database := newDatabase(t)
	s := startServerOn(t, newDir(t), append(underLoad, "DATABASE_URL="+database)...)
	byNode := projectsByNode(t, s, database)
	require.Len(t, byNode, 2, "projects on both workers")
	lost, others := byNode[0], byNode[1]
	for n, d := range append(lost, others...) {
		require.Equal(t, http.StatusOK, s.sendTo(d, n), "before")
	}
	nodes[1].kill()
	waiting := make(chan int, len(lost))
	for n, d := range lost {
		go func() { waiting <- s.sendTo(d, 100+n) }()
	}
	for n := range 50 {
		begin := time.Now()
		require.Equal(t, http.StatusOK, s.sendTo(others[n%len(others)], 200+n), "an event of a project on another node")
		require.Less(t, time.Since(begin), 5*time.Second, "it does not wait for the node that is away")
	}
	require.Equal(t, http.StatusOK, s.callAPI("", "GET", "/readyz", "", nil), "the server is ready")
	path := fmt.Sprintf("/v1/issues?project=%d", others[0].id)
	require.Equal(t, http.StatusOK, s.callAPI(adminToken, "GET", path, "", nil), "a list of a project on another node")
	path = fmt.Sprintf("/v1/issues?project=%d", lost[0].id)
	require.Equal(t, http.StatusServiceUnavailable, s.callAPI(adminToken, "GET", path, "", nil), "a list of a project on the lost node")
	nodes[1].start()
	for range lost {
		require.Equal(t, http.StatusOK, <-waiting, "an event that waited for its node")
	}
	require.Equal(t, http.StatusOK, s.callAPI(adminToken, "GET", path, "", nil), "the list when the node is back")
}

// TestCitusNodeHangs freezes one worker, so that it neither answers nor refuses: its events, and reads of its projects, keep no events of
// others waiting.
func TestCitusNodeHangs(t *testing.T) {
	nodes := listNodes(t)
	database := newDatabase(t)
	s := startServerOn(t, newDir(t), append(underLoad, "DATABASE_URL="+database)...)
	byNode := projectsByNode(t, s, database)
	frozen, others := byNode[0], byNode[1]
	for n, d := range append(frozen, others...) {
		require.Equal(t, http.StatusOK, s.sendTo(d, n), "before")
	}
	thaw := nodes[1].freeze()
	const many = 40
	waiting := make(chan int, many)
	for n := range many {
		go func() { waiting <- s.sendTo(frozen[n%len(frozen)], 100+n) }()
	}
	var reads sync.WaitGroup
	for n := range many {
		reads.Go(func() { s.readIssues(frozen[n%len(frozen)]) })
	}
	for n := range 50 {
		require.Equal(t, http.StatusOK, s.sendTo(others[n%len(others)], 200+n), "an event of a project on another node")
	}
	require.Len(t, waiting, 0, "none of the frozen node's events is answered yet")
	thaw()
	for range many {
		require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, <-waiting)
	}
	reads.Wait()
	require.Equal(t, http.StatusOK, s.sendTo(frozen[0], 999), "after")
}

// readIssues lists the issues of a project, and ignores the outcome.
func (s *server) readIssues(d dsn) {
	request, err := http.NewRequest(http.MethodGet, fmt.Sprintf("%s/v1/issues?project=%d", s.url, d.id), nil)
	if err != nil {
		return
	}
	request.Header.Set("Authorization", "Bearer "+adminToken)
	if answer, err := http.DefaultClient.Do(request); err == nil {
		_ = answer.Body.Close()
	}
}

// projectsByNode makes projects until both workers have two. It returns the first worker's projects, and then the second worker's.
func projectsByNode(t *testing.T, s *server, database string) [][]dsn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	found := map[int][]dsn{}
	for n := 0; n < 50 && (len(found[0]) < 2 || len(found[1]) < 2); n++ {
		text, _ := s.makeProject(fmt.Sprint("On a node ", n))
		d := parseDSN(t, text)
		var port int
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT nodeport FROM citus_shards
			WHERE table_name = 'issues'::regclass AND shardid = get_shard_id_for_distribution_column('issues', $1::bigint)`, d.id).Scan(&port))
		first := portOfNode(t, 1)
		found[min(port-first, 1)] = append(found[min(port-first, 1)], d)
	}
	return [][]dsn{found[0], found[1]}
}

// portOfNode returns the port of a node of the cluster.
func portOfNode(t *testing.T, n int) int {
	t.Helper()
	config, err := pgx.ParseConfig(citus.ListNodes()[n])
	require.NoError(t, err)
	return int(config.Port)
}

// sendTo sends an event to a project, and returns the status.
func (s *server) sendTo(d dsn, n int) int {
	body := fmt.Sprintf(`{"event_id":"%032x","message":"of %d","fingerprint":["%d"],"platform":"go"}`, int64(n)<<32+d.id, n%3, n%3)
	answer, err := http.Post(s.url+"/v1/ingest?key="+d.key, "application/json", strings.NewReader(body))
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	return answer.StatusCode
}
