package ingest

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"errand/core"
	"errand/store"
)

// rememberMap is how long it is remembered which map a file has, or that it has none.
const rememberMap = 5 * time.Second

// mapLookUps remembers which files have source maps.
type mapLookUps struct {
	store *store.Store
	clock core.Clock
	found *lru.Cache[mapKey, foundMap]
}

// mapKey is a file of a release, or one with a debug id.
type mapKey struct {
	project                int64
	release, path, debugID string
}

type foundMap struct {
	id      int64  // 0 for none
	debugID string // of the map
	askedAt time.Time
}

func newMapLookUps(s *store.Store, clock core.Clock) *mapLookUps {
	return &mapLookUps{store: s, clock: clock, found: mustMake(lru.New[mapKey, foundMap](1 << 13))}
}

// forgetAll forgets all look-ups.
func (l *mapLookUps) forgetAll() { l.found.Purge() }

// findMaps returns the ids of the maps of the files, 0 for those without. The map of a debug id comes first; one of the path that
// has another debug id is of another build, and would lead to wrong places.
func (l *mapLookUps) findMaps(ctx context.Context, work *mapping) ([]int64, error) {
	ids := make([]int64, len(work.files))
	byDebugID, err := l.findAll(ctx, work, func(f mapFile) mapKey { return mapKey{project: work.project, debugID: f.debugID} })
	if err != nil {
		return nil, err
	}
	byPath, err := l.findAll(ctx, work, func(f mapFile) mapKey {
		if work.release == "" || byDebugID[mapKey{project: work.project, debugID: f.debugID}].id != 0 {
			return mapKey{}
		}
		return mapKey{project: work.project, release: work.release, path: f.path}
	})
	if err != nil {
		return nil, err
	}
	for i, f := range work.files {
		ids[i] = byDebugID[mapKey{project: work.project, debugID: f.debugID}].id
		named := byPath[mapKey{project: work.project, release: work.release, path: f.path}]
		if ids[i] == 0 && (f.debugID == "" || named.debugID == "" || f.debugID == named.debugID) {
			ids[i] = named.id
		}
	}
	return ids, nil
}

// findAll looks up the keys of the files, those that are not remembered in one query. A key without path and debug id is none.
func (l *mapLookUps) findAll(ctx context.Context, work *mapping, keyOf func(mapFile) mapKey) (map[mapKey]foundMap, error) {
	all, now := map[mapKey]foundMap{}, l.clock()
	var paths, debugIDs []string
	for _, f := range work.files {
		key := keyOf(f)
		if _, asked := all[key]; asked || key.path == "" && key.debugID == "" {
			continue
		}
		if remembered, ok := l.found.Get(key); ok && now.Sub(remembered.askedAt) < rememberMap {
			all[key] = remembered
			continue
		}
		all[key] = foundMap{askedAt: now}
		if key.debugID != "" {
			debugIDs = append(debugIDs, key.debugID)
		} else {
			paths = append(paths, key.path)
		}
	}
	asked, err := l.askDatabase(ctx, work, paths, debugIDs)
	if err != nil {
		return nil, err
	}
	for _, m := range asked {
		key := mapKey{project: work.project, release: work.release, path: m.Path}
		if debugIDs != nil {
			key = mapKey{project: work.project, debugID: m.DebugID}
		}
		all[key] = foundMap{id: m.ID, debugID: m.DebugID, askedAt: now}
	}
	for key, m := range all {
		if m.askedAt.Equal(now) {
			l.found.Add(key, m)
		}
	}
	return all, nil
}

func (l *mapLookUps) askDatabase(ctx context.Context, work *mapping, paths, debugIDs []string) ([]store.FoundSourceMap, error) {
	switch {
	case debugIDs != nil:
		return l.store.FindSourceMapsByDebugID(ctx, work.project, debugIDs)
	case paths != nil:
		return l.store.FindSourceMapsByPath(ctx, work.project, work.release, paths)
	}
	return nil, nil
}
