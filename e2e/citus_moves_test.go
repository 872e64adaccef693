//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/testkit/citus"
)

// pacePerMove is the time between two events while shards move.
const pacePerMove = 4 * time.Millisecond

// TestCitusShardsMoveUnderLoad moves the shards of the load's projects to the other worker and back, in both ways of Citus, and puts a
// project into a shard of its own. Then errand db rebalance gives each worker its share. Nothing that got 200 is lost, and nothing
// counts twice.
func TestCitusShardsMoveUnderLoad(t *testing.T) {
	_ = listNodes(t)
	database := newDatabase(t)
	start := func() *server { return startServerOn(t, newDir(t), append(underLoad, "DATABASE_URL="+database)...) }
	servers := []*server{start(), start()}
	l := newLoad(t, senders, servers...)
	l.pace.Reset(pacePerMove) // moves take long, and no issue but the hot one may have more events than it keeps
	l.startSending(senders)
	l.goOn(betweenOutages)
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	for _, mode := range []string{"block_writes", "force_logical"} {
		for _, project := range l.projects {
			l.measureOutage(func() { moveShard(t, conn, project.id, mode) })
		}
	}
	l.measureOutage(func() {
		_, err := conn.Exec(t.Context(), `
SELECT isolate_tenant_to_new_shard('issues', $1::bigint, 'CASCADE', shard_transfer_mode := 'block_writes')`, l.projects[0].id)
		require.NoError(t, err)
	})
	l.measureOutage(func() { moveShard(t, conn, l.projects[0].id, "block_writes") })
	rebalanceUnderLoad(t, l, conn, database)
	l.checkLedger(servers[1], database)
}

// TestCitusDistributesAFullDatabase distributes the tables of a server that is under load: it stops, and goes on afterwards. Nothing that
// got 200 is lost, and nothing counts twice.
func TestCitusDistributesAFullDatabase(t *testing.T) {
	_ = listNodes(t)
	name := fmt.Sprintf("errand_plain_%d", time.Now().UnixNano())
	database, err := citus.CreateDatabase(t.Context(), citus.ListNodes(), name)
	require.NoError(t, err)
	t.Cleanup(func() { citus.DropDatabase(context.WithoutCancel(t.Context()), citus.ListNodes(), name) })
	start := func(dir string) *server { return startServerOn(t, dir, append(underLoad, "DATABASE_URL="+database)...) }
	s := start(newDir(t))
	l := startLoad(t, senders, s)
	l.goOn(10 * betweenOutages)
	l.measureOutage(func() {
		s.stopServer()
		output, err := errandCommand(t, s.dataDir, []string{"DATABASE_URL=" + database}, "db", "distribute").CombinedOutput()
		require.NoError(t, err, "%s", output)
		require.Contains(t, string(output), "The tables are distributed over 2 nodes")
		s = start(s.dataDir)
		l.moveServer(0, s)
	})
	l.goOn(10 * betweenOutages)
	l.checkLedger(s, database)
}

// rebalanceUnderLoad gives the first worker all shards, and then each its share.
func rebalanceUnderLoad(t *testing.T, l *load, conn *pgx.Conn, database string) {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT shardid, nodeport FROM citus_shards WHERE table_name = 'issues'::regclass ORDER BY nodeport`)
	require.NoError(t, err)
	shards, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		ID   int64
		Port int
	}])
	require.NoError(t, err)
	for _, shard := range shards {
		if shard.Port != shards[0].Port {
			moveToOther(t, conn, shard.ID, "block_writes")
		}
	}
	l.measureOutage(func() {
		output, err := errandCommand(t, newDir(t), []string{"DATABASE_URL=" + database}, "db", "rebalance").CombinedOutput()
		require.NoError(t, err, "%s", output)
		require.Contains(t, string(output), "moved")
		t.Logf("%s", output)
	})
	var least int
	require.NoError(t, conn.QueryRow(t.Context(), `
SELECT min(n) FROM (SELECT count(s.shardid) AS n FROM pg_dist_node d LEFT JOIN citus_shards s ON s.nodeport = d.nodeport
	AND s.table_name = 'issues'::regclass WHERE d.shouldhaveshards GROUP BY d.nodeport) x`).Scan(&least))
	require.GreaterOrEqual(t, least, 2, "shards on the emptier worker")
}

// moveShard moves the shard of a project to the other worker.
func moveShard(t *testing.T, conn *pgx.Conn, project int64, mode string) {
	t.Helper()
	var shard int64
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT get_shard_id_for_distribution_column('issues', $1::bigint)`, project).Scan(&shard))
	moveToOther(t, conn, shard, mode)
}

func moveToOther(t *testing.T, conn *pgx.Conn, shard int64, mode string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), `
SELECT citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, $2::citus.shard_transfer_mode)
FROM citus_shards s JOIN pg_dist_node n ON n.shouldhaveshards AND n.nodeport <> s.nodeport
WHERE s.shardid = $1`, shard, mode)
	require.NoError(t, err)
}
