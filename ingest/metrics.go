package ingest

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"errand/core"
	"errand/envelope"
	"errand/otlp"
)

// metrics counts what ingest does. Every counter is found here once, so that counting an event is an addition, and no
// label can come from the wire.
type metrics struct {
	endpoints        map[string]endpointMetrics
	events           [len(outcomes)]prometheus.Counter
	items            map[string]prometheus.Counter // by the types of the protocol
	unknownItems     prometheus.Counter
	receivedBytes    prometheus.Counter
	eventsPerCommit  prometheus.Observer
	secondsPerCommit prometheus.Observer
	outages          prometheus.Counter
	databaseAway     prometheus.Gauge
}

type endpointMetrics struct {
	answers map[int]prometheus.Counter // by status
	took    prometheus.Observer
}

// countAnswer counts an answer. A status that is not one of statuses counts as an internal error.
func (of endpointMetrics) countAnswer(status int, took time.Duration) {
	counter, known := of.answers[status]
	if !known {
		counter = of.answers[http.StatusInternalServerError]
	}
	counter.Inc()
	of.took.Observe(took.Seconds())
}

// The endpoints as they are counted.
const (
	endpointNative    = "native"
	endpointEnvelope  = "envelope"
	endpointStore     = "store"
	endpointSecurity  = "security"
	endpointOTLP      = "otlp"
	endpointPreflight = "preflight" // of any endpoint
	endpointNone      = "none"      // no path of ingest
)

// statuses are those that ingest answers with.
var statuses = []int{
	http.StatusOK, http.StatusNoContent, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
	http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// outcome is what became of an event.
type outcome int

const (
	eventStored outcome = iota
	eventCounted
	eventDuplicate
	eventOverQuota
	eventInvalid
	eventUnavailable
	eventFailed
)

// outcomes are the labels of each outcome.
var outcomes = [...]string{"stored", "counted", "duplicate", "over_quota", "invalid", "unavailable", "failed"}

// unknownItem is the label of all item types that the protocol does not have.
const unknownItem = "unknown"

var (
	secondsToAnswer = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	eventsOfCommit  = []float64{1, 2, 5, 10, 20, 50, 100, 200, maxBatch}
)

// newMetrics makes the metrics and registers them, unless the registerer is nil.
func newMetrics(r prometheus.Registerer) *metrics {
	make := promauto.With(r)
	m := &metrics{endpoints: map[string]endpointMetrics{}, items: map[string]prometheus.Counter{}}
	answers := make.NewCounterVec(prometheus.CounterOpts{
		Name: "errand_ingest_answers_total", Help: "Answers of ingest by endpoint and HTTP status.",
	}, []string{"endpoint", "code"})
	took := make.NewHistogramVec(prometheus.HistogramOpts{
		Name: "errand_ingest_answer_duration_seconds",
		Help: "Time from a request's header to its answer, the commit included.", Buckets: secondsToAnswer,
	}, []string{"endpoint"})
	for _, endpoint := range []string{
		endpointNative, endpointEnvelope, endpointStore, endpointSecurity, endpointOTLP, endpointPreflight, endpointNone,
	} {
		of := endpointMetrics{answers: map[int]prometheus.Counter{}, took: took.WithLabelValues(endpoint)}
		for _, status := range statuses {
			of.answers[status] = answers.WithLabelValues(endpoint, strconv.Itoa(status))
		}
		m.endpoints[endpoint] = of
	}
	events := make.NewCounterVec(prometheus.CounterOpts{
		Name: "errand_ingest_events_total",
		Help: "Events by what became of them: stored, counted (beyond what their issue stores), duplicate, or refused.",
	}, []string{"outcome"})
	for o, label := range outcomes {
		m.events[o] = events.WithLabelValues(label)
	}
	items := make.NewCounterVec(prometheus.CounterOpts{
		Name: "errand_ingest_items_total", Help: "Items of envelopes by type; all but events are dropped.",
	}, []string{"type"})
	for _, kind := range envelope.ItemTypes() {
		m.items[kind] = items.WithLabelValues(kind)
	}
	m.unknownItems = items.WithLabelValues(unknownItem)
	m.receivedBytes = make.NewCounter(prometheus.CounterOpts{
		Name: "errand_ingest_received_bytes_total", Help: "Bytes of bodies as they were sent.",
	})
	m.eventsPerCommit = make.NewHistogram(prometheus.HistogramOpts{
		Name: "errand_ingest_commit_events", Help: "Events of one commit.", Buckets: eventsOfCommit,
	})
	m.secondsPerCommit = make.NewHistogram(prometheus.HistogramOpts{
		Name: "errand_ingest_commit_duration_seconds", Help: "Time of one commit.", Buckets: secondsToAnswer,
	})
	m.outages = make.NewCounter(prometheus.CounterOpts{
		Name: "errand_ingest_database_outages_total", Help: "How often the database went away while events were to be committed.",
	})
	m.databaseAway = make.NewGauge(prometheus.GaugeOpts{
		Name: "errand_ingest_database_away", Help: "1 while the last commit that was tried found no database.",
	})
	return m
}

// registerLoad adds what stands in ingest at the moment of a scrape.
func (m *metrics) registerLoad(r prometheus.Registerer, i *Ingest) {
	make := promauto.With(r)
	make.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "errand_ingest_waiting_events", Help: "Events that wait for their commit.",
	}, func() float64 { return float64(i.writer.waitingEvents.Load()) })
	make.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "errand_ingest_held_bytes", Help: "Memory that requests hold, of errand_ingest_held_limit_bytes.",
	}, func() float64 { held, _ := i.measureMemory(); return float64(held) })
	make.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "errand_ingest_waiting_requests", Help: "Requests that wait for memory.",
	}, func() float64 { _, waiting := i.measureMemory(); return float64(waiting) })
	make.NewGauge(prometheus.GaugeOpts{
		Name: "errand_ingest_held_limit_bytes", Help: "Memory that requests may hold together.",
	}).Set(maxSmall + maxLarge)
}

