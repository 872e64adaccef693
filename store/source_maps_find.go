package store

import (
	"context"
	"slices"

	"errand/core"
	"errand/store/pg"
)

// FoundSourceMap is the part of a source map that ingest needs.
type FoundSourceMap struct {
	ID      int64
	Path    string
	DebugID string // empty for none
	Blob    string // for KeyOfBlob
}

const (
	findSourceMapsByPath = `
SELECT m.id, split_part(m.path, E'\x1f', 1) AS path, m.debug_id, ` + blobOfSourceMap + ` AS blob FROM source_maps m
WHERE m.project_id = @project_id AND m.digest = @digest AND m.path = ANY (@paths::text[])
ORDER BY strpos(m.path, E'\x1f') > 0, m.id`
	hasMapsOfDists = `
SELECT EXISTS (
	SELECT 1 FROM source_maps m
	WHERE m.project_id = @project_id AND m.digest = @digest AND m.path >= @path || E'\x1f' AND m.path < @path || E'\x20'
) AS has_any`
	// Equal files of several releases have the same debug id. Any of their maps will do; the latest is the easiest to find.
	findSourceMapsByDebugID = `
SELECT DISTINCT ON (m.debug_id) m.id, split_part(m.path, E'\x1f', 1) AS path, m.debug_id, ` + blobOfSourceMap + ` AS blob FROM source_maps m
WHERE m.project_id = @project_id AND m.debug_id = ANY (@debug_ids::text[]) AND m.debug_id <> ''
ORDER BY m.debug_id, m.id DESC`
	hasSourceMaps        = `SELECT EXISTS (SELECT 1 FROM source_maps m WHERE m.project_id = @project_id) AS has_any`
	releaseHasSourceMaps = `
SELECT EXISTS (SELECT 1 FROM source_maps m WHERE m.project_id = @project_id AND m.digest = @digest) AS has_any`
)

// HasSourceMaps reports whether a project has source maps, of any release.
func (s *Store) HasSourceMaps(ctx context.Context, project int64) (bool, error) {
	row, err := pg.QueryOne[struct{ HasAny bool }](ctx, s.db.Main, hasSourceMaps, pg.Args{"project_id": project})
	return row.HasAny, err
}

// ReleaseHasSourceMaps reports whether a release of a project, given by its stored name, has source maps.
func (s *Store) ReleaseHasSourceMaps(ctx context.Context, project int64, release string) (bool, error) {
	row, err := pg.QueryOne[struct{ HasAny bool }](ctx, s.db.Main, releaseHasSourceMaps,
		pg.Args{"project_id": project, "digest": core.DigestName(release)})
	return row.HasAny, err
}

// HasSourceMapsOfDists reports whether a file of a release, given by its stored name, has source maps for events of a particular dist.
func (s *Store) HasSourceMapsOfDists(ctx context.Context, project int64, release, path string) (bool, error) {
	row, err := pg.QueryOne[struct{ HasAny bool }](ctx, s.db.Main, hasMapsOfDists,
		pg.Args{"project_id": project, "digest": core.DigestName(release), "path": path})
	return row.HasAny, err
}

// FindSourceMapsByPath returns the source maps of files of a release, given by its stored name, for events of a dist, which
// may be empty. If several have the same path, use the last one: a map for all dists comes before one for the dist.
func (s *Store) FindSourceMapsByPath(ctx context.Context, project int64, release, dist string, paths []string) ([]FoundSourceMap, error) {
	stored := slices.Clone(paths)
	if dist != "" {
		for _, path := range paths {
			stored = append(stored, storePath(path, dist))
		}
	}
	return pg.QueryMany[FoundSourceMap](ctx, s.db.Main, findSourceMapsByPath,
		pg.Args{"project_id": project, "digest": core.DigestName(release), "paths": stored})
}

// FindSourceMapsByDebugID returns this project's source maps of files with the debug ids, which are in lower case with
// hyphens. Other projects may have the same debug ids.
func (s *Store) FindSourceMapsByDebugID(ctx context.Context, project int64, debugIDs []string) ([]FoundSourceMap, error) {
	return pg.QueryMany[FoundSourceMap](ctx, s.db.Main, findSourceMapsByDebugID, pg.Args{"project_id": project, "debug_ids": debugIDs})
}
