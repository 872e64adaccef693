// Package dump reads all tables of the database as of one moment, and loads them into the empty tables of another database
// with the same schema. It needs no program of Postgres and no rights beyond those on the tables, and the two databases may be
// of different major versions.
package dump

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/store/pg"
)

// Table is a table of Errand's. The columns are those that are stored, not those that Postgres computes from others.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

const (
	// The tables of the migrations and of the queue belong to their libraries. Migrations fill the first ones; the queue's are
	// never needed, since our own tables say what work there is.
	listTables = `
SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
	AND c.relname !~ '^(goose|river)_' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
GROUP BY c.relname ORDER BY c.relname`
	listReferences = `
SELECT DISTINCT f.relname AS from, t.relname AS to
FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid
WHERE c.contype = 'f' AND c.conparentid = 0 AND f.oid <> t.oid AND f.relnamespace = current_schema()::regnamespace`
)

// reference says that rows of one table refer to rows of another one, which must be there first.
type reference struct{ From, To string }

// listAll returns the tables, each after those that it refers to.
func listAll(ctx context.Context, tx pgx.Tx) ([]Table, error) {
	tables, err := pg.QueryMany[Table](ctx, tx, listTables, pg.Args{})
	if err != nil {
		return nil, err
	}
	references, err := pg.QueryMany[reference](ctx, tx, listReferences, pg.Args{})
	if err != nil {
		return nil, err
	}
	return sortTables(tables, references)
}

// sortTables orders tables so that each comes after those that it refers to.
func sortTables(tables []Table, references []reference) ([]Table, error) {
	sorted := make([]Table, 0, len(tables))
	for len(sorted) < len(tables) {
		before := len(sorted)
		for _, table := range tables {
			isIn := func(name string) bool {
				return slices.ContainsFunc(sorted, func(t Table) bool { return t.Name == name })
			}
			waits := slices.ContainsFunc(references, func(r reference) bool { return r.From == table.Name && !isIn(r.To) })
			if !waits && !isIn(table.Name) {
				sorted = append(sorted, table)
			}
		}
		if len(sorted) == before {
			return nil, errors.New("dump: tables refer to each other in a circle")
		}
	}
	return sorted, nil
}

// list writes the columns for a statement.
func (t Table) list() string {
	names := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		names[i] = quote(column)
	}
	return strings.Join(names, ", ")
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// lockWait is how long a dump waits for a table that a migration holds.
const lockWait = 5 * time.Minute

// settings are those of a transaction that may take hours, and in which the other side may be slow.
var settings = fmt.Sprintf(`; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0;
SET LOCAL lock_timeout = %d`, lockWait.Milliseconds())
