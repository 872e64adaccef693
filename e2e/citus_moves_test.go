//go:build e2e

package e2e

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestCitusShardsMoveUnderLoad moves the shards of the load's projects to the other worker and back, in both ways of Citus, and puts a
// project into a shard of its own: nothing that got 200 is lost, and nothing counts twice.
func TestCitusShardsMoveUnderLoad(t *testing.T) {
	_ = listNodes(t)
	database := newDatabase(t)
	start := func() *server { return startServerOn(t, newDir(t), append(underLoad, "DATABASE_URL="+database)...) }
	servers := []*server{start(), start()}
	l := startLoad(t, senders, servers...)
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
	l.checkLedger(servers[1], database)
}

// moveShard moves the shard of a project to the other worker.
func moveShard(t *testing.T, conn *pgx.Conn, project int64, mode string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), `
SELECT citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, $2::citus.shard_transfer_mode)
FROM citus_shards s JOIN pg_dist_node n ON n.shouldhaveshards AND n.nodeport <> s.nodeport
WHERE s.shardid = get_shard_id_for_distribution_column('issues', $1::bigint)`, project, mode)
	require.NoError(t, err)
}
