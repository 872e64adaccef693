package app

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"errand/store"
)

// How long what was read of the usage counts, and how long reading may take: it counts all issues.
const (
	usageHolds  = 5 * time.Minute
	usageAtMost = 5 * time.Second
)

// usageMetrics collects at a scrape what `errand usage` shows. It leaves out what it cannot find out now.
type usageMetrics struct {
	app *App

	mu    sync.Mutex
	asked time.Time
	usage store.Usage
	err   error
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
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.asked) >= usageHolds {
		ctx, cancel := context.WithTimeout(context.Background(), usageAtMost)
		m.usage, m.err = m.app.db.ReadUsage(ctx)
		cancel()
		m.asked = time.Now()
	}
	if m.err != nil {
		return
	}
	send := func(desc *prometheus.Desc, value int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(value), labels...)
	}
	if m.usage.WALBytes != nil {
		send(walBytes, *m.usage.WALBytes)
	}
	for _, p := range m.usage.Projects {
		id := strconv.FormatInt(p.ID, 10) // no name: metrics have nothing that somebody typed in
		send(sourceMapBytes, p.SourceMapBytes, id)
		send(projectIssues, p.Issues, id)
		send(projectStored, p.StoredEvents, id)
		send(projectBytes, p.EventBytes, id)
	}
}
