package store

import (
	"context"

	"github.com/jackc/pgerrcode"

	"errand/store/pg"
)

// Usage is what the installation takes on disks.
type Usage struct {
	DatabaseBytes  int64          `json:"database_bytes"`
	WALBytes       *int64         `json:"wal_bytes"` // of the whole Postgres; null where the role may not see it
	SourceMapBytes int64          `json:"source_map_bytes"`
	Tables         []TableUsage   `json:"tables"`   // the largest first, those below 1 % of the database left out
	Projects       []ProjectUsage `json:"projects"` // those with the most stored events first
}

// TableUsage is a table with its indexes and partitions.
type TableUsage struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// ProjectUsage is the share of a project.
type ProjectUsage struct {
	ID             int64  `json:"id"`
	Slug           string `json:"slug"`
	Issues         int64  `json:"issues"`
	StoredEvents   int64  `json:"stored_events"`
	Events30d      int64  `json:"events_30d"`  // stored or not, of the last 30 days
	EventBytes     int64  `json:"event_bytes"` // about: by the mean size of all stored events
	SourceMapBytes int64  `json:"source_map_bytes"`
}

// Sizes are read from the file system, and rows are counted by what issues and hours know of their events: no event is read.
const (
	listTableUsage = `
SELECT coalesce(pg_partition_root(c.oid), c.oid)::regclass::text AS name, sum(pg_total_relation_size(c.oid))::bigint AS bytes
FROM pg_class c
WHERE c.relkind = 'r' AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'projects'::regclass)
GROUP BY 1 ORDER BY 2 DESC, 1`
	readWALSize      = `SELECT coalesce(sum(size), 0)::bigint AS bytes FROM pg_ls_waldir()`
	listProjectUsage = `
SELECT p.id, p.slug, coalesce(i.issues, 0) AS issues, coalesce(i.stored, 0)::bigint AS stored_events,
	coalesce(h.events, 0)::bigint AS events_30d, coalesce(m.bytes, 0)::bigint AS source_map_bytes
FROM projects p
LEFT JOIN (SELECT project_id, count(*) AS issues, sum(stored_events) AS stored FROM issues GROUP BY project_id) i ON i.project_id = p.id
LEFT JOIN (SELECT project_id, sum(events) AS events FROM project_hours WHERE hour >= @since GROUP BY project_id) h ON h.project_id = p.id
LEFT JOIN (
	SELECT project_id, sum(size) AS bytes FROM (
		SELECT project_id, max(size) AS size FROM source_maps GROUP BY project_id, coalesce(blob, id::text)
	) stored GROUP BY project_id
) m ON m.project_id = p.id
WHERE p.deleted_at IS NULL
ORDER BY stored_events DESC, p.id`
)

// smallTable is the share of the database, in percent, below which a table is left out.
const smallTable = 1

// ReadUsage returns what the installation takes on disks.
func (s *Store) ReadUsage(ctx context.Context) (Usage, error) {
	state, err := s.ReadDatabaseState(ctx)
	if err != nil {
		return Usage{}, err
	}
	u := Usage{DatabaseBytes: state.Bytes}
	if u.WALBytes, err = s.readWALSize(ctx); err != nil {
		return u, err
	}
	tables, err := pg.QueryMany[TableUsage](ctx, s.db.Main, listTableUsage, pg.Args{})
	if err != nil {
		return u, err
	}
	var eventBytes int64
	for _, table := range tables {
		if table.Name == "events" {
			eventBytes = table.Bytes
		}
		if table.Bytes*100 >= u.DatabaseBytes*smallTable {
			u.Tables = append(u.Tables, table)
		}
	}
	rows, err := pg.QueryMany[struct {
		ID, Issues, StoredEvents int64
		Slug                     string
		Events30d                int64 `db:"events_30d"`
		SourceMapBytes           int64
	}](ctx, s.db.Main, listProjectUsage, pg.Args{"since": s.Now().AddDate(0, 0, -30)})
	var stored int64
	for _, row := range rows {
		stored += row.StoredEvents
	}
	for _, row := range rows {
		u.SourceMapBytes += row.SourceMapBytes
		u.Projects = append(u.Projects, ProjectUsage{
			ID: row.ID, Slug: row.Slug, Issues: row.Issues, StoredEvents: row.StoredEvents, Events30d: row.Events30d,
			EventBytes: int64(float64(eventBytes) * float64(row.StoredEvents) / float64(max(stored, 1))), SourceMapBytes: row.SourceMapBytes,
		})
	}
	return u, err
}

// readWALSize returns the size of the log of writes; nil where the role may not see it: it needs pg_monitor.
func (s *Store) readWALSize(ctx context.Context) (*int64, error) {
	row, err := pg.QueryOne[struct{ Bytes int64 }](ctx, s.db.Main, readWALSize, pg.Args{})
	if pg.HasState(err, pgerrcode.InsufficientPrivilege) {
		return nil, nil
	}
	return &row.Bytes, err
}
