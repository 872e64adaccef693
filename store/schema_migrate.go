package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"errand/migrations"
	"errand/store/pg"
)

// ErrOldSchema says that the database lacks some migrations.
var ErrOldSchema = errors.New("the database schema is older than this server: run `errand migrate`, or start with MIGRATE=on")

// How often, and for how long, a server checks whether other servers have finished migrating. The library's default of five
// seconds would keep servers that start together waiting that long for each other.
const (
	lockEvery  = 200 * time.Millisecond
	lockAtMost = 5 * time.Minute
)

// migrationAttempts bounds the attempts of a migration that gives up waiting for a lock: with the pauses, about five minutes.
const migrationAttempts = 150

// migrationConnections are only for migrating: the library takes a second one for its lock.
const migrationConnections = 2

// Migrate brings the schema up to date: our tables, and the queue's tables, which have their own migrations. Servers that
// start together wait for each other on a row of a table. Unlike advisory locks that also works behind connection poolers.
func (s *Store) Migrate(ctx context.Context, log *slog.Logger) error {
	return s.MigrateTo(ctx, newest, log)
}

// newest is the version of the newest migration, whichever it is.
const newest = math.MaxInt64

// MigrateTo is Migrate up to a version, for tables from an older server. A schema that is newer stays as it is.
func (s *Store) MigrateTo(ctx context.Context, version int64, log *slog.Logger) error {
	// Without this check, each start would make connections and wait for the lock with nothing to do.
	if err := s.CheckSchema(ctx); !errors.Is(err, ErrOldSchema) {
		return err
	}
	pool, err := s.openMigrationPool(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	return s.withMigrations(pool, func(m *migration) error {
		return m.runLocked(ctx, func() error {
			return pg.RetryLocks(ctx, migrationAttempts, func() error { return m.runAll(ctx, version, log) })
		})
	})
}

// CheckSchema returns nil if the database has had all migrations, ErrOldSchema if not, or the reason why it cannot find out.
func (s *Store) CheckSchema(ctx context.Context) error {
	return s.withMigrations(s.db.Reserved, func(m *migration) error {
		pending, err := m.hasPending(ctx)
		if err == nil && pending {
			return ErrOldSchema
		}
		return err
	})
}

// ReadSchemaVersion returns the newest migration that the database has had, and the newest that this server knows. A newer
// server may have migrated further.
func (s *Store) ReadSchemaVersion(ctx context.Context) (schema, known int64, err error) {
	err = s.withMigrations(s.db.Main, func(m *migration) error {
		sources := m.ours.ListSources()
		known = sources[len(sources)-1].Version
		schema, err = m.ours.GetDBVersion(ctx)
		return err
	})
	return schema, known, err
}

// migration is one check or one change of the schema.
type migration struct {
	pool  *pgxpool.Pool
	db    *sql.DB
	ours  *goose.Provider
	queue *rivermigrate.Migrator[pgx.Tx]
}

// openMigrationPool opens the connections of a migration.
func (s *Store) openMigrationPool(ctx context.Context) (*pgxpool.Pool, error) {
	config := s.db.Main.Config()
	config.MaxConns = migrationConnections
	return pgxpool.NewWithConfig(ctx, config)
}

func (s *Store) withMigrations(pool *pgxpool.Pool, fn func(*migration) error) error {
	db := openMigrationDB(pool)
	defer func(db *sql.DB) { _ = db.Close() }(db) // gives its connections back to the pool, which stays open
	ours, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	queue, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if err := fn(&migration{pool, db, ours, queue}); err != nil {
		return fmt.Errorf("store: migrations: %w", pg.WrapError(err))
	}
	return nil
}

// readQueueVersion returns the newest migration of the queue's tables that the database has had.
const readQueueVersion = `SELECT coalesce(max(version), 0)::bigint AS version FROM river_migration WHERE line = 'main'`

// hasPending reports whether migrations of ours or of the queue are missing. Migrations of a newer server do not matter.
func (m *migration) hasPending(ctx context.Context) (bool, error) {
	if pending, err := m.ours.HasPending(ctx); err != nil || pending {
		return pending, err
	}
	all := m.queue.AllVersions()
	row, err := pg.QueryOne[struct{ Version int64 }](ctx, m.pool, readQueueVersion, pg.Args{})
	if pg.HasState(err, pgerrcode.UndefinedTable, pgerrcode.UndefinedColumn) { // no such table, or its first version
		return true, nil
	}
	return row.Version < int64(all[len(all)-1].Version), err
}

// runLocked runs fn while no other server migrates.
func (m *migration) runLocked(ctx context.Context, fn func() error) (err error) {
	locker, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(lockEvery, uint64(lockAtMost/lockEvery)))
	if err != nil {
		return err
	}
	if err := locker.Lock(ctx, m.db); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, locker.Unlock(context.WithoutCancel(ctx), m.db)) }()
	return fn()
}

// runAll runs the migrations of ours up to a version, and all of the queue's.
func (m *migration) runAll(ctx context.Context, version int64, log *slog.Logger) error {
	began := time.Now()
	results, err := m.ours.UpTo(ctx, version)
	for _, r := range results {
		log.DebugContext(ctx, "migrated", "file", r.Source.Path, "duration", r.Duration)
	}
	if len(results) > 0 && err == nil {
		before := m.versionBefore(results[0].Source.Version)
		after := results[len(results)-1].Source.Version
		log.InfoContext(ctx, fmt.Sprintf("schema %d -> %d", before, after), "duration", time.Since(began).Round(time.Millisecond))
	}
	if err != nil {
		return err
	}
	for {
		made, err := m.migrateQueueOnce(ctx)
		if err != nil {
			return fmt.Errorf("tables of the queue: %w", err)
		}
		if len(made) == 0 {
			return nil
		}
		log.DebugContext(ctx, "migrated", "queue", made[0].Version, "duration", made[0].Duration)
	}
}

// versionBefore returns the version of the migration before the given version; 0 before the first.
func (m *migration) versionBefore(version int64) (before int64) {
	for _, source := range m.ours.ListSources() {
		if source.Version < version {
			before = source.Version
		}
	}
	return before
}

// migrateQueueOnce runs the next migration of the queue's tables in its own transaction: some cannot share one.
func (m *migration) migrateQueueOnce(ctx context.Context) (made []rivermigrate.MigrateVersion, err error) {
	err = pgx.BeginTxFunc(ctx, m.pool, pgx.TxOptions{BeginQuery: pg.BeginMigration}, func(tx pgx.Tx) error {
		//nolint:staticcheck // deprecated for several migrations in one transaction
		result, err := m.queue.MigrateTx(ctx, tx, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{MaxSteps: 1})
		if err == nil {
			made = result.Versions
		}
		return err
	})
	return made, err
}
