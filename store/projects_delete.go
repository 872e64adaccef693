package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"

	"errand/core"
	"errand/store/activity"
	"errand/store/intake"
	"errand/store/pg"
)

const (
	hideProject         = `UPDATE projects SET deleted_at = @now WHERE id = @id`
	revokeProjectTokens = `UPDATE tokens SET revoked_at = @now WHERE project_id = @id AND revoked_at IS NULL RETURNING id`
)

// deleteProject does DeleteProject. The timeline shows it as a change of the project: the specification has no other action for it.
func (t *tx) deleteProject(ctx context.Context, actor core.Actor, id int64) error {
	if err := intake.LockProject(ctx, t.Tx, id); err != nil {
		return err
	}
	if err := t.LockRow(ctx, "projects", id); err != nil {
		return err
	}
	if _, err := pg.Exec(ctx, t, hideProject, pg.Args{"id": id, "now": t.Now}); err != nil {
		return err
	}
	_, err := t.recordActivity(ctx, activity.Entry{
		ProjectID: id, Actor: actor, Action: core.ActionProjectUpdate, TargetType: core.TargetProject, TargetID: id,
		Data: map[string]core.Time{"deleted_at": t.Now},
	})
	if err != nil {
		return err
	}
	return t.revokeTokens(ctx, actor, revokeProjectTokens, id)
}

// revokeTokens revokes the tokens that the statement finds by the id of their project or key.
func (t *tx) revokeTokens(ctx context.Context, actor core.Actor, sql string, id int64) error {
	tokens, err := pg.QueryMany[struct{ ID int64 }](ctx, t, sql, pg.Args{"id": id, "now": t.Now})
	if err != nil {
		return err
	}
	ids := make([]int64, len(tokens))
	for i, token := range tokens {
		ids[i] = token.ID
	}
	slices.Sort(ids)
	return t.recordRevoked(ctx, actor, ids...)
}

// purgeAfter is how long after its deletion a project's rows are deleted. By then no server takes its events: servers
// remember a key for 60 seconds, and a request with it does not last longer.
const purgeAfter = 5 * time.Minute

const (
	listUnpurgedProjects = `SELECT id FROM projects WHERE deleted_at <= @due AND purged_at IS NULL ORDER BY deleted_at, id`
	markPurged           = `UPDATE projects SET purged_at = @now WHERE id = @id AND deleted_at IS NOT NULL AND purged_at IS NULL`
)

// UnpurgedProjects returns the deleted projects whose rows are due for deletion, oldest first.
func (s *Store) UnpurgedProjects(ctx context.Context) ([]int64, error) {
	rows, err := pg.QueryMany[struct{ ID int64 }](ctx, s.db.Main, listUnpurgedProjects, pg.Args{"due": s.Now().Add(-purgeAfter)})
	list := make([]int64, len(rows))
	for i, r := range rows {
		list[i] = r.ID
	}
	return list, err
}

// keptTables are the tables with a project_id that keep a deleted project's rows: the timeline stays (primary API, DELETE
// project), and lists show revoked tokens and requests for approval.
var keptTables = []string{"activity", "approvals", "tokens"}

// listProjectTables finds the tables of project data, including each partition, with the columns that find a project's
// rows: the columns of the primary key, or of the longest index.
const listProjectTables = `
SELECT DISTINCT ON (c.relname) c.relname::text AS name, ARRAY(
	SELECT a.attname::text FROM unnest(x.indkey) WITH ORDINALITY AS k (attnum, place)
	JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum ORDER BY k.place) AS key
FROM pg_class c
JOIN pg_class root ON root.oid = coalesce(pg_partition_root(c.oid), c.oid)
JOIN pg_attribute p ON p.attrelid = c.oid AND p.attname = 'project_id' AND NOT p.attisdropped
JOIN pg_index x ON x.indrelid = c.oid AND x.indexprs IS NULL AND x.indpred IS NULL
WHERE c.relkind = 'r' AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'projects'::regclass)
	AND root.relname <> ALL (@kept::text[])
ORDER BY c.relname, x.indisprimary DESC, x.indnkeyatts DESC`

type projectTable struct {
	Name string
	Key  []string
}

// purgeChunk bounds the rows of one deletion, so that no transaction is long.
const purgeChunk = 5000

// PurgeProject deletes rows of a deleted project, a bounded number from each table of project data. It is done when no
// table has any left. It may be interrupted anywhere, and several servers may run it at the same time.
func (s *Store) PurgeProject(ctx context.Context, id int64) (done bool, err error) {
	tables, err := pg.QueryMany[projectTable](ctx, s.db.Main, listProjectTables, pg.Args{"kept": keptTables})
	if err != nil {
		return false, err
	}
	done = true
	for _, table := range tables {
		n, err := s.purgeTable(ctx, table, id)
		if err != nil {
			return false, err
		}
		done = done && n == 0
	}
	if done {
		_, err = pg.Exec(ctx, s.db.Main, markPurged, pg.Args{"id": id, "now": s.Now()})
	}
	return done, err
}

func (s *Store) purgeTable(ctx context.Context, table projectTable, project int64) (int64, error) {
	name, key := pgx.Identifier{table.Name}.Sanitize(), slices.Clone(table.Key)
	for i := range key {
		key[i] = pgx.Identifier{key[i]}.Sanitize()
	}
	sql := fmt.Sprintf(`DELETE FROM %[1]s WHERE project_id = @id AND (%[2]s) IN (SELECT %[2]s FROM %[1]s WHERE project_id = @id LIMIT @chunk)`,
		name, strings.Join(key, ", "))
	var n int64
	err := s.inTx(ctx, func(t *tx) (err error) {
		n, err = pg.Exec(ctx, t, sql, pg.Args{"id": project, "chunk": purgeChunk})
		return err
	})
	if pg.HasState(err, pgerrcode.UndefinedTable) { // no such table: a day that the retention has dropped since
		return 0, nil
	}
	return n, err
}
