package ingest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
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
	"errand/scrub"
	"errand/store"
	"errand/store/storetest"
)

// BenchmarkTake measures what a request costs without its connection and the database: body, decompression, pipeline.
func BenchmarkTake(b *testing.B) {
	i := New(Options{Store: storetest.New(b), Clock: time.Now, Random: rand.Reader, InstallKey: []byte("install"), Log: slog.New(slog.DiscardHandler)})
	defer i.Close()
	p := &project{Intake: store.Intake{ID: 1}, rules: scrub.Default()}
	for _, c := range []struct{ platform, encoding string }{{"node", ""}, {"python", ""}, {"python", "gzip"}, {"python", "br"}, {"go", ""}} {
		b.Run(c.platform+" "+c.encoding, func(b *testing.B) {
			body := benchBody(b, c.platform, c.encoding)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/", bytes.NewReader(body))
				r.Header.Set("Content-Encoding", c.encoding)
				q := &request{Request: r, w: httptest.NewRecorder(), received: core.At(time.Now()), lease: i.memory.lease(), large: i.large.lease(), sentry: true}
				entries, err := i.takeEnvelope(q, p)
				require.NoError(b, err)
				require.Len(b, entries, 1)
				q.release()
			}
		})
	}
}

func benchBody(b *testing.B, platform, encoding string) []byte {
	payload, err := os.ReadFile("../envelope/testdata/" + platform + ".json")
	require.NoError(b, err)
	var body bytes.Buffer
	fmt.Fprintf(&body, "{}\n{\"type\":\"event\",\"length\":%d}\n%s\n", len(payload), payload)
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
