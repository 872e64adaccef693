package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// startWait bounds the start; recovery after a crash replays at most a few GB.
	startWait       = 10 * time.Minute
	failedStartWait = 10 * time.Second
	slowStart       = 5 * time.Second // worth a line in the log
	// startAttempts is how often postgres may end before it was ready even once.
	startAttempts = 3

	pollMin = 2 * time.Millisecond
	pollMax = 50 * time.Millisecond
)

// Error codes of Postgres.
const (
	invalidCatalogName = "3D000" // the database does not exist
	cannotConnectNow   = "57P03" // starting up, recovering, shutting down
	adminShutdown      = "57P01"
	crashShutdown      = "57P02"
	tooManyConnections = "53300"
)

// waitReady returns when the database "errand" accepts connections.
func (s *Server) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startWait, fmt.Errorf("not ready after %s", startWait))
	defer cancel()
	slow := time.After(slowStart)
	ended := 0
	for delay := pollMin; ; delay = min(2*delay, pollMax) {
		err := s.tryDatabase(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil && !isTransient(err) {
			return fmt.Errorf("connecting to the private postgres: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("starting the private postgres: %w (last: %v)", context.Cause(ctx), err)
		case exit := <-s.exits:
			if ended++; ended == startAttempts {
				return s.startError(exit)
			}
		case <-slow:
			s.log.Warn("still waiting for the private postgres", "error", err)
		case <-time.After(delay):
		}
	}
}

// startError adds the reason, which postgres gives in its log only.
func (s *Server) startError(exit error) error {
	if _, ran := errors.AsType[*exec.ExitError](exit); !ran {
		return fmt.Errorf("starting the private postgres: %w", exit)
	}
	return fmt.Errorf("starting the private postgres: %w; %s ends with:\n%s", exit, s.logFile.path, s.logFile.tail())
}

// tryDatabase connects to the database, and makes it when the server has none yet.
func (s *Server) tryDatabase(ctx context.Context) error {
	conn, err := pgconn.Connect(ctx, s.URL())
	if err == nil {
		return conn.Close(ctx)
	}
	if refusal, ok := errors.AsType[*pgconn.PgError](err); !ok || refusal.Code != invalidCatalogName {
		return err
	}
	if conn, err = pgconn.Connect(ctx, s.urlOf("postgres")); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+databaseName).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}

// isTransient tells a server that is not there yet from one that will never let us in.
func isTransient(err error) bool {
	if refusal, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch refusal.Code {
		case cannotConnectNow, adminShutdown, crashShutdown, tooManyConnections:
			return true
		}
		return false
	}
	return !errors.Is(err, os.ErrPermission)
}
