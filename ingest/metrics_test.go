package ingest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/ingest"
)

// metricValue returns the value of a series, written name{label}. For a histogram it is the number of observations.
func (s *server) metricValue(series string) float64 {
	s.t.Helper()
	families, err := s.metrics.Gather()
	require.NoError(s.t, err)
	name, label, _ := strings.Cut(strings.TrimSuffix(series, "}"), "{")
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			labels := make([]string, len(m.GetLabel()))
			for i, l := range m.GetLabel() {
				labels[i] = l.GetValue()
			}
			if slices.Sort(labels); strings.Join(labels, ",") == label {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	require.Fail(s.t, "no such series", series)
	return 0
}

// requireMetrics fails unless the series have exactly these values, and all other series of their metrics are 0.
func (s *server) requireMetrics(metric string, want map[string]float64) {
	s.t.Helper()
	families, err := s.metrics.Gather()
	require.NoError(s.t, err)
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			labels := make([]string, len(m.GetLabel()))
			for i, l := range m.GetLabel() {
				labels[i] = l.GetValue()
			}
			if n := m.GetCounter().GetValue(); family.GetName() == metric && n != 0 {
				got[strings.Join(labels, ",")] = n
			}
		}
	}
	require.Equal(s.t, want, got, metric)
}

const (
	countedEvents  = "errand_ingest_events_total"
	countedItems   = "errand_ingest_items_total"
	countedAnswers = "errand_ingest_answers_total"
)

func TestEventsAreCountedByOutcome(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.postEvents(eventItem(1), eventItem(2))
	s.postEvents(eventItem(2), itemOf("event", `{"level"`), eventItem(3))
	s.postBody(native, []byte(eventText(4)), nativeByKey)
	s.postBody(native, []byte(`{"massage":"boom"}`), nativeByKey)
	s.postBody(native, []byte(strings.Repeat(" ", ingest.MaxNative+1)), nativeByKey)
	s.postBody(events, []byte(eventText(5)), byKey)
	s.postBody(events, []byte(`{`), byKey)
	s.requireMetrics(countedEvents, map[string]float64{"stored": 5, "duplicate": 1, "invalid": 4})
	s.requireMetrics(countedItems, map[string]float64{"event": 5})
	s.requireMetrics(countedAnswers, map[string]float64{
		"200,envelope": 2, "200,native": 1, "400,native": 1, "413,native": 1, "200,store": 1, "400,store": 1,
	})

	s.execSQL(`UPDATE projects SET daily_quota = 6 WHERE id = $1`, shop)
	other := startServerWith(t, config{database: s.database}) // it has not cached the project
	other.postEvents(eventItem(6), eventItem(7), eventItem(8))
	other.postEvents(eventItem(9), itemOf("session", "{}"))
	other.postBody(native, []byte(eventText(10)), nativeByKey)
	other.requireMetrics(countedEvents, map[string]float64{"stored": 1, "over_quota": 4})
	other.requireMetrics(countedAnswers, map[string]float64{"200,envelope": 1, "429,envelope": 1, "429,native": 1})
}

func TestItemsAreCountedByTypesThatAreOurs(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	hostile := []string{"novelty", "session\nx", `{`, strings.Repeat("long", 100), "événement", shopKey}
	items := []string{itemOf("session", "{}"), itemOf("transaction", "{}"), itemOf("client_report", "{}"), itemOf("session", "{}")}

	for _, kind := range hostile {
		items = append(items, fmt.Sprintf("{\"type\":%q,\"length\":2}\n{}", kind))
	}

	require.Equal(t, http.StatusOK, s.postEvents(items...).status)
	s.requireMetrics(countedItems, map[string]float64{"session": 2, "transaction": 1, "client_report": 1, "unknown": float64(len(hostile))})
	s.requireMetrics(countedEvents, map[string]float64{})
}

