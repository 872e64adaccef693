package ingest

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"errand/core"
	"errand/store"
)

// rememberMap is how long a look-up of a file's map is remembered, also when it found none.
const rememberMap = 5 * time.Second

// mapLookUps remembers which files have source maps, and which projects have any.
type mapLookUps struct {
	store    *store.Store
	clock    core.Clock
	found    *lru.Cache[mapKey, foundMap]
	projects *lru.Cache[int64, projectMaps]
}

// mapKey is one of: a file of a release, for events of one dist or of any; a file with a debug id; all files of a release.
type mapKey struct {
	project                      int64
	release, dist, path, debugID string
	ofAnyDist                    bool
}

type foundMap struct {
	id      int64  // 0 for none; for a release, the id of any of its maps
	debugID string // of the map
	blob    string // of the map
	askedAt time.Time
}

// projectMaps remembers whether a project has any maps.
type projectMaps struct {
	hasAny  bool
	askedAt time.Time
}

// fileMap is the map of a file, or the reason why it has none.
type fileMap struct {
	blob    string // empty for none
	missing mapResult
}

func newMapLookUps(s *store.Store, clock core.Clock) *mapLookUps {
	return &mapLookUps{
		store: s, clock: clock, found: mustMake(lru.New[mapKey, foundMap](1 << 13)), projects: mustMake(lru.New[int64, projectMaps](1 << 13)),
	}
}

// forgetAll forgets all look-ups.
func (l *mapLookUps) forgetAll() {
	l.found.Purge()
	l.projects.Purge()
}

// hasMaps reports whether a project has source maps. It asks at most as often as a file is looked up, so that a project's first
// map takes effect as soon as later ones do.
func (l *mapLookUps) hasMaps(project *knownProject, within time.Duration) bool {
	now := l.clock()
	known, isKnown := l.projects.Get(project.ID)
	if !isKnown || known.askedAt.Before(project.askedAt) {
		known = projectMaps{project.HasSourceMaps, project.askedAt}
	}
	if known.hasAny || now.Sub(known.askedAt) < rememberMap {
		return known.hasAny
	}
	known.askedAt = now
	l.projects.Add(project.ID, known) // others do not ask at the same time
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	hasAny, err := l.store.HasSourceMaps(ctx, project.ID)
	if err != nil {
		return true // the look-up of the map fails in the same way, and says so
	}
	known.hasAny = hasAny
	l.projects.Add(project.ID, known)
	return hasAny
}

// findMaps returns the maps of the files. The map of a debug id comes first. A map that matches the path but has another debug id
// belongs to another build, and would lead to wrong places.
func (l *mapLookUps) findMaps(ctx context.Context, work *mapping) ([]fileMap, error) {
	maps := make([]fileMap, len(work.files))
	byDebugID, err := l.findAll(ctx, work, func(f mapFile) mapKey { return mapKey{project: work.project, debugID: f.debugID} })
	if err != nil {
		return nil, err
	}
	byPath, err := l.findAll(ctx, work, func(f mapFile) mapKey {
		if work.release == "" || byDebugID[mapKey{project: work.project, debugID: f.debugID}].id != 0 {
			return mapKey{}
		}
		return mapKey{project: work.project, release: work.release, dist: work.dist, path: f.path}
	})
	if err != nil {
		return nil, err
	}
	for i, f := range work.files {
		maps[i].blob = byDebugID[mapKey{project: work.project, debugID: f.debugID}].blob
		named := byPath[mapKey{project: work.project, release: work.release, dist: work.dist, path: f.path}]
		switch {
		case maps[i].blob != "":
		case work.release == "":
			maps[i].missing = mapNoneOfDebugID
		case named.id == 0:
			if maps[i].missing, err = l.explainMissing(ctx, work, f.path); err != nil {
				return nil, err
			}
		case f.debugID != "" && named.debugID != "" && f.debugID != named.debugID:
			maps[i].missing = mapOtherBuild
		default:
			maps[i].blob = named.blob
		}
	}
	return maps, nil
}

// explainMissing says whether the release has maps of other files, or maps of this one for events of other dists.
func (l *mapLookUps) explainMissing(ctx context.Context, work *mapping, path string) (mapResult, error) {
	key := mapKey{project: work.project, release: work.release}
	hasAny, err := l.askOnce(key, func() (bool, error) { return l.store.ReleaseHasSourceMaps(ctx, work.project, work.release) })
	switch {
	case err != nil:
		return mapFailed, err
	case !hasAny:
		return mapNoneOfRelease, nil
	}
	key.path, key.ofAnyDist = path, true
	hasOther, err := l.askOnce(key, func() (bool, error) { return l.store.HasSourceMapsOfDists(ctx, work.project, work.release, path) })
	switch {
	case err != nil:
		return mapFailed, err
	case hasOther:
		return mapOtherDist, nil
	}
	return mapNoneOfFile, nil
}

// askOnce asks whether there are maps, unless it remembers the answer.
func (l *mapLookUps) askOnce(key mapKey, ask func() (bool, error)) (hasAny bool, err error) {
	now := l.clock()
	known, isKnown := l.found.Get(key)
	if isKnown && now.Sub(known.askedAt) < rememberMap {
		return known.id != 0, nil
	}
	if hasAny, err = ask(); err != nil {
		return false, err
	}
	known = foundMap{askedAt: now}
	if hasAny {
		known.id = 1
	}
	l.found.Add(key, known)
	return hasAny, nil
}

// findAll looks up the keys of the files, all unknown ones in one query. It skips a key without path and debug id.
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
		key := mapKey{project: work.project, release: work.release, dist: work.dist, path: m.Path}
		if debugIDs != nil {
			key = mapKey{project: work.project, debugID: m.DebugID}
		}
		all[key] = foundMap{id: m.ID, debugID: m.DebugID, blob: m.Blob, askedAt: now}
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
		return l.store.FindSourceMapsByPath(ctx, work.project, work.release, work.dist, paths)
	}
	return nil, nil
}
