package ingest

import (
	"context"
	"errors"
	"sync"

	"errand/blob"
	"errand/sourcemap"
	"errand/store"
)

// maxOpenIndexes is how many maps are open at the same time: each may be an open file.
const maxOpenIndexes = 128

// openIndexes are the maps in use. A map that nobody uses is closed soon.
type openIndexes struct {
	ctx   context.Context // of reading
	blobs blob.Store
	pages *sourcemap.Cache
	mu    sync.Mutex
	byKey map[string]*openIndex
	turn  int // counts the calls of dropIdle
}

// openIndex is a map that is open, or failed to open.
type openIndex struct {
	opening sync.Once
	index   *sourcemap.Index
	object  blob.Object
	err     error

	users     int
	lastTurn  int // the turn in which it was last used
	isDropped bool
}

func newOpenIndexes(ctx context.Context, blobs blob.Store) *openIndexes {
	return &openIndexes{ctx: ctx, blobs: blobs, pages: sourcemap.NewCache(maxMapPages), byKey: map[string]*openIndex{}}
}

// take returns a map. The caller releases it, also after an error.
func (x *openIndexes) take(key string) (*openIndex, error) {
	x.mu.Lock()
	o := x.byKey[key]
	if o == nil {
		if len(x.byKey) >= maxOpenIndexes {
			x.dropUnused(func(*openIndex) bool { return true })
		}
		o = &openIndex{}
		x.byKey[key] = o
	}
	o.users++
	o.lastTurn = x.turn
	x.mu.Unlock()
	o.opening.Do(func() {
		if o.object, o.err = x.blobs.Open(x.ctx, key); o.err == nil {
			o.index, o.err = sourcemap.Open(o.object, o.object.Size(), x.pages)
		}
	})
	return o, o.err
}

// release ends the use of a map; it accepts nil.
func (x *openIndexes) release(o *openIndex) {
	if o == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	o.users--
	o.closeUnused()
}

// closeUnused closes a map that was dropped and that nobody uses.
func (o *openIndex) closeUnused() {
	if o.users == 0 && o.isDropped && o.object != nil {
		_ = o.object.Close() // it was only read
		o.object = nil
	}
}

// dropUnused drops the maps that nobody uses now and that mayDrop allows.
func (x *openIndexes) dropUnused(mayDrop func(*openIndex) bool) {
	for key, o := range x.byKey {
		if o.users == 0 && mayDrop(o) {
			delete(x.byKey, key)
			o.isDropped = true
			o.closeUnused()
		}
	}
}

// dropIdle drops the maps that were not used since the last call, and those that failed, so that they are tried again.
func (x *openIndexes) dropIdle() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dropUnused(func(o *openIndex) bool { return o.lastTurn < x.turn || o.err != nil })
	x.turn++
	x.pages.DropIdle()
}

// closeAll closes all maps, when nobody uses them any more.
func (x *openIndexes) closeAll() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dropUnused(func(*openIndex) bool { return true })
}

// openMaps opens the maps of the files; releaseMaps releases them. The entry is nil for a file without a map, or whose map
// failed.
func (m *mapper) openMaps(ctx context.Context, work *mapping) ([]*openIndex, error) {
	maps, err := m.found.findMaps(ctx, work)
	if err != nil {
		for i := range work.files {
			work.noteResult(i, mapFailed)
		}
		return nil, err
	}
	opened, failures := make([]*openIndex, len(maps)), make([]error, len(maps))
	doAtOnce(len(maps), func(i int) {
		if maps[i].blob == "" {
			work.noteResult(i, maps[i].missing)
			return
		}
		opened[i], failures[i] = m.indexes.take(store.KeyOfBlob(work.project, maps[i].blob))
		result := mapUnknown
		if failures[i] != nil {
			result = explainMapFailure(failures[i])
		}
		work.noteResult(i, result)
	})
	return opened, errors.Join(failures...)
}

// explainMapFailure tells a broken map from one that cannot be read now.
func explainMapFailure(err error) mapResult {
	var broken *sourcemap.Invalid
	if errors.Is(err, blob.ErrNotFound) || errors.As(err, &broken) {
		return mapBroken
	}
	return mapFailed
}

func (m *mapper) releaseMaps(opened []*openIndex) {
	for _, o := range opened {
		m.indexes.release(o)
	}
}
