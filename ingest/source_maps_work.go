package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"errand/blob"
	"errand/core"
	"errand/sourcemap"
	"errand/store"
)

const (
	maxMappings    = 32               // that go on at once, those that nobody waits for any more included
	maxMapPages    = 24 << 20         // bytes of pages that are kept while they are used
	dropMapsEvery  = 20 * time.Second // what was not used for so long is dropped
	mapWorkAtMost  = 10 * time.Second // for a look-up that nobody waits for any more
	warnOfMapEvery = time.Minute
)

// mapper maps the frames of events by the source maps of their projects.
type mapper struct {
	store   *store.Store
	blobs   blob.Store // nil: no source maps
	within  time.Duration
	turns   chan struct{}
	found   *mapLookUps
	indexes *openIndexes
	log     *slog.Logger
	failed  core.LineLimit
	ctx     context.Context // of what goes on without a request; ends with the mapper
	cancel  context.CancelFunc
	working sync.WaitGroup
}

func newMapper(o Options) *mapper {
	m := &mapper{
		store: o.Store, blobs: o.Blobs, within: mapEventWithin, turns: make(chan struct{}, maxMappings), found: newMapLookUps(o.Store, o.Clock),
		log: o.Log, failed: core.LineLimit{Every: warnOfMapEvery},
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	if o.Blobs != nil {
		m.indexes = newOpenIndexes(m.ctx, o.Blobs)
		m.working.Go(m.dropIdle)
	}
	return m
}

// dropIdle drops what nobody uses, until the mapper is closed.
func (m *mapper) dropIdle() {
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-time.After(dropMapsEvery):
			m.found.forgetAll()
			m.indexes.dropIdle()
		}
	}
}

// close ends the mappings that go on, and closes all maps.
func (m *mapper) close() {
	m.cancel()
	m.working.Wait()
	if m.indexes != nil {
		m.indexes.closeAll()
	}
}

// mapping is the work of mapping one event. The worker may outlive the event: it has no text of it, and writes under mu.
type mapping struct {
	project int64
	release string // empty for none
	places  []mapPlace
	files   []mapFile
	frames  []minifiedFrame // of the places; for the event only

	mu       sync.Mutex
	isGiven  bool // nobody waits for the rest
	isDone   bool
	outcomes []mappedFrame // of the places, as far as they are done
	problems []string      // of the files
	finished chan struct{}
}

// mapFile is a file that frames are of.
type mapFile struct {
	path    string
	debugID string // empty for none
	isOwed  bool   // a missing map is worth a word
	problem string // why its frames were not mapped
}

// mapPlace is the place of a frame.
type mapPlace struct {
	file, line, column int
}

// String writes the location as the problems of an event do.
func (l frameLocation) String() string {
	return fmt.Sprintf("%s.%d.frames.%d", l.list, l.owner, l.frame)
}

// mapWithin does the work, as far as it is done in time. What takes longer goes on for the next event: it fills the caches.
func (m *mapper) mapWithin(work *mapping) {
	work.outcomes, work.problems, work.finished = make([]mappedFrame, len(work.places)), make([]string, len(work.files)), make(chan struct{})
	timer := time.NewTimer(m.within)
	defer timer.Stop()
	select {
	case m.turns <- struct{}{}:
	case <-timer.C:
		return
	}
	m.working.Go(func() {
		defer func() { <-m.turns }()
		defer close(work.finished)
		if err := catchPanic(func() error { return m.mapPlaces(work) }); err != nil {
			m.noteFailure(err)
		}
	})
	select {
	case <-work.finished:
	case <-timer.C:
	}
	work.mu.Lock()
	defer work.mu.Unlock()
	work.isGiven = true
	for i := range work.frames {
		work.frames[i].outcome = work.outcomes[i]
	}
	for i := range work.files {
		work.files[i].problem = work.problems[i]
	}
}

func (m *mapper) noteFailure(err error) {
	if more, due := m.failed.CountLine("source map", time.Now()); due {
		m.log.Warn("a source map could not be read: events are stored unmapped", "error", err, "more_since_the_last_line", more)
	}
}

// mapPlaces finds the maps and maps the places, the nearest to the crash first.
func (m *mapper) mapPlaces(work *mapping) error {
	ctx, cancel := context.WithTimeout(m.ctx, mapWorkAtMost)
	defer cancel()
	opened, err := m.openMaps(ctx, work)
	if errors.Is(err, blob.ErrNotFound) { // it was replaced just now
		m.releaseMaps(opened)
		m.found.forgetAll()
		opened, err = m.openMaps(ctx, work)
	}
	defer m.releaseMaps(opened)
	if opened == nil {
		return err
	}
	room := maxMapContext
	for i, place := range work.places {
		o := opened[place.file]
		if o == nil || o.err != nil {
			continue
		}
		outcome, mapErr := mapPlaceBy(o.index, place, &room)
		if mapErr != nil {
			work.noteProblem(place.file, mapFailed)
			err = errors.Join(err, mapErr)
			continue
		}
		if !work.noteOutcome(i, outcome) {
			return err
		}
	}
	work.mu.Lock()
	defer work.mu.Unlock()
	work.isDone = true
	return err
}

// openMaps opens the maps of the files, to be released by releaseMaps. A file without a map, or whose map failed, has none.
func (m *mapper) openMaps(ctx context.Context, work *mapping) ([]*openIndex, error) {
	ids, err := m.found.findMaps(ctx, work)
	if err != nil {
		for i := range work.files {
			work.noteProblem(i, mapFailed)
		}
		return nil, err
	}
	opened := make([]*openIndex, len(work.files))
	for i, id := range ids {
		if id == 0 {
			work.noteProblem(i, mapMissing)
			continue
		}
		o, openErr := m.indexes.take(store.KeyOfSourceMap(work.project, id))
		work.noteProblem(i, "")
		if opened[i] = o; openErr != nil {
			work.noteProblem(i, mapFailed)
			err = errors.Join(err, openErr)
		}
	}
	return opened, err
}

func (m *mapper) releaseMaps(opened []*openIndex) {
	for _, o := range opened {
		m.indexes.release(o)
	}
}

// mapPlaceBy maps one place. Room is what the lines around may still take.
func mapPlaceBy(index *sourcemap.Index, place mapPlace, room *int) (mapped mappedFrame, err error) {
	if mapped.position, mapped.isFound, err = index.LookUp(place.line, place.column); err != nil || !mapped.isFound {
		return mappedFrame{}, err
	}
	if !mapped.position.HasContent() {
		return mapped, nil
	}
	lines := contextLines
	if *room <= 0 {
		lines = 0
	}
	if mapped.context, _, err = index.CutContext(&mapped.position, lines); err != nil {
		return mappedFrame{}, err
	}
	for _, around := range [][]string{mapped.context.Before, mapped.context.After} {
		for _, line := range around {
			*room -= len(line)
		}
	}
	return mapped, nil
}

func (w *mapping) noteProblem(file int, problem string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems[file] = problem
}

// noteOutcome notes what became of a place, and reports whether somebody still waits for the others.
func (w *mapping) noteOutcome(place int, outcome mappedFrame) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.outcomes[place] = outcome
	return !w.isGiven
}
