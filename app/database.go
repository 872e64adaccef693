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

// database is the store, with what a start does to it.
type database struct {
	*store.Store
	url   string
	clock *clock
}

// openDatabase starts the private Postgres if need be, and opens the store on it. What is open also after an error is ended by
// the stops.
func openDatabase(ctx context.Context, c *Config, log *slog.Logger, ending *stops) (*database, error) {
	if !c.isPrivate() {
		return openStore(ctx, c, c.DatabaseURL.Reveal(), ending)
	}
	postgres, err := embedded.Start(ctx, embedded.Options{Dir: c.DataDir, Log: log, Binaries: c.PostgresBin, Memory: int(c.PostgresMemory)})
	if err != nil {
		return nil, fmt.Errorf("the private Postgres in DATA_DIR %s: %w", c.DataDir, err)
	}
	ending.add("the private Postgres", postgres.Stop)
	return openStore(ctx, c, postgres.URL(), ending)
}

// attachDatabase is openDatabase for commands that also work beside a running server: then they use its Postgres.
func attachDatabase(ctx context.Context, c *Config, log *slog.Logger, ending *stops) (*database, error) {
	db, err := openDatabase(ctx, c, log, ending)
	if !errors.Is(err, embedded.ErrRunning) {
		return db, err
	}
	databaseURL, err := embedded.RunningURL(c.DataDir)
	if err != nil {
		return nil, err
	}
	return openStore(ctx, c, databaseURL, ending)
}

func openStore(ctx context.Context, c *Config, databaseURL string, ending *stops) (*database, error) {
	own := &clock{ownTime: c.Clock}
	if own.ownTime == nil {
		own.ownTime = time.Now
	}
	opened, err := store.Open(ctx, store.Options{
		URL: databaseURL, Clock: own.tellTime, Settings: c.defaultsHere(), Connections: c.DatabasePool, Verify: c.verify,
	})
	if err != nil {
		return nil, err
	}
	ending.add("the connections to the database", func(context.Context) error { opened.Close(); return nil })
	return &database{Store: opened, url: databaseURL, clock: own}, nil
}

// prepareSchema waits until the database answers, and brings the schema up to date, or refuses an old one. It calls
// say with what it does.
func (db *database) prepareSchema(ctx context.Context, c *Config, log *slog.Logger, say func(string)) error {
	say("starting: waiting for the database")
	err := c.waitForDatabase(ctx, log, func(ctx context.Context) error {
		if err := db.checkDatabase(ctx, c); err != nil {
			return err
		}
		return db.fitConnections(ctx, log)
	})
	if err != nil {
		return err
	}
	db.setFirstClock(ctx, c, log)
	return c.waitForDatabase(ctx, log, func(ctx context.Context) error {
		say("starting: waiting for the database")
		if err := db.checkDatabase(ctx, c); err != nil {
			return err
		}
		say("starting: migrating the database")
		if c.Migrate == "off" {
			if err := db.CheckSchema(ctx); err != nil {
				return err
			}
		} else if err := db.Migrate(ctx, log); err != nil {
			return err
		}
		db.prepareRole(ctx, log)
		if err := db.ConnectWriter(ctx); err != nil {
			return err
		}
		return db.Intake.MakePartitions(ctx)
	})
}

// prepareForCommand is prepareSchema for a command, which may run beside servers of another version: it changes no schema.
func (db *database) prepareForCommand(ctx context.Context, c *Config, log *slog.Logger) error {
	err := c.waitForDatabase(ctx, log, func(ctx context.Context) error {
		if err := db.checkDatabase(ctx, c); err != nil {
			return err
		}
		exists, err := db.HasSchema(ctx)
		if err == nil && !exists {
			err = c.noSchemaError()
		}
		if err != nil {
			return err
		}
		return db.CheckSchema(ctx)
	})
	if err == nil {
		db.setFirstClock(ctx, c, log)
	}
	return err
}

// noSchemaError says which database has no installation in it.
func (c *Config) noSchemaError() error {
	where := "DATA_DIR " + c.DataDir
	if !c.isPrivate() {
		where = "DATABASE_URL " + redactURL(c.DatabaseURL.Reveal())
	}
	return fmt.Errorf("the database of %s has no tables of Errand's, and only errand serve and errand migrate make them: set DATA_DIR or "+
		"DATABASE_URL as the server has it", where)
}

// checkAtMost bounds one look at the database, which may take connections and answer nothing.
const checkAtMost = 10 * time.Second

// checkDatabase reports whether the database answers and can hold our data.
func (db *database) checkDatabase(ctx context.Context, c *Config) error {
	ctx, cancel := context.WithTimeout(ctx, checkAtMost)
	defer cancel()
	err := db.CheckServer(ctx)
	if err != nil && !c.isPrivate() {
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

// Migrate brings the schema up to date and ends: `errand migrate`.
func Migrate(ctx context.Context, c *Config, log *slog.Logger) error {
	if err := c.FillDefaults(); err != nil {
		return err
	}
	ending := stops{log: log}
	defer func() { ending.runAllLogged(context.WithoutCancel(ctx)) }()
	db, err := attachDatabase(ctx, c, log, &ending)
	if err != nil {
		return err
	}
	return c.waitForDatabase(ctx, log, func(ctx context.Context) error {
		if err := db.checkDatabase(ctx, c); err != nil {
			return err
		}
		if err := db.Migrate(ctx, log); err != nil {
			return err
		}
		db.prepareRole(ctx, log)
		return nil
	})
}

// prepareRole sets on the database's role what its sessions are to have, and says what somebody else has to do where it may not.
func (db *database) prepareRole(ctx context.Context, log *slog.Logger) {
	if err := db.PrepareRole(ctx); err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "the role of the database lacks settings with which lists are read quickly, and lost connections noticed",
			"error", err)
	}
}
