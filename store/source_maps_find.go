package store

import (
	"context"
	"strconv"
	"strings"

	"errand/core"
	"errand/store/pg"
)

// FoundSourceMap is a source map as ingest finds it.
type FoundSourceMap struct {
	ID      int64
	Path    string
	DebugID string // empty for none
}

const (
	findSourceMapsByPath = `
SELECT m.id, m.path, m.debug_id FROM source_maps m
WHERE m.project_id = @project_id AND m.digest = @digest AND m.path = ANY (@paths::text[])
ORDER BY m.id`
	// Equal files of several releases have the same debug id: any of their maps will do, the latest is nearest at hand.
	findSourceMapsByDebugID = `
SELECT DISTINCT ON (m.debug_id) m.id, m.path, m.debug_id FROM source_maps m
WHERE m.project_id = @project_id AND m.debug_id = ANY (@debug_ids::text[]) AND m.debug_id <> ''
ORDER BY m.debug_id, m.id DESC`
	hasSourceMaps        = `SELECT EXISTS (SELECT FROM source_maps m WHERE m.project_id = @project_id) AS has_any`
	releaseHasSourceMaps = `
SELECT EXISTS (SELECT FROM source_maps m WHERE m.project_id = @project_id AND m.digest = @digest) AS has_any`
	findKeptSourceMaps = `
SELECT m.project_id, m.id FROM unnest(@projects::bigint[], @ids::bigint[]) AS k (project_id, id)
JOIN source_maps m ON m.project_id = k.project_id AND m.id = k.id`
)

// HasSourceMaps reports whether a project has source maps, of any release.
func (s *Store) HasSourceMaps(ctx context.Context, project int64) (bool, error) {
	row, err := pg.QueryOne[struct{ HasAny bool }](ctx, s.db.Main, hasSourceMaps, pg.Args{"project_id": project})
	return row.HasAny, err
}

// ReleaseHasSourceMaps reports whether a release of a project, by its stored name, has source maps.
func (s *Store) ReleaseHasSourceMaps(ctx context.Context, project int64, release string) (bool, error) {
	row, err := pg.QueryOne[struct{ HasAny bool }](ctx, s.db.Main, releaseHasSourceMaps,
		pg.Args{"project_id": project, "digest": core.DigestName(release)})
	return row.HasAny, err
}

// FindSourceMapsByPath returns the source maps of files of a release, which is a stored name.
func (s *Store) FindSourceMapsByPath(ctx context.Context, project int64, release string, paths []string) ([]FoundSourceMap, error) {
	return pg.QueryMany[FoundSourceMap](ctx, s.db.Main, findSourceMapsByPath,
		pg.Args{"project_id": project, "digest": core.DigestName(release), "paths": paths})
}

// FindSourceMapsByDebugID returns the source maps of files with debug ids, which are in lower case with hyphens: those of this
// project, whoever else has them too.
func (s *Store) FindSourceMapsByDebugID(ctx context.Context, project int64, debugIDs []string) ([]FoundSourceMap, error) {
	return pg.QueryMany[FoundSourceMap](ctx, s.db.Main, findSourceMapsByDebugID, pg.Args{"project_id": project, "debug_ids": debugIDs})
}

// ListStrayBlobs returns those of the keys that are of no source map: what an upload left that was cut off, or a deleted map or
// project. The blob of an upload that goes on is one of them.
func (s *Store) ListStrayBlobs(ctx context.Context, keys []string) ([]string, error) {
	projects, ids := make([]int64, 0, len(keys)), make([]int64, 0, len(keys))
	for _, key := range keys {
		if project, id, ok := parseSourceMapKey(key); ok {
			projects, ids = append(projects, project), append(ids, id)
		}
	}
	rows, err := pg.QueryMany[struct{ ProjectID, ID int64 }](ctx, s.db.Main, findKeptSourceMaps, pg.Args{"projects": projects, "ids": ids})
	if err != nil {
		return nil, err
	}
	kept := make(map[string]bool, len(rows))
	for _, row := range rows {
		kept[KeyOfSourceMap(row.ProjectID, row.ID)] = true
	}
	var stray []string
	for _, key := range keys {
		if _, _, ok := parseSourceMapKey(key); ok && !kept[key] {
			stray = append(stray, key)
		}
	}
	return stray, nil
}

// parseSourceMapKey is the reverse of KeyOfSourceMap. Other keys are not ours to delete.
func parseSourceMapKey(key string) (project, id int64, ok bool) {
	projectText, idText, ok := strings.Cut(strings.TrimPrefix(key, SourceMapPrefix), "/")
	project, errProject := strconv.ParseInt(projectText, 10, 64)
	id, errID := strconv.ParseInt(idText, 10, 64)
	return project, id, ok && errProject == nil && errID == nil && KeyOfSourceMap(project, id) == key
}
