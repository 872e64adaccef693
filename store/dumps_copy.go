package store

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"errand/store/dump"
)

// CopyTo copies all tables, as of one moment, into the store of an empty database, where it makes the same schema. Step is called
// with the table that is copied, and the bytes that were copied of the total; the total is near the truth.
func (s *Store) CopyTo(ctx context.Context, to *Store, log *slog.Logger, step func(table string, done, total int64)) error {
	return s.ReadDump(ctx, func(r *dump.Reader) error {
		if err := to.MigrateTo(ctx, r.Schema, log); err != nil {
			return err
		}
		schema, known, err := to.ReadSchemaVersion(ctx)
		if err != nil {
			return err
		}
		if schema != r.Schema {
			return fmt.Errorf("the schema is %d, and this Errand knows %d at most: use the Errand that the server had", r.Schema, known)
		}
		return to.LoadDump(ctx, r.EventDays, func(l *dump.Loader) error {
			if err := l.CheckTables(r.Tables); err != nil {
				return err
			}
			var done int64
			for _, table := range r.Tables {
				count := func(n int) {
					done += int64(n)
					step(table.Name, done, r.Bytes)
				}
				if err := copyTable(ctx, r, l, table, count); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// copyTable copies a table while it is read.
func copyTable(ctx context.Context, r *dump.Reader, l *dump.Loader, table dump.Table, count func(n int)) error {
	from, to := io.Pipe()
	read := make(chan int64, 1)
	go func() {
		rows, err := r.CopyTable(ctx, table, to, count)
		_ = to.CloseWithError(err) // never fails
		read <- rows
	}()
	loaded, err := l.LoadTable(ctx, table, from)
	_ = from.CloseWithError(err) // never fails; it ends the reading where loading has failed
	if rows := <-read; err == nil && rows != loaded {
		return fmt.Errorf("of the table %s %d of %d rows arrived", table.Name, loaded, rows)
	}
	return err
}
