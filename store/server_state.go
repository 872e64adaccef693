package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

const readDatabaseState = `
SELECT current_setting('server_version') AS postgres, pg_database_size(current_database()) AS bytes`

// ReadDatabaseState returns the version of Postgres and the size of the database.
func (s *Store) ReadDatabaseState(ctx context.Context) (core.DatabaseState, error) {
	row, err := pg.QueryOne[struct {
		Postgres string
		Bytes    int64
	}](ctx, s.db.Main, readDatabaseState, pg.Args{})
	return core.DatabaseState{Postgres: row.Postgres, Bytes: row.Bytes}, err
}

const readSharedMemory = `SELECT pg_size_bytes(current_setting('shared_buffers')) AS bytes`

// ReadSharedMemory returns how many bytes of pages Postgres keeps in memory (shared_buffers).
func (s *Store) ReadSharedMemory(ctx context.Context) (int64, error) {
	row, err := pg.QueryOne[struct{ Bytes int64 }](ctx, s.db.Main, readSharedMemory, pg.Args{})
	return row.Bytes, err
}

// pendingDeliveries are the deliveries that wait, as many as are counted.
const pendingDeliveries = `SELECT created_at FROM deliveries WHERE status = 'pending' LIMIT @most`

const readQueueState = `
SELECT count(*) AS pending, min(created_at) AS oldest_at
FROM (` + pendingDeliveries + `) d`

// ReadQueueState returns how many deliveries wait, and since when.
func (s *Store) ReadQueueState(ctx context.Context) (core.QueueState, error) {
	return pg.QueryOne[core.QueueState](ctx, s.db.Main, readQueueState, pg.Args{"most": maxCounted})
}

// The queue keeps the row of a run for minutes (jobs.StartQueue). The row of a run that was cut off counts as failed.
const listJobStates = `
SELECT kind AS name, max(attempted_at) AS last_run_at, max(finalized_at) FILTER (WHERE state = 'completed') AS last_success_at,
	(array_agg(CASE state WHEN 'completed' THEN 'ok' WHEN 'running' THEN 'running' ELSE 'failed' END ORDER BY attempted_at DESC))[1] AS outcome
FROM river_job WHERE attempted_at IS NOT NULL
GROUP BY kind`

// ListJobStates returns the runs of jobs, of all servers, that the queue remembers.
func (s *Store) ListJobStates(ctx context.Context) ([]core.JobState, error) {
	return pg.QueryMany[core.JobState](ctx, s.db.Main, listJobStates, pg.Args{})
}

// OperatorState is what operators watch of the installation.
type OperatorState struct {
	DatabaseBytes   int64
	OldestPendingAt core.Time // of the deliveries that wait; zero without one
	BackedUpAt      core.Time // the moment that the last complete backup shows; zero without one
}

const readOperatorState = `
SELECT pg_database_size(current_database()) AS database_bytes,
	(SELECT min(created_at) FROM (` + pendingDeliveries + `) d) AS oldest_pending_at,
	(SELECT at FROM install_times WHERE name = @backed_up) AS backed_up_at`

// ReadOperatorState reads it on the connection that neither reads nor jobs can hold.
func (s *Store) ReadOperatorState(ctx context.Context) (OperatorState, error) {
	return pg.QueryOne[OperatorState](ctx, s.db.Reserved, readOperatorState, pg.Args{"most": maxCounted, "backed_up": backedUp})
}
