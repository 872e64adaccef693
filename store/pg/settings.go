package pg

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Connections have no session settings, except to nodes, and of the writer to our own Postgres: behind a pooler in transaction mode,
// such as PgBouncer, a session belongs to another client a moment later. A transaction sets what it needs when it begins, in
// the same round trip. PrepareRole sets the rest on the role.
const (
	// A frozen server must not block the others with an open transaction.
	beginTx = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '2s'`

	beginWriterTx = beginTx + `;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off;
SET LOCAL enable_seqscan = off;
SET LOCAL plan_cache_mode = force_generic_plan;
SET LOCAL jit = off`

	// A transaction that reads several nodes at once could not write a reference table afterwards. Its settings hold on the nodes too.
	beginDistributedTx = beginTx + `; SET LOCAL citus.multi_shard_modify_mode = 'sequential';
SET LOCAL citus.propagate_set_commands = 'local'`

	// With MigrationSettings a transaction waits only a second for the locks of tables, because everyone who comes later waits behind it.
	MigrationSettings = `SET LOCAL lock_timeout = '1s'`

	// BeginMigration begins a transaction with MigrationSettings.
	BeginMigration = beginTx + `; ` + MigrationSettings
)

// pinPlans makes the settings of beginWriterTx, for statements that are sent together without their own transaction.
const pinPlans = `
SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true),
	set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true)`

// WriterPool has the connections of the writer of events. The planner must not scan whole tables for small arrays. It does
// so on tables without statistics, and its plan for an array does not depend on the contents.
type WriterPool struct {
	pool     *pgxpool.Pool
	isPinned bool        // its sessions have writerSettings
	place    *shardPlace // the shard that it writes to, on its node; nil for the database of DATABASE_URL
}

// writerSettings are those of pinPlans, for the sessions of our own Postgres: then no batch has to make them.
var writerSettings = map[string]string{
	"enable_hashjoin": "off", "enable_mergejoin": "off", "enable_seqscan": "off", "plan_cache_mode": "force_generic_plan", "jit": "off",
}

// SendBatch sends statements that form one transaction, in one round trip.
func (w *WriterPool) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	sent, _ := w.sendBegun(ctx, b)
	return sent
}

// sendBegun sends statements behind those that the transaction has to begin with, and returns the number of these.
func (w *WriterPool) sendBegun(ctx context.Context, b *pgx.Batch) (sent pgx.BatchResults, begins int) {
	if w.isPinned && w.place == nil {
		return w.pool.SendBatch(ctx, b), 0
	}
	begun := &pgx.Batch{}
	if !w.isPinned {
		begun.Queue(pinPlans)
	}
	if w.place != nil {
		begun.Queue(lockShards, []int64{w.place.id})
		begun.Queue(findShardsHere, []int64{w.place.id})
		b = w.place.formBatch(b)
	}
	begins = begun.Len()
	begun.QueuedQueries = append(begun.QueuedQueries, b.QueuedQueries...)
	return w.pool.SendBatch(ctx, begun), begins
}

// Query runs a statement, in one round trip. The caller closes the rows; after an error there are none.
func (w *WriterPool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	one := &pgx.Batch{}
	one.Queue(sql, args...)
	sent, begins := w.sendBegun(ctx, one)
	for range begins {
		if _, err := sent.Exec(); err != nil {
			_ = sent.Close() // reports the same error
			return nil, err
		}
	}
	rows, err := sent.Query()
	if err != nil {
		_ = sent.Close() // reports the same error, and returns the connection to the pool
		return nil, err
	}
	return writerRows{rows, sent}, nil
}

// writerRows are rows whose connection goes back into the pool when they are closed.
type writerRows struct {
	pgx.Rows
	sent pgx.BatchResults
}

// Close closes the rows and returns the connection to the pool.
func (r writerRows) Close() {
	r.Rows.Close()
	_ = r.sent.Close() // the rows' Err has reported the error
}

// roleSettings hold for the sessions of the role from their start. Compiled plans never pay off for Errand's statements:
// with them a list of issues took 2 to 4 seconds among 50,000 issues instead of 0.15. The other settings let Postgres
// notice that a machine has vanished.
var roleSettings = map[string]string{
	"jit": "off", "tcp_keepalives_idle": "15", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3", "tcp_user_timeout": "30000",
}

// findUnsetOnRole returns the ALTER ROLE statements that are missing. Values that someone has chosen for the role or the
// database stay. A connection without TCP has no TCP settings.
const findUnsetOnRole = `
SELECT format('ALTER ROLE %I IN DATABASE %I SET %I = %L', session_user, current_database(), n.name, n.value) AS statement
FROM unnest(@names::text[], @values::text[]) AS n (name, value)
JOIN pg_settings s ON s.name = n.name AND s.reset_val <> n.value
WHERE s.source NOT IN ('database', 'user', 'database user', 'client')
	AND (inet_server_addr() IS NOT NULL OR s.name NOT LIKE 'tcp%')
ORDER BY n.name`

// PrepareRole sets roleSettings on the role of the connections, in this database, and reconnects. The error names the
// statements that someone with more rights can run. Errand works without them, but more slowly.
func (db *DB) PrepareRole(ctx context.Context) error { return db.prepareRole(ctx, roleSettings) }

func (db *DB) prepareRole(ctx context.Context, settings map[string]string) error {
	missing, err := db.findUnsetOnRole(ctx, settings)
	if err != nil || len(missing) == 0 {
		return err
	}
	refused := db.InTx(ctx, func(t *Tx) error { return t.ExecAll(ctx, missing...) })
	for _, pool := range append(db.WriterPools(), db.Main) {
		pool.Reset()
	}
	// Another server may have done the same at the same moment, and then Postgres refuses this change.
	if missing, err = db.findUnsetOnRole(ctx, settings); err != nil || refused == nil || len(missing) == 0 {
		return err
	}
	return fmt.Errorf("the settings of the role: %w; somebody with the right can set them by: %s", refused, strings.Join(missing, "; "))
}

func (db *DB) findUnsetOnRole(ctx context.Context, settings map[string]string) (statements []string, err error) {
	var names, values []string
	for name, value := range settings {
		names, values = append(names, name), append(values, value)
	}
	rows, err := QueryMany[struct{ Statement string }](ctx, db.Main, findUnsetOnRole, Args{"names": names, "values": values})
	for _, row := range rows {
		statements = append(statements, row.Statement)
	}
	return statements, err
}
