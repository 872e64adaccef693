package app

import (
	"cmp"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"errand/core"
)

// metrics is what operators see of the process. No label comes from a client: routes are patterns, tools and jobs are
// Errand's, and a method that HTTP does not define is "other".
type metrics struct {
	registry       *prometheus.Registry
	requests       *prometheus.CounterVec
	requestSeconds *prometheus.HistogramVec
	toolCalls      *prometheus.CounterVec
	jobRuns        *prometheus.CounterVec
	jobSeconds     *prometheus.CounterVec

	droppedDays, droppedEvents prometheus.Counter

	attempts       *prometheus.CounterVec
	attemptSeconds *prometheus.HistogramVec
	pending        prometheus.Gauge
	signIns        *prometheus.CounterVec
}

// observeClock adds a metric: how far the server's clock is ahead of Postgres'.
func (m *metrics) observeClock(c *clock) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "errand_clock_ahead_seconds",
		Help: "How far this server's clock is ahead of Postgres', measured at the start, hourly, and when it was set.",
	}, func() float64 { return c.ahead().Seconds() }))
}

func newMetrics(version string) *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	factory := promauto.With(registry)
	factory.NewGaugeVec(prometheus.GaugeOpts{
		Name: "errand_build_info", Help: "1, with the version of Errand and of Go.",
	}, []string{"version", "goversion"}).WithLabelValues(version, runtime.Version()).Set(1)
	return &metrics{
		registry: registry,
		requests: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "errand_http_requests_total", Help: "HTTP requests but those of ingest, by the route's pattern and status.",
		}, []string{"method", "route", "code"}),
		requestSeconds: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "errand_http_request_duration_seconds", Help: "Time from a request's header to its answer, without those of ingest.",
			Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5},
		}, []string{"method", "route"}),
		toolCalls: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "errand_mcp_calls_total", Help: "Calls of MCP tools; the outcome is ok or the code of the error.",
		}, []string{"tool", "outcome"}),
		jobRuns: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "errand_job_runs_total", Help: "Runs of background jobs; the outcome is ok or failed.",
		}, []string{"job", "outcome"}),
		droppedDays: factory.NewCounter(prometheus.CounterOpts{
			Name: "errand_retention_dropped_days_total", Help: "Days of stored events that were deleted as older than RETENTION_DAYS.",
		}),
		droppedEvents: factory.NewCounter(prometheus.CounterOpts{
			Name: "errand_retention_dropped_events_total", Help: "Stored events that were deleted as older than RETENTION_DAYS.",
		}),
		jobSeconds: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "errand_job_run_seconds_total", Help: "Time that background jobs took.",
		}, []string{"job"}),
		attempts: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "errand_delivery_attempts_total",
			Help: "Attempts at deliveries of webhooks; the outcome is delivered, failed (it is tried again) or given_up.",
		}, []string{"format", "outcome"}),
		attemptSeconds: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "errand_delivery_attempt_duration_seconds", Help: "Time that receivers of webhooks took.",
			Buckets: []float64{.005, .01, .05, .1, .5, 1, 5, 10},
		}, []string{"format"}),
		signIns: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "errand_sign_ins_total", Help: "Attempts to sign in with a password; the outcome is ok, refused or limit.",
		}, []string{"outcome"}),
		pending: factory.NewGauge(prometheus.GaugeOpts{
			Name: "errand_deliveries_pending", Help: "Deliveries of all servers that are not sent yet or are tried again, up to 100,000.",
		}),
	}
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// countRequest counts a request of the API (api.Options.Observe).
func (m *metrics) countRequest(method, route string, status int, took time.Duration) {
	if !slices.Contains(methods, method) {
		method = "other"
	}
	route = cmp.Or(route, "none")
	m.requests.WithLabelValues(method, route, strconv.Itoa(cmp.Or(status, http.StatusOK))).Inc()
	m.requestSeconds.WithLabelValues(method, route).Observe(took.Seconds())
}

// countCall counts a call of a tool (mcp.Options.Observe).
func (m *metrics) countCall(tool, outcome string) { m.toolCalls.WithLabelValues(tool, outcome).Inc() }

// countRun counts the run of a job (jobs.Options.Observe).
func (m *metrics) countRun(job string, took time.Duration, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	m.jobRuns.WithLabelValues(job, outcome).Inc()
	m.jobSeconds.WithLabelValues(job).Add(took.Seconds())
}

// countAttempt counts an attempt at a delivery (sending.Observer).
func (m *metrics) countAttempt(format core.WebhookFormat, outcome string, took time.Duration) {
	m.attempts.WithLabelValues(string(format), outcome).Inc()
	m.attemptSeconds.WithLabelValues(string(format)).Observe(took.Seconds())
}

// countSignIn counts an attempt to sign in (accounts.Options.Observe).
func (m *metrics) countSignIn(outcome string) { m.signIns.WithLabelValues(outcome).Inc() }

// setPending records the number of pending deliveries (sending.Observer).
func (m *metrics) setPending(n int64) { m.pending.Set(float64(n)) }

// countDroppedDay counts a day of stored events that the retention deleted (jobs.Options.ObserveDropped).
func (m *metrics) countDroppedDay(events int64) {
	m.droppedDays.Inc()
	m.droppedEvents.Add(float64(events))
}

// pools collects the state of the pools of connections at each scrape.
type pools struct {
	stat func() map[string]*pgxpool.Stat
}

var (
	poolConnections = prometheus.NewDesc("errand_db_pool_connections", "Connections of a pool by state.", []string{"pool", "state"}, nil)
	poolLimit       = prometheus.NewDesc("errand_db_pool_connections_limit", "Connections that a pool may have.", []string{"pool"}, nil)
	poolAcquires    = prometheus.NewDesc("errand_db_pool_acquires_total", "How often a connection was taken.", []string{"pool"}, nil)
	poolWaits       = prometheus.NewDesc("errand_db_pool_waits_total", "How often none was free.", []string{"pool"}, nil)
	poolWaited      = prometheus.NewDesc("errand_db_pool_wait_seconds_total", "Time until a connection was free.", []string{"pool"}, nil)
)

// Describe implements prometheus.Collector.
func (pools) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolConnections, poolLimit, poolAcquires, poolWaits, poolWaited} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (p pools) Collect(out chan<- prometheus.Metric) {
	for name, stat := range p.stat() {
		for state, n := range map[string]int32{"idle": stat.IdleConns(), "used": stat.AcquiredConns(), "connecting": stat.ConstructingConns()} {
			out <- prometheus.MustNewConstMetric(poolConnections, prometheus.GaugeValue, float64(n), name, state)
		}
		out <- prometheus.MustNewConstMetric(poolLimit, prometheus.GaugeValue, float64(stat.MaxConns()), name)
		out <- prometheus.MustNewConstMetric(poolAcquires, prometheus.CounterValue, float64(stat.AcquireCount()), name)
		out <- prometheus.MustNewConstMetric(poolWaits, prometheus.CounterValue, float64(stat.EmptyAcquireCount()), name)
		out <- prometheus.MustNewConstMetric(poolWaited, prometheus.CounterValue, stat.EmptyAcquireWaitTime().Seconds(), name)
	}
}
