package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"errand/store"
	"errand/store/embedded"
)

// database is the store, with the steps that a start takes on it.
type database struct {
	*store.Store
	url   string
	clock *clock
}

// openDatabase starts the private Postgres if needed, and opens the store. The stops close everything that was
// opened, even after an error.
func openDatabase(ctx context.Context, c *Config, log *slog.Logger, ending *stops) (*database, error) {
	if !c.isPrivate() {
		return openStore(ctx, c, c.DatabaseURL.Reveal(), ending)
	}
	postgres, err := embedded.Start(ctx, c.privatePostgres(log))
	if err != nil {
		return nil, fmt.Errorf("the private Postgres in DATA_DIR %s: %w", c.DataDir, err)
	}
	ending.add("the private Postgres", postgres.Stop)
	return openStore(ctx, c, postgres.URL(), ending)
}

// privatePostgres says how the private Postgres runs.
func (c *Config) privatePostgres(log *slog.Logger) embedded.Options {
	return embedded.Options{
		Dir: c.DataDir, Log: log, Binaries: c.PostgresBin, Memory: int(c.PostgresMemory),
		Connections: cmp.Or(c.DatabasePool, store.DefaultConnections),
	}
}

// attachDatabase is openDatabase for commands that also work beside a running server, whose Postgres they then use.
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
		OwnsPostgres: c.isPrivate(),
	})
	if err != nil {
		return nil, err
	}
	ending.add("the connections to the database", func(context.Context) error { opened.Close(); return nil })
	return &database{Store: opened, url: databaseURL, clock: own}, nil
}

// prepareSchema waits until the database answers, and brings the schema up to date, or refuses an old one. It reports its steps to say.
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
		if err := db.CheckDistribution(ctx); err != nil {
			return err
		}
		db.prepareRole(ctx, log)
		if err := db.ConnectWriter(ctx); err != nil {
			return err
		}
		if err := db.Intake.MakePartitions(ctx); err != nil {
			return err
		}
		if err := db.Intake.RecallCounted(ctx); err != nil { // it only saves work
			log.WarnContext(ctx, "cannot read which projects have counted events", "error", err)
		}
		return nil
	})
}

// prepareForCommand is prepareSchema for a command. It changes no schema, since servers of another version may be running.
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

// noSchemaError names the database that holds no installation.
func (c *Config) noSchemaError() error {
	where := "DATA_DIR " + c.DataDir
	if !c.isPrivate() {
		where = "DATABASE_URL " + redactURL(c.DatabaseURL.Reveal())
	}
	return fmt.Errorf("the database of %s has no tables of Errand's, and only errand serve and errand migrate make them: set DATA_DIR or "+
		"DATABASE_URL as the server has it", where)
}

// checkAtMost bounds one check of the database, which may accept connections and never answer.
const checkAtMost = 10 * time.Second

// checkDatabase reports whether the database answers and can hold Errand's data.
func (db *database) checkDatabase(ctx context.Context, c *Config) error {
	ctx, cancel := context.WithTimeout(ctx, checkAtMost)
	defer cancel()
	err := db.CheckServer(ctx)
	if err != nil && !c.isPrivate() {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	return err
}

// fitConnections stays within the connection limit of the database's role, and logs it when that is less than DATABASE_POOL.
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

// prepareRole sets the defaults for sessions on the database's role. If it may not, it logs what somebody else must do.
func (db *database) prepareRole(ctx context.Context, log *slog.Logger) {
	if err := db.PrepareRole(ctx); err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "the role of the database lacks settings with which lists are read quickly, and lost connections noticed",
			"error", err)
	}
}
