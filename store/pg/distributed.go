package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const hasCitus = `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS found`

// A Postgres without Citus could not prepare these, so they are variables: tests prepare each constant.
var (
	isDistributed = `SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('issues')) AS found`
	listTables    = `
SELECT c.relname::text AS name, greatest(c.reltuples, 0)::bigint AS rows,
	coalesce(p.partmethod = 'h' OR p.repmodel = 't', false) AS is_placed
FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'projects'::regclass) AND c.relkind IN ('r', 'p')`
	countNodes    = `SELECT count(*) AS n FROM pg_dist_node WHERE shouldhaveshards AND isactive AND noderole = 'primary'`
	makeReference = `SELECT create_reference_table($1::text::regclass)`
	distribute    = `SELECT create_distributed_table($1::text::regclass, 'project_id', shard_count := $2)`
	placeBeside   = `SELECT create_distributed_table($1::text::regclass, 'project_id', colocate_with := $2)`
	dropLocalCopy = `SELECT truncate_local_data_after_distributing_table($1::text::regclass)`
)

// countOthers counts the connections of other programs of Errand's.
const countOthers = `
SELECT count(*) AS n FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'errand' AND pid <> ALL (@own::int[])`

// CountOthers returns how many connections servers and other commands have to the database.
func (db *DB) CountOthers(ctx context.Context) (int, error) {
	row, err := QueryOne[struct{ N int }](ctx, db.Main, countOthers, Args{"own": listOwnBackends()})
	return row.N, err
}

// FindDistribution finds out whether the tables are distributed over the nodes of Citus. Call it before anything else uses the
// database.
func (db *DB) FindDistribution(ctx context.Context) error {
	for _, sql := range []string{hasCitus, isDistributed} {
		row, err := QueryOne[struct{ Found bool }](ctx, db.Main, sql, Args{})
		if err != nil || !row.Found {
			return err
		}
	}
	db.distributed.Store(true)
	return nil
}

// IsDistributed reports whether FindDistribution found that the tables are distributed. Then a statement that writes, or locks rows,
// has to name the projects of one shard.
func (db *DB) IsDistributed() bool { return db.distributed.Load() }

// ChooseForm returns the form of a statement that this database needs.
func (db *DB) ChooseForm(usual, distributed string) string {
	if db.IsDistributed() {
		return distributed
	}
	return usual
}

// Distribution is what Citus knows of the tables.
type Distribution struct {
	Nodes  int // that hold shards
	Tables map[string]PlacedTable
}

// PlacedTable is a table by its name.
type PlacedTable struct {
	Name     string
	Rows     int64 // estimated
	IsPlaced bool  // it is distributed, or a reference table
}

// ReadDistribution returns what Citus knows, or nil where it is not.
func (db *DB) ReadDistribution(ctx context.Context) (*Distribution, error) {
	citus, err := QueryOne[struct{ Found bool }](ctx, db.Main, hasCitus, Args{})
	if err != nil || !citus.Found {
		return nil, err
	}
	nodes, err := QueryOne[struct{ N int }](ctx, db.Main, countNodes, Args{})
	if err != nil {
		return nil, err
	}
	tables, err := QueryMany[PlacedTable](ctx, db.Main, listTables, Args{})
	d := &Distribution{Nodes: nodes.N, Tables: make(map[string]PlacedTable, len(tables))}
	for _, t := range tables {
		d.Tables[t.Name] = t
	}
	return d, err
}

// MakeReference copies a table to every node.
func (db *DB) MakeReference(ctx context.Context, table string) error {
	_, err := db.Main.Exec(ctx, makeReference, table)
	return WrapError(err)
}

// DistributeTable distributes a table by project_id in that many shards, or beside the shards of another table. FinishTable has to follow.
func (db *DB) DistributeTable(ctx context.Context, table, beside string, shards int) (err error) {
	if beside == "" {
		_, err = db.Main.Exec(ctx, distribute, table, shards)
	} else {
		_, err = db.Main.Exec(ctx, placeBeside, table, beside)
	}
	return WrapError(err)
}

// FinishTable removes the rows of a distributed table that are still on the coordinator, where nothing reads them any more, and counts
// the rows of its shards for the planner.
func (db *DB) FinishTable(ctx context.Context, table string) error {
	_, err := db.Main.Exec(ctx, dropLocalCopy, table)
	if err == nil {
		_, err = db.Main.Exec(ctx, "ANALYZE "+pgx.Identifier{table}.Sanitize())
	}
	return WrapError(err)
}

// planWithValues is for sessions that begin later: only a plan with its values can know the node of a project.
const planWithValues = `SELECT format('ALTER DATABASE %I SET plan_cache_mode = force_custom_plan', current_database()) AS statement`

// PlanWithValues makes Postgres plan every statement with its values.
func (db *DB) PlanWithValues(ctx context.Context) error {
	row, err := QueryOne[struct{ Statement string }](ctx, db.Main, planWithValues, Args{})
	if err == nil {
		_, err = db.Main.Exec(ctx, row.Statement)
	}
	return WrapError(err)
}
