package ingest_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func eventIDOf(n int) string { return fmt.Sprintf("%032x", n) }

func TestSeveralEventsInOneEnvelope(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	a := s.postEvents(eventItem(1), itemOf("attachment", "abc"), eventItem(2), eventItem(3), eventItem(2))

	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Equal(t, object{"id": eventIDOf(1)}, a.body)
	require.EqualValues(t, 3, s.eventsCounted(), "one of them stood twice")
}

func TestEventIDOfTheEnvelopeWins(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	header := `{"event_id":"0000000000000000000000000000000A"}`
	a := s.postBody(envelopes, envelopeOf(header, itemOf("attachment", "x"), eventItem(1), eventItem(2)), byKey)
	require.Equal(t, object{"id": eventIDOf(10)}, a.body)
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM events WHERE event_id = $1`, eventIDOf(10)))
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM events WHERE event_id = $1`, eventIDOf(2)), "it is the id of one event")

	a = s.postEvents(itemOf("event", `{"message":"no id"}`))
	require.Regexp(t, `^{"id":"[0-9a-f]{32}"}$`, a.text)
}

func TestItemsThatAreNoEvents(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, kind := range []string{
		"client_report", "user_report", "feedback", "session", "sessions", "transaction", "attachment", "profile", "profile_chunk",
		"replay_event", "replay_recording", "replay_video", "check_in", "span", "log", "metric", "trace_metric", "statsd",
		"metric_buckets", "metric_meta", "raw_security", "what nobody knows",
	} {
		t.Run(kind, func(t *testing.T) {
			a := s.postBody(envelopes, envelopeOf(`{"event_id":"`+eventIDOf(1)+`"}`, itemOf(kind, `{"a":1}`)), byKey)
			require.Equal(t, http.StatusOK, a.status, a.text)
			require.Equal(t, "{}", a.text)
			require.Empty(t, a.header.Get("X-Sentry-Error"))
		})
	}

	require.Equal(t, "{}", s.postBody(envelopes, []byte("{}"), byKey).text, "an envelope may be empty")
	require.Zero(t, s.eventsCounted())
}

func TestMalformedItemsDoNotBreakTheirNeighbours(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	a := s.postEvents(itemOf("event", `{"message":`), eventItem(1), itemOf("event", `[]`), "not a header\n", eventItem(2),
		`{"type":"event","length":99999}`+"\n{}")
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Equal(t, object{"id": eventIDOf(1)}, a.body)
	require.EqualValues(t, 2, s.eventsCounted())
	problems := a.header.Get("X-Sentry-Error")
	for _, problem := range []string{"event: not valid JSON: ", "event: the event is not a JSON object", "items.3: ",
		"items.5: the item's length of 99999 is beyond the end"} {
		require.Contains(t, problems, problem)
	}

	a = s.postEvents(itemOf("event", `{"message":`), itemOf("session", "{}"))
	require.Equal(t, http.StatusOK, a.status, "something in it was good")
	require.Equal(t, "{}", a.text)
	require.Contains(t, a.header.Get("X-Sentry-Error"), "not valid JSON")
}

func TestMalformedEnvelopes(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for name, c := range map[string]struct{ body, detail string }{
		"empty":                  {"", "the envelope has no header line"},
		"no object":              {"[]\n", "the envelope's header is not a JSON object"},
		"broken":                 {`{"a":` + "\n", "the envelope's header is not valid JSON: "},
		"an event, no envelope":  {"{\n\"message\": 1}", "the envelope's header is not valid JSON: "},
		"only a malformed event": {"{}\n" + itemOf("event", "[]"), "event: the event is not a JSON object"},
		"only a wrong length": {"{}\n{\"type\":\"event\",\"length\":1000}\n{}",
			"items.0: the item's length of 1000 is beyond the end of the envelope"},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.postBody(envelopes, []byte(c.body), byKey)
			require.Equal(t, http.StatusBadRequest, a.status, a.text)
			require.Equal(t, "invalid_request", a.body["error"])
			require.Contains(t, a.body["detail"], c.detail)
			require.NotContains(t, a.body, "causes")
			require.Contains(t, a.header.Get("X-Sentry-Error"), c.detail)
		})
	}

	a := s.postEvents(itemOf("event", "[]"), itemOf("event", "{"), itemOf("event", "1"))

	require.Equal(t, http.StatusBadRequest, a.status)
	require.Equal(t, "event: the event is not a JSON object", a.body["detail"])
	require.Len(t, a.body["causes"], 2)
	require.Zero(t, s.eventsCounted())
}

func TestErrorHeaderIsFitForAHeader(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var items []string
	for range 60 {
		items = append(items, itemOf("event", "[\"\r\nX-Evil: 1 é\"]"), "\x01é\n")
	}

	a := s.postEvents(append(items, eventItem(1))...)

	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Empty(t, a.header.Get("X-Evil"))
	require.LessOrEqual(t, len(a.header.Get("X-Sentry-Error")), 500)
}

