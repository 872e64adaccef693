package pg

import "context"

// Node is a Postgres that holds shards, where the tables are distributed.
type Node struct {
	Name    string // host:port
	Answers bool   // to the coordinator
	Bytes   int64  // of its shards; 0 while a node does not answer, because Citus asks all of them
}

// A Postgres without Citus could not prepare these, so they are variables. listNodes succeeds even if a node does not answer.
var (
	listNodes = `
SELECT n.nodename || ':' || n.nodeport AS name, coalesce(a.success, false) AS answers, 0::bigint AS bytes
FROM pg_dist_node n
LEFT JOIN run_command_on_all_nodes('SELECT 1', give_warning_for_connection_errors := true) a ON a.nodeid = n.nodeid
WHERE n.shouldhaveshards AND n.isactive AND n.noderole = 'primary'
ORDER BY 1`
	sumShards = `
SELECT nodename || ':' || nodeport AS name, true AS answers, sum(shard_size)::bigint AS bytes FROM citus_shards
WHERE citus_table_type = 'distributed' GROUP BY 1 ORDER BY 1`
)

// ListNodes returns the nodes that hold shards, by name; none where the tables are not distributed.
func (db *DB) ListNodes(ctx context.Context) ([]Node, error) {
	if !db.IsDistributed() {
		return nil, nil
	}
	nodes, err := QueryMany[Node](ctx, db.Main, listNodes, Args{})
	if err != nil {
		return nil, err
	}
	for _, node := range nodes {
		if !node.Answers {
			return nodes, nil
		}
	}
	sums, err := QueryMany[Node](ctx, db.Main, sumShards, Args{})
	for i := range nodes {
		for _, sum := range sums {
			if sum.Name == nodes[i].Name {
				nodes[i].Bytes = sum.Bytes
			}
		}
	}
	return nodes, err
}