func TestAnswersAreCountedByEndpoint(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.postBody("/api/1/nothing/", nil)
	s.postBody(native, []byte(eventText(1)), "X-Service-Key: wrong")
	s.sendRequest(http.MethodGet, envelopes, nil)

	s.sendRequest(http.MethodOptions, envelopes, nil)

	s.requireMetrics(countedAnswers, map[string]float64{"404,none": 1, "401,native": 1, "405,envelope": 1, "204,preflight": 1})
	require.EqualValues(t, 1, s.metricValue("errand_ingest_answer_duration_seconds{native}"))
	s.requireMetrics(countedEvents, map[string]float64{})
}

func TestEventThatCannotBeStoredIsCounted(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.execSQL(`ALTER TABLE events ADD CONSTRAINT no_poison CHECK (release <> 'poison')`)
	defer s.execSQL(`ALTER TABLE events DROP CONSTRAINT no_poison`) // the database is used by later tests

	s.postEvents(itemOf("event", `{"message":"boom","release":"poison"}`))

	s.requireMetrics(countedEvents, map[string]float64{"failed": 1})
	s.requireMetrics(countedAnswers, map[string]float64{"500,envelope": 1})
}

// TestLoadAndOutages reads the load metrics while commits are held up, and the traces of an outage.
func TestLoadAndOutages(t *testing.T) {
	t.Parallel()
	s := startServerWith(t, config{before: func(i *ingest.Ingest) { i.HoldAtMost(2 * time.Second) }})
	body := []byte(eventText(1))
	require.Equal(t, http.StatusOK, s.postBody(native, body, nativeByKey).status)
	require.EqualValues(t, len(body), s.metricValue("errand_ingest_received_bytes_total"))
	require.EqualValues(t, 1, s.metricValue("errand_ingest_commit_events"))
	require.EqualValues(t, 1, s.metricValue("errand_ingest_commit_duration_seconds"))
	for _, series := range []string{"errand_ingest_waiting_events", "errand_ingest_held_bytes", "errand_ingest_waiting_requests",
		"errand_ingest_database_away"} {
		require.Zero(t, s.metricValue(series), series)
	}
	require.EqualValues(t, ingest.MaxHeld, s.metricValue("errand_ingest_held_limit_bytes"))

	comeBack := s.takeDatabaseAway(t)
	runTogether(2, func(n int) {
		a := s.postEvents(eventItem(2*n+2), eventItem(2*n+3))
		if a.status != http.StatusServiceUnavailable {
			t.Errorf("status %d: %s", a.status, a.text)
		}
	})
	s.requireMetrics(countedEvents, map[string]float64{"stored": 1, "unavailable": 4})
	require.EqualValues(t, 1, s.metricValue("errand_ingest_database_outages_total"), "it is one outage")
	require.EqualValues(t, 1, s.metricValue("errand_ingest_database_away"))
	comeBack()
	s.untilTaken(6)
	require.Zero(t, s.metricValue("errand_ingest_database_away"))
	require.EqualValues(t, 1, s.metricValue("errand_ingest_database_outages_total"))
	require.Equal(t, 1, strings.Count(s.log.String(), "the database is away"))
	require.Equal(t, 1, strings.Count(s.log.String(), "the database is back"))
}

func TestWhatWaitsIsShown(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	require.Equal(t, http.StatusOK, s.postEvents(eventItem(0)).status)

	unlock := s.lockEvents(t)
	answered := make(chan answer)
	go func() { answered <- s.postEvents(eventItem(1), eventItem(2)) }()
	s.untilBlocked(t)
	require.EqualValues(t, 2, s.metricValue("errand_ingest_waiting_events"))
	require.Positive(t, s.metricValue("errand_ingest_held_bytes"))

	unlock()
	require.Equal(t, http.StatusOK, (<-answered).status)
	require.Zero(t, s.metricValue("errand_ingest_waiting_events"))
}

// Not parallel: it counts the allocations of the process.
func TestCountingAllocatesNothing(t *testing.T) {
	count := startServer(t).CountingFunc()
	count()
	require.Zero(t, testing.AllocsPerRun(100, count))
}

// BenchmarkCounting measures the cost of the metrics and the sign of life for a request with one event.
func BenchmarkCounting(b *testing.B) {
	count := startServer(b).CountingFunc()
	for b.Loop() {
		count()
	}
}
