package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"errand/store/pg"
)

// ErrNotEmpty is the error of loading into a database that has been used.
var ErrNotEmpty = errors.New("the database is not empty")

// Loader loads tables in one transaction: either everything arrives, or nothing.
type Loader struct {
	Tx pgx.Tx // for changes that belong to the load

	tables []Table
}

// hasInstallation finds an installation that somebody works with. Migrations alone put rows only in other tables.
const hasInstallation = `
SELECT EXISTS (SELECT 1 FROM install_identity) OR EXISTS (SELECT 1 FROM projects) OR EXISTS (SELECT 1 FROM users)
	OR EXISTS (SELECT 1 FROM tokens) OR EXISTS (SELECT 1 FROM webhooks) AS used`

// buildMemory lets indexes be sorted in memory, mostly.
const buildMemory = `; SET LOCAL maintenance_work_mem = '256MB'`

// Load calls fn with a Loader, and commits when fn returns nil. A database in use is ErrNotEmpty.
func Load(ctx context.Context, pool *pgxpool.Pool, fn func(*Loader) error) error {
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{BeginQuery: `BEGIN` + settings + buildMemory}, func(tx pgx.Tx) error {
		found, err := pg.QueryOne[struct{ Used bool }](ctx, tx, hasInstallation, pg.Args{})
		if err != nil {
			return err
		}
		if found.Used {
			return ErrNotEmpty
		}
		tables, err := listAll(ctx, tx)
		if err != nil {
			return err
		}
		return fn(&Loader{tx, tables})
	})
}

// CheckTables returns an error unless the database has just these tables with these columns.
func (l *Loader) CheckTables(tables []Table) error {
	for _, table := range tables {
		if !slices.ContainsFunc(l.tables, func(own Table) bool { return own.Name == table.Name && equalSets(own.Columns, table.Columns) }) {
			return fmt.Errorf("the table %q is not as this Errand has it", table.Name)
		}
	}
	if len(l.tables) != len(tables) {
		return fmt.Errorf("it has %d tables, not the %d of this Errand", len(tables), len(l.tables))
	}
	return nil
}

func equalSets(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// LoadTable replaces the rows of a table by those of Reader.CopyTable, and returns how many there are. CheckTables has
// accepted the table. Its indexes are built when the rows are there, which is much faster than row by row.
func (l *Loader) LoadTable(ctx context.Context, table Table, data io.Reader) (rows int64, err error) {
	indexes, err := pg.QueryMany[index](ctx, l.Tx, listIndexes, pg.Args{"table": table.Name})
	if err != nil {
		return 0, err
	}
	for _, index := range indexes {
		if _, err := l.Tx.Exec(ctx, "DROP INDEX "+quote(index.Name)); err != nil {
			return 0, pg.WrapError(err)
		}
	}
	if _, err := l.Tx.Exec(ctx, "DELETE FROM "+quote(table.Name)); err != nil {
		return 0, pg.WrapError(err)
	}
	sql := fmt.Sprintf("COPY %s (%s) FROM STDIN (FORMAT binary)", quote(table.Name), table.list())
	tag, err := l.Tx.Conn().PgConn().CopyFrom(ctx, data, sql)
	if err != nil {
		return 0, fmt.Errorf("loading the table %s: %w", table.Name, pg.WrapError(err))
	}
	for _, index := range indexes {
		if _, err := l.Tx.Exec(ctx, index.Definition); err != nil {
			return 0, fmt.Errorf("building the index %s: %w", index.Name, pg.WrapError(err))
		}
	}
	return tag.RowsAffected(), nil
}

// index is an index that no constraint needs.
type index struct{ Name, Definition string }

// The definition of the index of a partitioned table says ON ONLY; without ONLY its partitions get theirs too.
const listIndexes = `
SELECT i.relname AS name, replace(pg_get_indexdef(i.oid), ' ON ONLY ', ' ON ') AS definition
FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
WHERE x.indrelid = to_regclass(quote_ident(@table)) AND NOT i.relispartition
	AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.oid)
ORDER BY i.relname`
