package load

import (
	"context"
	"errors"
	"time"

	"errand/bench"
)

// warmSenders is how many senders make the issues of a measurement.
const warmSenders = 32

// SettleTables spares a measurement the consequences of thousands of new issues: they are marked as indexed, which would take a
// background job minutes, and the tables are vacuumed.
func SettleTables(ctx context.Context, s *bench.Server) error {
	if _, err := s.DB.Exec(ctx, `UPDATE issues SET has_grams = true WHERE NOT has_grams`); err != nil {
		return err
	}
	_, err := s.DB.Exec(ctx, `VACUUM ANALYZE`)
	return err
}

// WarmUp sends bodies that make the issues of a measurement, and waits until the project is like one that has run for a while.
func WarmUp(ctx context.Context, s *bench.Server, target Target, bodies [][]byte) error {
	if err := SendBodies(ctx, s.Addr, bodies, warmSenders, time.Minute).Err; err != nil {
		return err
	}
	if err := waitForDictionary(ctx, s, target.Project); err != nil {
		return err
	}
	return SettleTables(ctx, s)
}

// waitForDictionary waits until the project's events are compressed with a dictionary, as in a project that has run for a while.
func waitForDictionary(ctx context.Context, s *bench.Server, project int64) error {
	for range 300 {
		var there bool
		if err := s.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM dictionaries WHERE project_id = $1)`,
			project).Scan(&there); err != nil || there {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return errors.New("no dictionary was trained for the project")
}
