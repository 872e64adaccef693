package ingest

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/envelope"
	"errand/scrub"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

var benchCases = []struct{ platform, encoding string }{{"node", ""}, {"python", ""}, {"python", "gzip"}, {"python", "br"}, {"go", ""}}

// BenchmarkTake measures the cost of a request without its connection and the database: body, decompression, pipeline. The
// project has sent events before: its issues are known, and it has a dictionary.
func BenchmarkTake(b *testing.B) {
	t := newTaker(b)
	for _, c := range benchCases {
		for n := range 5 { // a dictionary is trained on at most this many events of an issue
			event := t.takeBody(b, benchBody(b, c.platform, c.encoding), c.encoding)[0].event
			event.EventID[0] = byte(n)
			_, err := t.store.Intake.AddEvents(b.Context(), []intake.NewEvent{event})
			require.NoError(b, err)
		}
	}
	require.NoError(b, t.store.Intake.TrainDictionary(b.Context(), t.project.ID))
	entries := t.takeBody(b, benchBody(b, "node", ""), "")
	require.NotZero(b, entries[0].event.Payload.Dictionary)
	require.Empty(b, entries[0].event.Features)
	t.runCases(b)
}

// BenchmarkTakeNew is BenchmarkTake for issues that may be new: it extracts their features, without a dictionary.
func BenchmarkTakeNew(b *testing.B) { newTaker(b).runCases(b) }

// taker is an ingest with a project.
type taker struct {
	*Ingest
	project *knownProject
}

func newTaker(t testing.TB) taker {
	db := storetest.New(t)
	_, err := db.CreateProject(t.Context(), core.NewBootstrapActor(), store.NewProject{ID: 1, Name: "App", PublicKey: "key"})
	require.NoError(t, err)
	i := New(Options{Store: db, Clock: time.Now, Random: rand.Reader, InstallKey: []byte("install"), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(i.Close)
	return taker{i, &knownProject{IntakeProject: store.IntakeProject{ID: 1}, rules: scrub.DefaultRules()}}
}

func (t taker) runCases(b *testing.B) {
	for _, c := range benchCases {
		b.Run(c.platform+" "+c.encoding, func(b *testing.B) {
			body := benchBody(b, c.platform, c.encoding)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				t.takeBody(b, body, c.encoding)
			}
		})
	}
}

func (t taker) takeBody(b *testing.B, body []byte, encoding string) []pendingEvent {
	received := &http.Request{
		Header: http.Header{"Content-Encoding": {encoding}}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
	r := &httpRequest{
		Request: received, w: httptest.NewRecorder(), receivedAt: core.At(time.Now()), speaksSentry: true,
		small: t.smallMemory.newReservation(sharedByAll), large: t.largeMemory.newReservation(ofUnknownSenders),
	}
	defer r.releaseAll()
	r.project = t.project
	require.NoError(b, t.readBody(r))
	events, err := t.takeItems(r, t.project, envelope.SplitEnvelope)
	if err != nil || len(events) != 1 {
		b.Fatal(events, err)
	}
	return events
}

func benchBody(b *testing.B, platform, encoding string) []byte {
	text, err := os.ReadFile("../envelope/testdata/" + platform + ".json")
	require.NoError(b, err)
	var payload, body bytes.Buffer
	require.NoError(b, json.Compact(&payload, text)) // as it is on the wire
	fmt.Fprintf(&body, "{}\n{\"type\":\"event\",\"length\":%d}\n%s\n", payload.Len(), payload.Bytes())
	var packed bytes.Buffer
	switch encoding {
	case "gzip":
		w := gzip.NewWriter(&packed)
		_, _ = body.WriteTo(w)
		require.NoError(b, w.Close())
	case "br":
		w := brotli.NewWriterLevel(&packed, 4)
		_, _ = body.WriteTo(w)
		require.NoError(b, w.Close())
	default:
		return body.Bytes()
	}
	return packed.Bytes()
}
