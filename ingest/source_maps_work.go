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
	maxMappings    = 32               // at the same time, including those that nobody waits for any more
	maxMapPages    = 24 << 20         // bytes of pages kept while they are in use
	placesAtOnce   = 8                // of one event, looked up at the same time
	dropMapsEvery  = 20 * time.Second // a map that was not used for this long is dropped
	mapWorkAtMost  = 10 * time.Second // for a look-up that nobody waits for any more
	warnOfMapEvery = time.Minute
)

// mapper maps the frames of events with the source maps of their projects.
type mapper struct {
	store   *store.Store
	blobs   blob.Store // nil: no source maps
	within  time.Duration
	turns   chan struct{}
	found   *mapLookUps
	indexes *openIndexes
	metrics mapMetrics
	log     *slog.Logger
	failed  core.LineLimit
	ctx     context.Context // of work that outlives its request; ends with the mapper
	cancel  context.CancelFunc
	working sync.WaitGroup
}

func newMapper(o Options) *mapper {
	m := &mapper{
		store: o.Store, blobs: o.Blobs, within: mapEventWithin, turns: make(chan struct{}, maxMappings), found: newMapLookUps(o.Store, o.Clock),
		metrics: newMapMetrics(o.Metrics), log: o.Log, failed: core.LineLimit{Every: warnOfMapEvery},
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.registerPages(o.Metrics)
	if o.Blobs != nil {
		m.indexes = newOpenIndexes(m.ctx, o.Blobs)
		m.working.Go(m.dropIdle)
	}
	return m
}

// dropIdle drops unused maps again and again, until the mapper is closed.
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

// close ends the mappings in progress, and closes all maps.
func (m *mapper) close() {
	m.cancel()
	m.working.Wait()
	if m.indexes != nil {
		m.indexes.closeAll()
	}
}

// mapping is the work of mapping one event. The worker may outlive the event: it holds no text of it, and writes under mu.
type mapping struct {
	project int64
	release string // empty for none
	dist    string // the build of the release; empty for none
	places  []mapPlace
	files   []mapFile
	frames  []minifiedFrame // one for each place; used by the event only

	mu       sync.Mutex
	isGiven  bool          // nobody waits for the rest
	outcomes []mappedFrame // by place, as far as they are done
	results  []mapResult   // by file, where its frames were not mapped
	finished chan struct{}
}

// mapFile is a file that has frames.
type mapFile struct {
	path    string
	debugID string // empty for none
	isOwed  bool   // the event says so when the map is missing
}

// mapPlace is the position of a frame.
type mapPlace struct {
	file, line, column int
}

// String writes the location as in the problems of an event.
func (l frameLocation) String() string {
	return fmt.Sprintf("%s.%d.frames.%d", l.list, l.owner, l.frame)
}

// mapWithin does as much of the work as it can in time. The rest continues for the next event: it fills the caches.
func (m *mapper) mapWithin(work *mapping) {
	work.outcomes, work.results, work.finished = make([]mappedFrame, len(work.places)), make([]mapResult, len(work.files)), make(chan struct{})
	timer := time.NewTimer(m.within)
	defer timer.Stop()
	select {
	case m.turns <- struct{}{}:
	case <-timer.C:
		work.takeOutcomes()
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
	work.takeOutcomes()
}

// takeOutcomes hands the outcomes so far to the frames.
func (w *mapping) takeOutcomes() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isGiven = true
	for i := range w.frames {
		f := &w.frames[i]
		if f.file < 0 {
			continue
		}
		f.outcome, f.result = w.outcomes[f.place], w.results[f.file]
		switch {
		case f.outcome.isFound:
			f.result = mapFound
		case f.outcome.isDone:
			f.result = mapNoPosition
		case f.result == mapUnknown:
			f.result = mapTooLate
		}
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
	for start := 0; start < len(work.places); start += placesAtOnce {
		end := min(start+placesAtOnce, len(work.places))
		if waveErr := work.mapWave(opened, start, end, &room); waveErr != nil {
			err = errors.Join(err, waveErr)
		}
		if work.isAbandoned() {
			break
		}
	}
	return err
}

// mapWave maps several places at the same time: when an index is far away, this takes as long as the slowest, not the sum.
func (w *mapping) mapWave(opened []*openIndex, start, end int, room *int) error {
	lines := contextLines
	if *room <= 0 {
		lines = 0
	}
	outcomes, failures := make([]mappedFrame, end-start), make([]error, end-start)
	doAtOnce(end-start, func(i int) {
		place := w.places[start+i]
		if o := opened[place.file]; o != nil && o.err == nil {
			failures[i] = catchPanic(func() (err error) {
				outcomes[i], err = mapPlaceBy(o.index, place, lines)
				return err
			})
		}
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range outcomes {
		if failures[i] != nil {
			w.results[w.places[start+i].file] = explainMapFailure(failures[i])
			continue
		}
		outcomes[i].takeRoom(room)
		w.outcomes[start+i] = outcomes[i]
	}
	return errors.Join(failures...)
}

// doAtOnce calls do with 0 to count-1 concurrently, and waits for all calls.
func doAtOnce(count int, do func(i int)) {
	if count == 1 {
		do(0)
		return
	}
	var working sync.WaitGroup
	for i := range count {
		working.Go(func() { do(i) })
	}
	working.Wait()
}

// mapPlaceBy maps one place, with its line of code, some lines around it, and the function around it.
func mapPlaceBy(index *sourcemap.Index, place mapPlace, lines int) (mapped mappedFrame, err error) {
	mapped.isDone = true
	if mapped.position, mapped.isFound, err = index.LookUp(place.line, place.column); err != nil || !mapped.isFound {
		return mapped, err
	}
	if !mapped.position.HasContent() {
		return mapped, nil
	}
	if mapped.context, _, err = index.CutContext(&mapped.position, lines); err != nil {
		return mapped, err
	}
	mapped.function, mapped.hasFunction, err = index.FindFunction(&mapped.position)
	return mapped, err
}

// takeRoom takes the space for the surrounding lines from the event's room; when none is left the lines are dropped.
func (f *mappedFrame) takeRoom(room *int) {
	if *room <= 0 {
		f.context.Before, f.context.After = nil, nil
	}
	for _, around := range [][]string{f.context.Before, f.context.After} {
		for _, line := range around {
			*room -= len(line)
		}
	}
}

func (w *mapping) noteResult(file int, result mapResult) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.results[file] = result
}

// isAbandoned reports whether nobody waits for the rest.
func (w *mapping) isAbandoned() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.isGiven
}
