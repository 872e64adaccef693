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

// metrics counts the work of ingest. Every counter is looked up here once, so that counting an event is an addition and no label
// can come from the wire.
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

// countAnswer counts an answer. A status that is not among statuses counts as an internal error.
func (m endpointMetrics) countAnswer(status int, took time.Duration) {
	counter, isKnown := m.answers[status]
	if !isKnown {
		counter = m.answers[http.StatusInternalServerError]
	}
	counter.Inc()
	m.took.Observe(took.Seconds())
}

// The labels of the endpoints.
const (
	endpointNative    = "native"
	endpointNotices   = "notices"
	endpointEnvelope  = "envelope"
	endpointStore     = "store"
	endpointSecurity  = "security"
	endpointOTLP      = "otlp"
	endpointPreflight = "preflight" // of any endpoint
	endpointNone      = "none"      // not a path of ingest
)

// statuses are the statuses that ingest answers with.
var statuses = []int{
	http.StatusOK, http.StatusCreated, http.StatusNoContent, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
	http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
	http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// outcome is what became of an event.
type outcome int

const (
	eventStored outcome = iota
	eventCounted
	eventDuplicate
	eventOverQuota
	eventTooManyIssues
	eventInvalid
	eventUnavailable
	eventFailed
)

// outcomes are the labels of the outcomes.
var outcomes = [...]string{"stored", "counted", "duplicate", "over_quota", "too_many_issues", "invalid", "unavailable", "failed"}

// unknownItem is the label of all item types that are not in the protocol.
const unknownItem = "unknown"

var (
	secondsToAnswer = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	eventsOfCommit  = []float64{1, 2, 5, 10, 20, 50, 100, 200, maxBatch}
)

// newMetrics makes the metrics and registers them, unless the registerer is nil.
func newMetrics(registerer prometheus.Registerer) *metrics {
	factory := promauto.With(registerer)
	m := &metrics{endpoints: map[string]endpointMetrics{}, items: map[string]prometheus.Counter{}}
	answers := factory.NewCounterVec(prometheus.CounterOpts{
		Name: "errand_ingest_answers_total", Help: "Answers of ingest by endpoint and HTTP status.",
	}, []string{"endpoint", "code"})
	took := factory.NewHistogramVec(prometheus.HistogramOpts{
		Name: "errand_ingest_answer_duration_seconds",
		Help: "Time from a request's header to its answer, the commit included.", Buckets: secondsToAnswer,
	}, []string{"endpoint"})
	for _, endpoint := range []string{
		endpointNative, endpointNotices, endpointEnvelope, endpointStore, endpointSecurity, endpointOTLP, endpointPreflight, endpointNone,
	} {
		of := endpointMetrics{answers: map[int]prometheus.Counter{}, took: took.WithLabelValues(endpoint)}
		for _, status := range statuses {
			of.answers[status] = answers.WithLabelValues(endpoint, strconv.Itoa(status))
		}
		m.endpoints[endpoint] = of
	}
	events := factory.NewCounterVec(prometheus.CounterOpts{
		Name: "errand_ingest_events_total",
		Help: "Events by what became of them: stored, counted (beyond what their issue stores), duplicate, or refused.",
	}, []string{"outcome"})
	for o, label := range outcomes {
		m.events[o] = events.WithLabelValues(label)
	}
	items := factory.NewCounterVec(prometheus.CounterOpts{
		Name: "errand_ingest_items_total", Help: "Items of envelopes by type; all but events are dropped.",
	}, []string{"type"})
	for _, kind := range envelope.ItemTypes() {
		m.items[kind] = items.WithLabelValues(kind)
	}
	m.unknownItems = items.WithLabelValues(unknownItem)
	m.receivedBytes = factory.NewCounter(prometheus.CounterOpts{
		Name: "errand_ingest_received_bytes_total", Help: "Bytes of bodies as they were sent.",
	})
	m.eventsPerCommit = factory.NewHistogram(prometheus.HistogramOpts{
		Name: "errand_ingest_commit_events", Help: "Events of one commit.", Buckets: eventsOfCommit,
	})
	m.secondsPerCommit = factory.NewHistogram(prometheus.HistogramOpts{
		Name: "errand_ingest_commit_duration_seconds", Help: "Time of one commit.", Buckets: secondsToAnswer,
	})
	m.outages = factory.NewCounter(prometheus.CounterOpts{
		Name: "errand_ingest_database_outages_total", Help: "How often the database went away while events were to be committed.",
	})
	m.databaseAway = factory.NewGauge(prometheus.GaugeOpts{
		Name: "errand_ingest_database_away", Help: "1 while the last commit that was tried found no database.",
	})
	return m
}

// registerLoad adds the metrics that are measured at each scrape, such as the number of waiting events.
func (m *metrics) registerLoad(registerer prometheus.Registerer, i *Ingest) {
	factory := promauto.With(registerer)
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "errand_ingest_waiting_events", Help: "Events that wait for their commit.",
	}, func() float64 { return float64(i.writer.waitingEvents.Load()) })
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "errand_ingest_held_bytes", Help: "Memory that requests hold, of errand_ingest_held_limit_bytes.",
	}, func() float64 { reserved, _ := i.measureMemory(); return float64(reserved) })
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "errand_ingest_waiting_requests", Help: "Requests that wait for memory.",
	}, func() float64 { _, waiting := i.measureMemory(); return float64(waiting) })
	factory.NewGauge(prometheus.GaugeOpts{
		Name: "errand_ingest_held_limit_bytes", Help: "Memory that requests may hold together.",
	}).Set(maxSmall + maxLarge)
}

// measureMemory returns how many bytes requests have reserved, and how many requests wait for some.
func (i *Ingest) measureMemory() (reserved int64, waiting int) {
	for _, m := range []*memory{i.smallMemory, i.largeMemory} {
		r, w := m.measureLoad()
		reserved, waiting = reserved+r, waiting+w
	}
	return reserved, waiting
}

// countItems counts the items of an envelope. It returns how many are events, and whether any shows that the project is alive.
func (m *metrics) countItems(items []envelope.Item) (events int, isAlive bool) {
	for _, item := range items {
		if counter, isKnown := m.items[item.Type]; isKnown {
			counter.Inc()
		} else {
			m.unknownItems.Inc()
		}
		if item.Kind == envelope.Event {
			events++
		}
		isAlive = isAlive || item.Kind == envelope.Event || item.Kind == envelope.SignOfLife
	}
	return events, isAlive
}

// countExported counts the items of an OpenTelemetry export, under the names that the Sentry protocol has for them.
func (m *metrics) countExported(signal otlp.Signal, items int) {
	m.items[map[string]string{otlp.Traces.Name: "otel_span", otlp.Logs.Name: "otel_log"}[signal.Name]].Add(float64(items))
}

// countLost counts events that were refused before a commit was tried.
func (m *metrics) countLost(err error, events int) { m.events[outcomeOf(err)].Add(float64(events)) }

// countOutcomes counts the outcomes of a group's events.
func (m *metrics) countOutcomes(group []*waitingEvents) {
	var counts [len(outcomes)]int
	for _, waiting := range group {
		for k := range waiting.events {
			counts[waiting.events[k].findOutcome()]++
		}
	}
	for o, events := range counts {
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
	case core.TooManyIssues:
		return eventTooManyIssues
	case core.Unavailable:
		return eventUnavailable
	case core.InvalidRequest, core.PayloadTooLarge:
		return eventInvalid
	default:
		return eventFailed
	}
}