// measureMemory gives the memory that requests hold, and how many wait for some.
func (i *Ingest) measureMemory() (held int64, waiting int) {
	for _, m := range []*memory{i.smallMemory, i.largeMemory} {
		h, w := m.measureLoad()
		held, waiting = held+h, waiting+w
	}
	return held, waiting
}

// countItems counts the items of an envelope. It tells how many are events, and whether any shows that the project lives.
func (m *metrics) countItems(items []envelope.Item) (events int, alive bool) {
	for _, item := range items {
		if counter, known := m.items[item.Type]; known {
			counter.Inc()
		} else {
			m.unknownItems.Inc()
		}
		if item.Kind == envelope.Event {
			events++
		}
		alive = alive || item.Kind == envelope.Event || item.Kind == envelope.SignOfLife
	}
	return events, alive
}

// countExported counts what OpenTelemetry exported, by the types that the protocol of Sentry has for it.
func (m *metrics) countExported(signal otlp.Signal, items int) {
	m.items[map[string]string{otlp.Traces.Name: "otel_span", otlp.Logs.Name: "otel_log"}[signal.Name]].Add(float64(items))
}

// countLost counts events that did not come to their commit.
func (m *metrics) countLost(err error, events int) { m.events[outcomeOf(err)].Add(float64(events)) }

// countOutcomes counts what became of the events of a request.
func (m *metrics) countOutcomes(group []*waitingEvents) {
	var n [len(outcomes)]int
	for _, item := range group {
		for k := range item.events {
			n[item.events[k].findOutcome()]++
		}
	}
	for o, events := range n {
		if events > 0 {
			m.events[o].Add(float64(events))
		}
	}
}

func (e *pendingEvent) findOutcome() outcome {
	switch {
	case e.err != nil:
		return outcomeOf(e.err)
	case e.added.Duplicate:
		return eventDuplicate
	case e.added.ID == 0:
		return eventCounted
	default:
		return eventStored
	}
}

func outcomeOf(err error) outcome {
	switch core.AsError(err).Code {
	case core.Quota:
		return eventOverQuota
	case core.Unavailable:
		return eventUnavailable
	case core.InvalidRequest, core.PayloadTooLarge:
		return eventInvalid
	default:
		return eventFailed
	}
}
