package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"

	"errand/core"
)

// How often a starting server tries the database, and how often it logs that it waits.
const (
	tryEvery  = 250 * time.Millisecond
	tellEvery = 10 * time.Second
)

// waitForDatabase tries until the database is there, for at most DATABASE_WAIT. An error that waiting does not cure ends it.
func (c *Config) waitForDatabase(ctx context.Context, log *slog.Logger, try func(context.Context) error) error {
	began := time.Now()
	loggedAt := began.Add(-tellEvery)
	for {
		err := try(ctx)
		left := c.waitAtStart - time.Since(began)
		switch {
		case err == nil, ctx.Err() != nil, !core.HasCode(err, core.Unavailable), isRefusal(err):
			return explainRights(err)
		case left <= 0 && c.waitAtStart > 0:
			return fmt.Errorf("the database was not there within DATABASE_WAIT of %v: %w", c.waitAtStart, err)
		case left <= 0:
			return err
		}
		if time.Since(loggedAt) >= tellEvery {
			loggedAt = time.Now()
			log.WarnContext(ctx, "waiting for the database", "error", err, "for_at_most", left.Round(time.Second))
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(tryEvery, left)):
		}
	}
}

// explainRights says of an error about missing rights where the role of the database is described.
func explainRights(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == pgerrcode.InsufficientPrivilege {
		return fmt.Errorf("DATABASE_URL: the role lacks a right that Errand needs, see docs/configuration.md, Connections: %w", err)
	}
	return err
}

// isRefusal reports whether the database answers but refuses this server: a wrong user or password, or an unknown database.
func isRefusal(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pgerrcode.IsInvalidAuthorizationSpecification(pg.Code) || pg.Code == pgerrcode.InvalidCatalogName)
}
