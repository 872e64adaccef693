package store

import (
	"context"
	"fmt"

	"errand/core"
	"errand/scrub"
	"errand/store/activity"
	"errand/store/intake"
	"errand/store/pg"
)

// sourceMapIDs is the series of ids that source maps have.
const sourceMapIDs pg.Series = "source_maps"

const (
	sourceMapColumns = `id, project_id, release, name, path, size, sources, uploaded_at, uploaded_by`
	selectSourceMaps = `SELECT ` + sourceMapColumns + ` FROM source_maps`
	dropReplacedMap  = `
DELETE FROM source_maps WHERE project_id = @project_id AND digest = @digest AND path = @path RETURNING id`
	findSourceMapOwner = `
SELECT m.project_id FROM source_maps m JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL WHERE m.id = @id`
	deleteSourceMap = `DELETE FROM source_maps WHERE project_id = @project_id AND id = @id RETURNING release, name`
	// Of two uploads at the same time the later one stays. The blob of the other is found by ListStrayBlobs.
	putSourceMap = `
INSERT INTO source_maps (project_id, id, uploaded_at, size, sources, release, name, path, debug_id, uploaded_by)
VALUES (@project_id, @id, @now, @size, @sources, @release, @name, @path, @debug_id, @uploaded_by)
ON CONFLICT (project_id, release, path) DO UPDATE SET
	id = excluded.id, uploaded_at = excluded.uploaded_at, size = excluded.size, sources = excluded.sources, name = excluded.name,
	debug_id = excluded.debug_id, uploaded_by = excluded.uploaded_by
RETURNING ` + sourceMapColumns
)

// NewSourceMap is a source map whose index is stored already, as the blob of ID.
type NewSourceMap struct {
	ProjectID int64
	ID        int64  // of TakeSourceMapID
	Release   string // as it was given
	Name      string // of the minified file, as it was given
	Path      string // of the name
	DebugID   string // in lower case with hyphens; empty for none
	Size      int64  // bytes of the index
	Sources   int    // original files
}

// TakeSourceMapID returns the id of a source map that is to be stored. Its blob is written before the map is put, under the
// key of the id, which no other blob has.
func (s *Store) TakeSourceMapID(ctx context.Context) (int64, error) {
	return s.db.IDs.TakeOne(ctx, sourceMapIDs)
}

// PutSourceMap records a source map in the place of the one of the same project, release and path. It returns the ids of those
// that it replaced, whose blobs nobody needs any more. A deleted project is project_not_found.
func (s *Store) PutSourceMap(ctx context.Context, actor core.Actor, n NewSourceMap) (m core.SourceMap, replaced []int64, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		if err := intake.ShareProject(ctx, t.Tx, n.ProjectID); err != nil { // a deletion of the project waits
			return err
		}
		release, err := t.storeRelease(ctx, n.ProjectID, "release", n.Release)
		if err != nil {
			return err
		}
		a := pg.Args{
			"project_id": n.ProjectID, "id": n.ID, "now": t.Now, "size": n.Size, "sources": n.Sources, "release": release,
			"name": n.Name, "path": n.Path, "debug_id": n.DebugID, "uploaded_by": actor.Name,
		}
		rows, err := pg.QueryMany[struct{ ID int64 }](ctx, t, dropReplacedMap,
			pg.Args{
				"project_id": n.ProjectID, "digest": core.DigestName(release), "path": n.Path,
			})
		if err != nil {
			return err
		}
		replaced = replaced[:0] // of a try that was undone
		for _, row := range rows {
			replaced = append(replaced, row.ID)
		}
		if m, err = pg.QueryOne[core.SourceMap](ctx, t, putSourceMap, a); err != nil {
			return err
		}
		m = showSourceMap(m)
		return t.recordSourceMap(ctx, actor, n.ProjectID, core.ActionSourceMapUpload, sourceMapData{m.Release, n.Name, &n.Size})
	})
	return m, replaced, err
}

// sourceMapData is the data of a source map in the activity.
type sourceMapData struct {
	Release string `json:"release"`
	Name    string `json:"name"`
	Size    *int64 `json:"size,omitempty"`
}

func (t *tx) recordSourceMap(ctx context.Context, actor core.Actor, project int64, action core.Action, data sourceMapData) error {
	_, err := t.recordActivity(ctx, activity.Entry{
		ProjectID: project, Actor: actor, Action: action, TargetType: core.TargetProject, TargetID: project, Data: data,
	})
	return err
}

// FindSourceMapProject returns the project of a source map, or not_found.
func (s *Store) FindSourceMapProject(ctx context.Context, id int64) (int64, error) {
	row, err := pg.QueryOne[struct{ ProjectID int64 }](ctx, s.db.Main, findSourceMapOwner, pg.Args{"id": id})
	if err != nil {
		return 0, err
	}
	return row.ProjectID, core.CheckReach(ctx, row.ProjectID)
}

// DeleteSourceMap deletes a source map of a project, or is not_found. Its blob is for the caller to delete.
func (s *Store) DeleteSourceMap(ctx context.Context, actor core.Actor, project, id int64) error {
	return s.inTx(ctx, func(t *tx) error {
		row, err := pg.QueryOne[struct{ Release, Name string }](ctx, t, deleteSourceMap, pg.Args{"project_id": project, "id": id})
		if err != nil {
			return err
		}
		data := sourceMapData{Release: core.ShowName(row.Release), Name: row.Name}
		return t.recordSourceMap(ctx, actor, project, core.ActionSourceMapDelete, data)
	})
}

// SourceMapFilter says which source maps to list.
type SourceMapFilter struct {
	ProjectID int64
	Release   string // empty: of all releases
	core.Paging
}

// ListSourceMaps lists the source maps of a project, most recent first.
func (s *Store) ListSourceMaps(ctx context.Context, f SourceMapFilter) (core.Page[core.SourceMap], error) {
	l := pg.NewList(ctx, "", "uploaded_at", f.Paging)
	l.FilterDigest = pg.DigestFilter(struct {
		Project int64
		Release string
	}{f.ProjectID, f.Release})
	l.WhereArg("project_id = @project_id", "project_id", f.ProjectID)
	if f.Release != "" {
		l.Args["digest"] = core.DigestName(scrub.CleanRelease(f.Release))
		l.WhereArg(`(digest = @digest OR split_part(release, E'\x1f', 1) = @release)`, "release", scrub.CleanRelease(f.Release))
	}
	page, err := pg.ReadPage(ctx, s.db, l, selectSourceMaps, func(m core.SourceMap) (core.Time, int64) { return m.UploadedAt, m.ID })
	return pg.ConvertPage(page, showSourceMap), err
}

// showSourceMap returns a source map as it is shown.
func showSourceMap(stored core.SourceMap) core.SourceMap {
	stored.Release = core.ShowName(stored.Release)
	return stored
}

// SourceMapPrefix is what the keys of the blobs of source maps begin with.
const SourceMapPrefix = "sourcemaps/"

// KeyOfSourceMap returns the key of the blob of a source map.
func KeyOfSourceMap(project, id int64) string {
	return fmt.Sprintf("%s%d/%d", SourceMapPrefix, project, id)
}
