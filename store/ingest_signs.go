package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"errand/core"
	"errand/store/pg"
)

// Projects are marked in the order of their ids, as in AddEvents.
const markAlive = `
INSERT INTO project_seen (project_id, alive_at)
SELECT * FROM unnest(@projects::bigint[], @times::timestamptz[]) AS n (project_id, alive_at) ORDER BY project_id
ON CONFLICT (project_id) DO UPDATE SET alive_at = greatest(project_seen.alive_at, excluded.alive_at)`

// MarkAlive notes the last sign of life of projects: an event, even one that was refused, a session or a transaction. A fix
// is verified only when its project has shown one since the deploy (decisions 6).
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

// ingestRefused names the time of ingest's last 503.
const ingestRefused = "ingest_refused"

const noteTime = `
INSERT INTO install_times (name, at) VALUES (@name, @at)
ON CONFLICT (name) DO UPDATE SET at = greatest(install_times.at, excluded.at)`

// NoteRefusal notes for all servers when ingest answered 503.
func (s *Store) NoteRefusal(ctx context.Context, at core.Time) error {
	return s.inTx(ctx, func(t *tx) error {
		_, err := pg.Exec(ctx, t, noteTime, pg.Args{"name": ingestRefused, "at": at.Time})
		return err
	})
}
