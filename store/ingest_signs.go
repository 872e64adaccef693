package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"errand/core"
	"errand/store/pg"
)

// Projects are marked in the order of their ids, as AddEvents does it.
const markAlive = `
INSERT INTO project_seen (project_id, alive_at)
SELECT * FROM unnest(@projects::bigint[], @times::timestamptz[]) AS n (project_id, alive_at) ORDER BY project_id
ON CONFLICT (project_id) DO UPDATE SET alive_at = greatest(project_seen.alive_at, excluded.alive_at)`

// MarkAlive notes when projects gave their last sign of life: an event, also one that was not taken, a session or a
// transaction. A fix counts as verified only when its project showed one since the deploy (decisions 6).
func (s *Store) MarkAlive(ctx context.Context, signs map[int64]core.Time) error {
	projects := slices.Sorted(maps.Keys(signs))
	times := make([]time.Time, len(projects))
	for i, project := range projects {
		times[i] = signs[project].Time
	}
	return s.inTx(ctx, func(t *tx) error {
		_, err := pg.Exec(ctx, t, markAlive, pg.Args{"projects": projects, "times": times})
		return err
	})
}

// ingestRefused is the name of the time of ingest's last 503.
const ingestRefused = "ingest_refused"

const noteTime = `
INSERT INTO install_times (name, at) VALUES (@name, @at)
ON CONFLICT (name) DO UPDATE SET at = greatest(install_times.at, excluded.at)`

// NoteRefusal notes for all servers that ingest answered 503 at a time.
func (s *Store) NoteRefusal(ctx context.Context, at core.Time) error {
	return s.inTx(ctx, func(t *tx) error {
		_, err := pg.Exec(ctx, t, noteTime, pg.Args{"name": ingestRefused, "at": at.Time})
		return err
	})
}