func TestStoreTakesOneEvent(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	body := fmt.Sprintf(`{"event_id":%q,"message":"boom","timestamp":%q}`,
		eventIDOf(7), time.Now().Add(-time.Hour).UTC().Format(time.RFC3339))

	a := s.postBody(events, []byte(body),
		"X-Sentry-Auth: Sentry sentry_key="+shopKey+", sentry_client=raven-python/6.10")
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Equal(t, object{"id": eventIDOf(7)}, a.body)
	e := s.onlyEvent()
	require.Equal(t, core.SDK{Name: "raven-python", Version: "6.10"}, e.SDK, "the credentials name the SDK where the event does not")
	require.WithinDuration(t, time.Now().Add(-time.Hour), e.Timestamp.Time, time.Minute)
}

func TestPeerAddress(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"envelope": envelopes, "store": events, "native": native} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			text := `{"message":"boom","user":{"ip_address":"{{auto}}"}}`
			if path == envelopes {
				text = string(envelopeOf("{}", itemOf("event", text)))
			}

			a := s.postBody(path, []byte(text), byKey, nativeByKey, "X-Forwarded-For: 203.0.113.9", "X-Real-IP: 203.0.113.9",
				"Forwarded: for=203.0.113.9")

			require.Equal(t, http.StatusOK, a.status, a.text)
			require.Equal(t, "127.0.0.1", s.onlyEvent().User.Get("ip_address").Text, "headers can be invented: the connection cannot")
			require.EqualValues(t, 1, s.queryNumber(`SELECT users_affected FROM issues`))
		})
	}
}

// panicking is a source of randomness that panics: events without an id read from it in the middle of the pipeline.
type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("the source of randomness is gone") }

// failing is a source of randomness that fails.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the source of randomness is dry") }

func TestPanicIsOfOneEventOnly(t *testing.T) {
	t.Parallel()
	s := startServerWith(t, config{random: panicking{}})
	withoutID := itemOf("event", `{"message":"boom"}`)
	for path, body := range map[string]string{
		envelopes: string(envelopeOf("{}", withoutID)), events: `{"message":"boom"}`, native: `{"message":"boom"}`,
	} {
		a := s.postBody(path, []byte(body), byKey, nativeByKey)
		require.Equal(t, http.StatusInternalServerError, a.status, a.text)
		require.Equal(t, "internal", a.body["error"])
		require.Equal(t, "the-request", a.body["request_id"])
		require.NotContains(t, a.text, "randomness")
	}
	require.Equal(t, 3, strings.Count(s.log.String(), `"request_id":"the-request","error":"panic: the source of randomness is gone`))

	a := s.postEvents(withoutID, eventItem(1), withoutID)
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Equal(t, object{"id": eventIDOf(1)}, a.body)
	require.Contains(t, a.header.Get("X-Sentry-Error"), "Something went wrong inside")
	require.NotContains(t, a.header.Get("X-Sentry-Error"), "randomness")
	require.EqualValues(t, 1, s.eventsCounted())
	require.Equal(t, 4, strings.Count(s.log.String(), `"level":"ERROR"`), "each failed request is one line")
}

func TestFailureInThePipeline(t *testing.T) {
	t.Parallel()
	s := startServerWith(t, config{random: failing{}})
	a := s.postBody(native, []byte(`{"message":"boom"}`), nativeByKey)

	require.Equal(t, http.StatusInternalServerError, a.status)
	require.Equal(t, object{"error": "internal", "request_id": "the-request"}, a.body)
	require.Contains(t, s.log.String(), "the source of randomness is dry")
}

// TestSDKBodies sends bodies of real SDKs unchanged.
func TestSDKBodies(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for n, c := range []struct{ platform, encoding, header string }{
		{"node", "", ""}, {"browser", "", "Content-Type: text/plain;charset=UTF-8"}, {"go", "", byKey}, {"python", "gzip", byKey},
		{"python", "br", byKey}, {"java", "gzip", byKey}, {"php", "gzip", byKey},
	} {
		t.Run(c.platform+" "+c.encoding, func(t *testing.T) {
			payload, err := os.ReadFile("../envelope/testdata/" + c.platform + ".json")
			require.NoError(t, err)
			body := envelopeOf(`{"event_id":"`+eventIDOf(n)+`"}`, itemOf("event", string(payload)))
			headers := nonEmpty(c.header)
			if c.encoding != "" {
				body = packText(t, c.encoding, bytes.NewBuffer(body))
				headers = append(headers, "Content-Encoding: "+c.encoding)
			}

			a := s.postBody(envelopes+"?sentry_version=7&sentry_key="+shopKey, body, headers...)

			require.Equal(t, http.StatusOK, a.status, a.text)
			require.Equal(t, object{"id": eventIDOf(n)}, a.body)
		})
	}

	require.EqualValues(t, 7, s.eventsCounted())
}

// TestTagOfATestEventIsATag holds that no client can mark its issues as those of a setup, which lists leave out.
func TestTagOfATestEventIsATag(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.postBody(native, []byte(`{"message":"native","tags":{"service.test":"true"}}`), "X-Service-Key: "+shopKey)

	s.postEvents(itemOf("event", `{"message":"of an SDK","tags":{"service.test":"true"}}`),
		itemOf("event", `{"message":"pairs","tags":[["service.test","true"]]}`))

	require.EqualValues(t, 3, s.queryNumber(`SELECT count(*) FROM issues WHERE NOT test`))
	require.Zero(t, s.queryNumber(`SELECT count(*) FROM issues WHERE test`))
}
