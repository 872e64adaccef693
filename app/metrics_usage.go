package app

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"errand/store"
)

// How long an answer about the usage counts, and how long reading may take: all issues are counted.
const (
	usageHolds  = 5 * time.Minute
	usageAtMost = 5 * time.Second
)

// usageMetrics collects at a scrape what `errand usage` shows. It leaves out what it cannot find out now.
type usageMetrics struct {
	app   *App
	usage kept[store.Usage]
}

var (
	walBytes = prometheus.NewDesc("errand_wal_bytes",
		"Size of the log of writes (WAL) of the whole Postgres; missing where the role may not see it.", nil, nil)
	sourceMapBytes = prometheus.NewDesc("errand_source_map_bytes", "Size of a project's source maps in BLOBS.", []string{"project"}, nil)
	projectIssues  = prometheus.NewDesc("errand_issues", "Issues of a project.", []string{"project"}, nil)
	projectStored  = prometheus.NewDesc("errand_stored_events", "Stored events of a project.", []string{"project"}, nil)
	projectBytes   = prometheus.NewDesc("errand_stored_event_bytes",
		"Room that a project's stored events take in the database, by the mean size of all stored events.", []string{"project"}, nil)
)

// Describe is called by the registry.
func (*usageMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{walBytes, sourceMapBytes, projectIssues, projectStored, projectBytes} {
		to <- desc
	}
}

// Collect is called by the registry at each scrape.
func (m *usageMetrics) Collect(to chan<- prometheus.Metric) {
	usage, err := m.usage.readAnswer(usageHolds, usageAtMost, m.app.db.ReadUsage)
	if err != nil {
		return
	}
	if usage.WALBytes != nil {
		sendGauge(to, walBytes, float64(*usage.WALBytes))
	}
	for _, p := range usage.Projects {
		id := strconv.FormatInt(p.ID, 10) // no name: metrics have nothing that somebody typed in
		sendGauge(to, sourceMapBytes, float64(p.SourceMapBytes), id)
		sendGauge(to, projectIssues, float64(p.Issues), id)
		sendGauge(to, projectStored, float64(p.StoredEvents), id)
		sendGauge(to, projectBytes, float64(p.EventBytes), id)
	}
}
