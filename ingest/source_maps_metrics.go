package ingest

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"errand/sourcemap"
)

// mapMetrics counts what became of minified frames.
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

// registerPages adds the metrics of the pages of source maps that are kept in memory.
func (mapMetrics) registerPages(registerer prometheus.Registerer, pages *sourcemap.Cache) {
	factory := promauto.With(registerer)
	for _, read := range []struct {
		from  string
		count func(hits, misses uint64) uint64
	}{
		{"memory", func(hits, _ uint64) uint64 { return hits }},
		{"storage", func(_, misses uint64) uint64 { return misses }},
	} {
		factory.NewCounterFunc(prometheus.CounterOpts{
			Name: "errand_ingest_source_map_pages_total", Help: "Pages of source maps that were read, by where from.",
			ConstLabels: prometheus.Labels{"from": read.from},
		}, func() float64 { return float64(read.count(pages.CountReads())) })
	}
}
