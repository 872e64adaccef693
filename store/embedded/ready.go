package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// startWait bounds the start; recovery after a crash replays at most a few GB.
	startWait       = 10 * time.Minute
	failedStartWait = 10 * time.Second
	slowStart       = 5 * time.Second // worth a line in the log
	// startAttempts is how often postgres may end before it has ever been ready.
	startAttempts = 3

	pollMin = 2 * time.Millisecond
	pollMax = 50 * time.Millisecond
)

// Error codes of Postgres.
const (
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
			//nolint:errorlint // It ended for the cause; the last answer of the database explains it, and callers must not act on that.
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

// startError adds the reason, which postgres writes only into its log.
func (s *Server) startError(exit error) error {
	if _, ran := errors.AsType[*exec.ExitError](exit); !ran {
		return fmt.Errorf("starting the private postgres: %w", exit)
	}
	return fmt.Errorf("starting the private postgres: %w; %s ends with:\n%s", exit, s.logFile.path, s.logFile.readTail())
}

// errStarting says that postgres does not accept connections yet.
var errStarting = errors.New("postgres is starting up")

// tryDatabase connects to the database, and makes it when the server has none yet. It asks before it
// tries: each refusal leaves an error in the log of Postgres.
func (s *Server) tryDatabase(ctx context.Context) error {
	if !s.cluster.saysReady() {
		return errStarting
	}
	conn, err := pgconn.Connect(ctx, s.urlOf("postgres"))
	if err != nil {
		return err
	}
	err = createDatabase(ctx, conn)
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return err
	}
	if conn, err = pgconn.Connect(ctx, s.URL()); err != nil {
		return err
	}
	return conn.Close(ctx)
}

func createDatabase(ctx context.Context, conn *pgconn.PgConn) error {
	results, err := conn.Exec(ctx, "SELECT 1 FROM pg_database WHERE datname = '"+databaseName+"'").ReadAll()
	if err != nil || len(results[0].Rows) > 0 {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+databaseName).ReadAll()
	return err
}

// saysReady reports whether the postmaster's file says that it accepts clients. pg_ctl looks there too.
func (c *cluster) saysReady() bool {
	const status = 7 // the index of the line
	text, err := os.ReadFile(filepath.Join(c.dir, "postmaster.pid"))
	if err != nil {
		return false
	}
	lines := strings.Split(string(text), "\n")
	return len(lines) > status && strings.TrimSpace(lines[status]) == "ready"
}

// isTransient reports whether the server is just not there yet, and not one that will never let us in.
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
