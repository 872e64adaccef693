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
	app   *App
	state kept[installationState]
}

type installationState struct {
	store.OperatorState
	blobsAnswer bool
}

// kept is the last answer to a question that is not asked at each scrape.
type kept[T any] struct {
	mu     sync.Mutex
	asked  time.Time
	answer T
	err    error
}

// readAnswer calls ask if its last answer is too old, and returns the newest one with its error.
func (k *kept[T]) readAnswer(holds, atMost time.Duration, ask func(context.Context) (T, error)) (T, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.asked) >= holds {
		ctx, cancel := context.WithTimeout(context.Background(), atMost)
		defer cancel()
		k.answer, k.err = ask(ctx)
		k.asked = time.Now()
	}
	return k.answer, k.err
}

func sendGauge(to chan<- prometheus.Metric, desc *prometheus.Desc, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
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
	for _, run := range m.app.memory.listRuns() {
		if !run.LastSuccessAt.IsZero() {
			sendGauge(to, jobSuccess, unixSeconds(run.LastSuccessAt), run.Name)
		}
	}
	for _, disk := range m.app.config.measureDisks() {
		sendGauge(to, diskFree, float64(disk.FreeBytes), disk.Use)
		sendGauge(to, diskSize, float64(disk.TotalBytes), disk.Use)
	}
	state, err := m.state.readAnswer(installationHolds, installationAtMost, m.readState)
	if m.app.blobs != nil {
		sendGauge(to, blobsReachable, map[bool]float64{true: 1}[state.blobsAnswer])
	}
	if err != nil {
		return
	}
	sendGauge(to, databaseBytes, float64(state.DatabaseBytes))
	waiting := 0.0
	if !state.OldestPendingAt.IsZero() {
		waiting = max(0, m.app.db.Now().Sub(state.OldestPendingAt.Time).Seconds())
	}
	sendGauge(to, oldestPending, waiting)
	if !state.BackedUpAt.IsZero() {
		sendGauge(to, lastBackup, unixSeconds(state.BackedUpAt))
	}
}

func (m *installationMetrics) readState(ctx context.Context) (state installationState, err error) {
	state.OperatorState, err = m.app.db.ReadOperatorState(ctx)
	state.blobsAnswer = m.app.blobs != nil && m.app.blobs.Ping(ctx) == nil
	return state, err
}

func unixSeconds(t core.Time) float64 { return float64(t.UnixMilli()) / 1000 }
