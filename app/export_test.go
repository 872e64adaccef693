package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"errand/core"
	"errand/jobs"
	"errand/store"
)

// MetricsRegistry is the registry of all metrics of the process.
func (a *App) MetricsRegistry() *prometheus.Registry { return a.metrics.registry }

// JobNames returns the names of all background jobs.
func (a *App) JobNames() []string { return jobs.Options{Store: a.db.Store}.Names() }

// Store is the database of the process.
func (a *App) Store() *store.Store { return a.db.Store }

// BreakListener makes serving fail.
func (a *App) BreakListener() error { return a.listener.Close() }

// DescribeReady returns the lines that a start prints at its end.
func (a *App) DescribeReady(onTerminal bool) []string { return a.describeReady(onTerminal, onTerminal) }

// MetricsURL is the URL of the metrics; empty without METRICS_ADDR.
func (a *App) MetricsURL() string {
	if a.operators == nil {
		return ""
	}
	return "http://" + a.config.MetricsAddr + "/metrics"
}

// JudgeMemory returns what the doctor says of that much data and shared memory, in bytes.
func JudgeMemory(data, memory int64) core.Finding {
	var e examination
	e.judgeMemory(data, memory)
	return e.findings[0]
}
