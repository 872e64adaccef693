package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
)

// settle is how long a writer goes on before and after a migration: its usual transactions are part of the measurement.
const settle = 300 * time.Millisecond

// writer counts events on random issues until it is stopped.
type writer struct {
	cancel  context.CancelFunc
	outcome chan outcome
}

type outcome struct {
	longest time.Duration
	err     error
}

// startWriter begins to write on a connection of its own.
func startWriter(ctx context.Context, config *pgx.ConnConfig, issues int) (writer, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return writer{}, err
	}
	writing, cancel := context.WithCancel(ctx)
	w := writer{cancel, make(chan outcome, 1)}
	go func() {
		defer func() { _ = conn.Close(ctx) }()
		var longest time.Duration
		for writing.Err() == nil {
			began := time.Now()
			if err := countEvent(ctx, conn, 1+rand.IntN(issues)); err != nil {
				w.outcome <- outcome{longest, err}
				return
			}
			longest = max(longest, time.Since(began))
		}
		w.outcome <- outcome{longest, nil}
	}()
	time.Sleep(settle)
	return w, nil
}

// countEvent changes the tables of issues as a batch with one event does. It keeps no prepared statements, since a migration makes
// them invalid.
func countEvent(ctx context.Context, conn *pgx.Conn, issue int) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, first := tx.Exec(ctx, `UPDATE issues SET times_seen = times_seen + 1, last_seen = now() WHERE project_id = 1 AND id = $1`,
			pgx.QueryExecModeExec, issue)
		_, second := tx.Exec(ctx, `
INSERT INTO issue_hours (project_id, issue_id, hour, events) VALUES (1, $1, date_trunc('hour', now()), 1)
ON CONFLICT (project_id, issue_id, hour) DO UPDATE SET events = issue_hours.events + 1`, pgx.QueryExecModeExec, issue)
		return errors.Join(first, second)
	})
}

// stopWriting ends the writer, and returns the longest time that one of its transactions took.
func (w writer) stopWriting() (time.Duration, error) {
	time.Sleep(settle)
	w.cancel()
	done := <-w.outcome
	return done.longest, done.err
}
