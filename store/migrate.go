package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"errand/migrations"
)

// ErrOldSchema says that the database has not had all migrations.
var ErrOldSchema = errors.New("the database schema is older than this server: run `errand migrate`, or start with MIGRATE=on")

// How often a server looks whether the others have migrated, and for how long. A look every five seconds, the library's
// default, would keep servers that start together waiting for that long each.
const (
	lockEvery  = 200 * time.Millisecond
	lockAtMost = 5 * time.Minute
)

// Migrate brings the schema up to date. Servers that start together wait for each other on a row of a table, which
// holds behind connection poolers too, where advisory locks do not.
func (s *Store) Migrate(ctx context.Context, log *slog.Logger) error {
	return s.withProvider(func(p *goose.Provider) error {
		// Without this look, each start would wait for the lock though there is nothing to do.
		if pending, err := p.HasPending(ctx); err != nil || !pending {
			return err
		}
		results, err := p.Up(ctx)
		for _, r := range results {
			log.InfoContext(ctx, "migrated", "file", r.Source.Path, "duration", r.Duration)
		}
		return err
	})
}

// SchemaCurrent tells whether the database has had all migrations: nil, ErrOldSchema, or why it cannot be told.
func (s *Store) SchemaCurrent(ctx context.Context) error {
	return s.withProvider(func(p *goose.Provider) error {
		pending, err := p.HasPending(ctx)
		if err == nil && pending {
			return ErrOldSchema
		}
		return err
	})
}

func (s *Store) withProvider(fn func(*goose.Provider) error) error {
	db := stdlib.OpenDBFromPool(s.pool)
	defer func(db *sql.DB) { _ = db.Close() }(db) // gives its connections back to the pool, which stays open
	locker, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(lockEvery, uint64(lockAtMost/lockEvery)))
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithLocker(locker), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if err := fn(p); err != nil {
		return fmt.Errorf("store: migrations: %w", wrap(err))
	}
	return nil
}
