package ingest

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// mapMetrics counts the outcomes of minified frames.
type mapMetrics struct {
	frames [mapResultCount]prometheus.Counter
	took   prometheus.Observer
}

var secondsToMap = []float64{.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05}

func newMapMetrics(registerer prometheus.Registerer) (m mapMetrics) {
	factory := promauto.With(registerer)
	frames := factory.NewCounterVec(prometheus.CounterOpts{
		Name: "errand_ingest_source_map_frames_total", Help: "Frames of minified code by what became of them.",
	}, []string{"outcome"})
	for result := range m.frames {
		m.frames[result] = frames.WithLabelValues(mapResults[result].label)
	}
	m.took = factory.NewHistogram(prometheus.HistogramOpts{
		Name: "errand_ingest_source_map_duration_seconds", Help: "Time of mapping one event.", Buckets: secondsToMap,
	})
	return m
}

// registerPages adds the metrics of the source-map pages that are kept in memory.
func (m *mapper) registerPages(registerer prometheus.Registerer) {
	factory := promauto.With(registerer)
	countReads := func() (hits, misses uint64) {
		if m.indexes == nil {
			return 0, 0
		}
		return m.indexes.pages.CountReads()
	}
	factory.NewCounterFunc(prometheus.CounterOpts{
		Name: "errand_ingest_source_map_cache_hits_total", Help: "Pages of source maps that were in memory when they were needed.",
	}, func() float64 { hits, _ := countReads(); return float64(hits) })
	factory.NewCounterFunc(prometheus.CounterOpts{
		Name: "errand_ingest_source_map_cache_misses_total", Help: "Pages of source maps that were read from their storage.",
	}, func() float64 { _, misses := countReads(); return float64(misses) })
}
