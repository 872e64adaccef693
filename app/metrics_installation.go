package app

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"errand/core"
	"errand/store"
)

// How long an answer about the installation counts, and how long asking may take. Every server is scraped, often.
const (
	installationHolds  = 15 * time.Second
	installationAtMost = 2 * time.Second
)

// installationMetrics collects at a scrape what is true of the installation rather than of this process: its database, its
// disks, what waits, and when things happened last. It leaves out what it cannot find out now.
type installationMetrics struct {
	app *App

	mu     sync.Mutex
	asked  time.Time
	state  store.OperatorState
	err    error
	blobs  bool // whether the storage of BLOBS answers
	isOpen bool // whether there is one
}

var (
	databaseBytes = prometheus.NewDesc("errand_database_bytes", "Size of the database on its disk.", nil, nil)
	lastBackup    = prometheus.NewDesc("errand_last_backup_timestamp_seconds",
		"The moment that the last complete backup of errand backup shows.", nil, nil)
	oldestPending = prometheus.NewDesc("errand_deliveries_oldest_pending_seconds",
		"How long the oldest delivery that is not sent yet has waited; 0 without one.", nil, nil)
	jobSuccess = prometheus.NewDesc("errand_job_last_success_timestamp_seconds",
		"When this server last did a background job without an error.", []string{"job"}, nil)
	diskFree       = prometheus.NewDesc("errand_disk_free_bytes", "Free space for data or blobs on this machine.", []string{"use"}, nil)
	diskSize       = prometheus.NewDesc("errand_disk_bytes", "Size of the disk of data or blobs on this machine.", []string{"use"}, nil)
	blobsReachable = prometheus.NewDesc("errand_blobs_reachable", "1 while the storage of BLOBS answers, else 0.", nil, nil)
)

// Describe is called by the registry.
func (*installationMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{databaseBytes, lastBackup, oldestPending, jobSuccess, diskFree, diskSize, blobsReachable} {
		to <- desc
	}
}

// Collect is called by the registry at each scrape.
func (m *installationMetrics) Collect(to chan<- prometheus.Metric) {
	m.refreshState()
	send := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	for _, run := range m.app.memory.listRuns() {
		if !run.LastSuccessAt.IsZero() {
			send(jobSuccess, unixSeconds(run.LastSuccessAt), run.Name)
		}
	}
	for _, disk := range m.app.config.measureDisks() {
		send(diskFree, float64(disk.FreeBytes), disk.Use)
		send(diskSize, float64(disk.TotalBytes), disk.Use)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isOpen {
		send(blobsReachable, map[bool]float64{true: 1}[m.blobs])
	}
	if m.err != nil {
		return
	}
	send(databaseBytes, float64(m.state.DatabaseBytes))
	waiting := 0.0
	if !m.state.OldestPendingAt.IsZero() {
		waiting = max(0, m.app.db.Now().Sub(m.state.OldestPendingAt.Time).Seconds())
	}
	send(oldestPending, waiting)
	if !m.state.BackedUpAt.IsZero() {
		send(lastBackup, unixSeconds(m.state.BackedUpAt))
	}
}

// refreshState reads the state of the installation, unless it was read a moment ago.
func (m *installationMetrics) refreshState() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.asked) < installationHolds {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), installationAtMost)
	defer cancel()
	m.state, m.err = m.app.db.ReadOperatorState(ctx)
	if m.isOpen = m.app.blobs != nil; m.isOpen {
		m.blobs = m.app.blobs.Ping(ctx) == nil
	}
	m.asked = time.Now()
}

func unixSeconds(t core.Time) float64 { return float64(t.UnixMilli()) / 1000 }
