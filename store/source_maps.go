package store

import (
	"context"
	"errors"

	"errand/core"
	"errand/scrub"
	"errand/store/activity"
	"errand/store/intake"
	"errand/store/pg"
)

// sourceMapIDs is the series of the ids of source maps.
const sourceMapIDs pg.Series = "source_maps"

const (
	sourceMapColumns = `id, project_id, release, name, split_part(path, E'\x1f', 1) AS path, split_part(path, E'\x1f', 2) AS dist,
	size, sources, uploaded_at, uploaded_by`
	selectSourceMaps = `SELECT ` + sourceMapColumns + ` FROM source_maps`
	dropReplacedMap  = `
DELETE FROM source_maps m WHERE project_id = @project_id AND digest = @digest AND path = @path RETURNING ` + blobOfSourceMap + ` AS blob`
	findSourceMapOwner = `
SELECT m.project_id FROM source_maps m JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL WHERE m.id = @id`
	deleteSourceMap = `
DELETE FROM source_maps m WHERE project_id = @project_id AND id = @id RETURNING release, name, ` + blobOfSourceMap + ` AS blob`
	// Of two uploads at the same time the later one stays. A job deletes the blob of the other.
	putSourceMap = `
INSERT INTO source_maps (project_id, id, uploaded_at, size, sources, release, name, path, debug_id, uploaded_by, blob)
VALUES (@project_id, @id, @now, @size, @sources, @release, @name, @path, @debug_id, @uploaded_by, @blob)
ON CONFLICT (project_id, release, path) DO UPDATE SET
	id = excluded.id, uploaded_at = excluded.uploaded_at, size = excluded.size, sources = excluded.sources, name = excluded.name,
	debug_id = excluded.debug_id, uploaded_by = excluded.uploaded_by, blob = excluded.blob
RETURNING ` + sourceMapColumns
)

// NewSourceMap is a source map whose index is already stored as its blob.
type NewSourceMap struct {
	ProjectID int64
	ID        int64  // from TakeSourceMapID
	Release   string // as given
	Dist      string // the dist whose events it is for; empty: all
	Name      string // the name of the minified file, as given
	Path      string // the path of the name
	DebugID   string // in lower case with hyphens; empty for none
	Size      int64  // bytes of the index
	Sources   int    // original files
	Blob      string // from NameBlob, or from a map with the same content
}

// distMark precedes the dist of the map in the column of its path: older servers, which know no dist, distinguish maps by
// path. No path has this character.
const distMark = "\x1f"

// storePath returns the stored form of a minified file's path.
func storePath(path, dist string) string {
	if dist == "" {
		return path
	}
	return path + distMark + dist
}

// TakeSourceMapID returns an id for a new source map.
func (s *Store) TakeSourceMapID(ctx context.Context) (int64, error) {
	return s.db.IDs.TakeOne(ctx, sourceMapIDs)
}

// ErrBlobGone is the error of PutSourceMap when the blob of another map no longer exists.
var ErrBlobGone = errors.New("no source map has the blob any more")

// PutSourceMap records a source map. It replaces those with the same project, release, dist and path, and returns their
// blobs: FindBlobs finds out whether other maps have them. A deleted project is project_not_found. If the project's maps
// together would exceed SOURCE_MAPS_MAX_MB, the error is limit.
func (s *Store) PutSourceMap(ctx context.Context, actor core.Actor, n NewSourceMap) (m core.SourceMap, replaced []string, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		if err := intake.ShareProject(ctx, t.Tx, n.ProjectID); err != nil { // a deletion of the project waits
			return err
		}
		if err := t.takeSourceMapTurn(ctx, n.ProjectID); err != nil {
			return err
		}
		if err := t.holdBlob(ctx, n); err != nil {
			return err
		}
		release, err := t.storeRelease(ctx, n.ProjectID, "release", n.Release)
		if err != nil {
			return err
		}
		if replaced, err = t.dropReplacedMaps(ctx, n, release); err != nil {
			return err
		}
		m, err = pg.QueryOne[core.SourceMap](ctx, t, putSourceMap, pg.Args{
			"project_id": n.ProjectID, "id": n.ID, "now": t.Now, "size": n.Size, "sources": n.Sources, "release": release,
			"name": n.Name, "path": storePath(n.Path, n.Dist), "debug_id": n.DebugID, "uploaded_by": actor.Name, "blob": n.Blob,
		})
		if err != nil {
			return err
		}
		if err := t.checkSourceMapRoom(ctx, n.ProjectID, s.Settings().SourceMapsMaxMB); err != nil {
			return err
		}
		m = showSourceMap(m)
		return t.recordSourceMap(ctx, actor, n.ProjectID, core.ActionSourceMapUpload, sourceMapData{m.Release, n.Name, &n.Size})
	})
	return m, replaced, err
}

// dropReplacedMaps deletes the maps that a new one replaces, and returns their blobs.
func (t *tx) dropReplacedMaps(ctx context.Context, n NewSourceMap, release string) (blobs []string, err error) {
	rows, err := pg.QueryMany[struct{ Blob string }](ctx, t, dropReplacedMap,
		pg.Args{"project_id": n.ProjectID, "digest": core.DigestName(release), "path": storePath(n.Path, n.Dist)})
	for _, row := range rows {
		blobs = append(blobs, row.Blob)
	}
	return blobs, err
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

// DeleteSourceMap deletes a source map of a project and returns its blob, which other maps may share. An unknown map is not_found.
func (s *Store) DeleteSourceMap(ctx context.Context, actor core.Actor, project, id int64) (blob string, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		row, err := pg.QueryOne[struct{ Release, Name, Blob string }](ctx, t, deleteSourceMap, pg.Args{"project_id": project, "id": id})
		if err != nil {
			return err
		}
		blob = row.Blob
		data := sourceMapData{Release: core.ShowName(row.Release), Name: row.Name}
		return t.recordSourceMap(ctx, actor, project, core.ActionSourceMapDelete, data)
	})
	return blob, err
}

// SourceMapFilter selects source maps.
type SourceMapFilter struct {
	ProjectID int64
	Release   string // empty: all releases
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

// showSourceMap returns a source map in the form that is shown.
func showSourceMap(stored core.SourceMap) core.SourceMap {
	stored.Release = core.ShowName(stored.Release)
	return stored
}
