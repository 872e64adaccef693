package dump

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"errand/store/pg"
)

// Reader reads the tables as of one moment. It keeps no writer waiting, but changes of the schema wait for it.
type Reader struct {
	Tables    []Table   // each after those that it refers to
	Schema    int64     // the newest migration that the database has had
	Postgres  string    // version of the server
	EventDays []string  // the days (UTC) of which there may be events, as 2026-01-31
	Bytes     int64     // size of the tables, without their indexes
	At        time.Time // the moment

	Tx pgx.Tx // for other reads as of the moment
}

const (
	beginRead  = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
	readMoment = `
SELECT (SELECT max(version_id) FROM goose_db_version WHERE is_applied) AS schema, current_setting('server_version') AS postgres`
	listEventDays = `
SELECT DISTINCT to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') AS day
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent IN (to_regclass('events'), to_regclass('counted_events')) AND c.relname ~ '^(events|counted_events)_[0-9]{8}$' ORDER BY 1`
	sumBytes = `
SELECT coalesce(sum(pg_relation_size(c.oid) + coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0)), 0)::bigint AS bytes
FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname !~ '^(goose|river)_'`
)

// Read calls fn with a Reader, which ends when fn returns.
func Read(ctx context.Context, pool *pgxpool.Pool, now func() time.Time, fn func(*Reader) error) error {
	locked, err := pg.QueryMany[Table](ctx, pool, listTables, pg.Args{})
	if err != nil {
		return err
	}
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{BeginQuery: beginRead + settings}, func(tx pgx.Tx) error {
		r := &Reader{Tx: tx, At: now()}
		if err := r.prepare(ctx, locked); err != nil {
			return pg.WrapError(err)
		}
		return fn(r)
	})
}

// prepare locks the tables, so that no migration changes one that is yet to be read, and only then reads anything: the first
// query fixes the moment.
func (r *Reader) prepare(ctx context.Context, locked []Table) (err error) {
	names := []string{"goose_db_version"}
	for _, table := range locked {
		names = append(names, quote(table.Name))
	}
	if _, err := r.Tx.Exec(ctx, "LOCK TABLE "+strings.Join(names, ", ")+" IN ACCESS SHARE MODE"); err != nil {
		return err
	}
	if r.Tables, err = listAll(ctx, r.Tx); err != nil {
		return err
	}
	moment, err := pg.QueryOne[struct {
		Schema   int64
		Postgres string
	}](ctx, r.Tx, readMoment, pg.Args{})
	if err != nil {
		return err
	}
	r.Schema, r.Postgres = moment.Schema, moment.Postgres
	days, err := pg.QueryMany[struct{ Day string }](ctx, r.Tx, listEventDays, pg.Args{})
	if err != nil {
		return err
	}
	for _, row := range days {
		r.EventDays = append(r.EventDays, row.Day)
	}
	size, err := pg.QueryOne[struct{ Bytes int64 }](ctx, r.Tx, sumBytes, pg.Args{})
	r.Bytes = size.Bytes
	return err
}

// CopyTable writes all rows of a table to w, in the binary format of COPY, and returns how many there are. Count is called with
// the number of bytes of each piece.
func (r *Reader) CopyTable(ctx context.Context, table Table, w io.Writer, count func(n int)) (rows int64, err error) {
	sql := fmt.Sprintf("COPY (SELECT %s FROM %s) TO STDOUT (FORMAT binary)", table.list(), quote(table.Name))
	tag, err := r.Tx.Conn().PgConn().CopyTo(ctx, countingWriter{w, count}, sql)
	if err != nil {
		return 0, fmt.Errorf("reading the table %s: %w", table.Name, pg.WrapError(err))
	}
	return tag.RowsAffected(), nil
}

// countingWriter tells how much was written.
type countingWriter struct {
	io.Writer
	count func(n int)
}

func (w countingWriter) Write(data []byte) (int, error) {
	n, err := w.Writer.Write(data)
	w.count(n)
	return n, err
}
