package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"errand/store"
	"errand/store/embedded"
)

// database is the store, with the private Postgres under it when there is one.
type database struct {
	url string
	*store.Store
	postgres *embedded.Server // nil with DATABASE_URL
}

// openDatabase starts the private Postgres if need be, and opens the store on it.
func openDatabase(ctx context.Context, c *Config, log *slog.Logger) (*database, error) {
	if !c.private() {
		return openStore(ctx, c, c.DatabaseURL.Reveal(), nil)
	}
	postgres, err := embedded.Start(ctx, embedded.Options{Dir: c.DataDir, Log: log, Binaries: c.PostgresBin, Memory: int(c.PostgresMemory)})
	if err != nil {
		return nil, fmt.Errorf("the private Postgres in DATA_DIR %s: %w", c.DataDir, err)
	}
	return openStore(ctx, c, postgres.URL(), postgres)
}

// attachDatabase is openDatabase for commands that also work beside a running server: then they use its Postgres.
func attachDatabase(ctx context.Context, c *Config, log *slog.Logger) (*database, error) {
	db, err := openDatabase(ctx, c, log)
	if !errors.Is(err, embedded.ErrRunning) {
		return db, err
	}
	url, err := embedded.RunningURL(c.DataDir)
	if err != nil {
		return nil, err
	}
	return openStore(ctx, c, url, nil)
}

func openStore(ctx context.Context, c *Config, url string, postgres *embedded.Server) (*database, error) {
	db := &database{postgres: postgres, url: url}
	var err error
	options := store.Options{URL: url, Clock: time.Now, Settings: c.ownSettings(), Connections: c.DatabasePool, Verify: c.verify}
	if db.Store, err = store.Open(ctx, options); err != nil {
		db.close(ctx)
		return nil, err
	}
	return db, nil
}

// prepare waits until the database answers, and brings the schema up to date, or refuses an old one. say is told what it
// is at.
func (db *database) prepare(ctx context.Context, c *Config, log *slog.Logger, say func(string)) error {
	return c.waitForDatabase(ctx, log, func(ctx context.Context) error {
		say("starting: waiting for the database")
		if err := db.check(ctx, c); err != nil {
			return err
		}
		if err := db.fitConnections(ctx, log); err != nil {
			return err
		}
		say("starting: migrating the database")
		if c.Migrate == "off" {
			if err := db.SchemaCurrent(ctx); err != nil {
				return err
			}
		} else if err := db.Migrate(ctx, log); err != nil {
			return err
		}
		if err := db.ConnectWriter(ctx); err != nil {
			return err
		}
		return db.Intake.MakePartitions(ctx)
	})
}

// prepareForCommand is prepare for a command, which may run beside servers of another version: it migrates an empty database
// only.
func (db *database) prepareForCommand(ctx context.Context, c *Config, log *slog.Logger) error {
	return c.waitForDatabase(ctx, log, func(ctx context.Context) error {
		if err := db.check(ctx, c); err != nil {
			return err
		}
		err := db.SchemaCurrent(ctx)
		if !errors.Is(err, store.ErrOldSchema) {
			return err
		}
		if version, _, err := db.SchemaVersion(ctx); err != nil || version > 0 {
			return errors.Join(store.ErrOldSchema, err)
		}
		return db.Migrate(ctx, log)
	})
}

// checkAtMost bounds one look at the database, which may take connections and answer nothing.
const checkAtMost = 10 * time.Second

// check reports whether the database answers and can hold our data.
func (db *database) check(ctx context.Context, c *Config) error {
	ctx, cancel := context.WithTimeout(ctx, checkAtMost)
	defer cancel()
	err := db.CheckServer(ctx)
	if err != nil && !c.private() {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	return err
}

// fitConnections keeps to the limit of the database's role, and says so when that is less than DATABASE_POOL.
func (db *database) fitConnections(ctx context.Context, log *slog.Logger) error {
	wanted, allowed, err := db.FitConnections(ctx)
	if err == nil && wanted > allowed {
		log.WarnContext(ctx, "the database allows its role fewer connections than DATABASE_POOL: the server keeps to that limit. "+
			"Where other servers use the role too, set DATABASE_POOL to this one's share", "DATABASE_POOL", wanted, "allowed", allowed)
	}
	return err
}

func (db *database) close(ctx context.Context) {
	if db.Store != nil {
		db.Store.Close()
	}
	if db.postgres != nil {
		_ = db.postgres.Stop(ctx) // it has logged why it did not stop cleanly
	}
}

// Migrate brings the schema up to date and ends: `errand migrate`.
func Migrate(ctx context.Context, c *Config, log *slog.Logger) error {
	if err := c.Complete(); err != nil {
		return err
	}
	db, err := attachDatabase(ctx, c, log)
	if err != nil {
		return err
	}
	defer db.close(context.WithoutCancel(ctx))
	return c.waitForDatabase(ctx, log, func(ctx context.Context) error {
		if err := db.check(ctx, c); err != nil {
			return err
		}
		return db.Migrate(ctx, log)
	})
}
