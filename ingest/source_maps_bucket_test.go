package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/blob/blobtest"
)

// farServer is an S3 server behind a slow connection.
type farServer struct {
	*blobtest.Server
	store    blob.Store
	delay    atomic.Int64 // nanoseconds of each HTTP request
	requests atomic.Int64
}

// runFarServer starts an S3 server, and opens a store of a bucket on it.
func runFarServer(t testing.TB) *farServer {
	t.Helper()
	far := &farServer{Server: blobtest.RunServer(t)}
	to := &url.URL{Scheme: "http", Host: far.Addr}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // the signature covers it
	}}
	way := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		far.requests.Add(1)
		time.Sleep(time.Duration(far.delay.Load()))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(way.Close)
	var err error
	far.store, err = blob.OpenStore(far.URL(far.MakeBucket(t), strings.TrimPrefix(way.URL, "http://")), os.Getenv)
	require.NoError(t, err)
	return far
}

// makeLargeMap writes a map of one long line with this many segments, and this many sources of 20
// KB each.
func makeLargeMap(t testing.TB, segments, sources int) string {
	t.Helper()
	var mappings strings.Builder
	var last mapSegment
	random := rand.New(rand.NewPCG(1, 2))
	for i := range segments {
		s := mapSegment{i * 7, i * sources / segments, random.IntN(400), random.IntN(60), i * 20_000 / segments}
		if i > 0 {
			mappings.WriteByte(',')
		}
		for _, n := range []int{
			s.column - last.column, s.source - last.source, s.line - last.line, s.sourceColumn - last.sourceColumn, s.name - last.name,
		} {
			writeVLQ(&mappings, n)
		}
		last = s
	}
	var names, paths, contents []string
	for i := range 20_000 {
		names = append(names, fmt.Sprintf("name%dOfSomething", i))
	}
	for i := range sources {
		paths = append(paths, fmt.Sprintf("src/module%d/file%d.ts", i, i))
		var text strings.Builder
		for range 420 {
			fmt.Fprintf(&text, "  const value%d = compute(%d, %q);\n", random.IntN(1000), random.IntN(1e6), fmt.Sprint(random.IntN(1e9)))
		}
		contents = append(contents, text.String())
	}
	return encodeMap(t, object{"version": 3, "sources": paths, "sourcesContent": contents, "names": names, "mappings": mappings.String()})
}

// stackOfLarge is a crash whose frames stand anywhere in a map of makeLargeMap.
func stackOfLarge(random *rand.Rand, segments int) object {
	event := crash("1.0", "")
	var frames []object
	for range 5 {
		frames = append(frames, object{"function": "a", "abs_path": fileURL, "lineno": 1, "colno": 1 + random.IntN(segments*7), "in_app": true})
	}
	setFrames(event, frames...)
	return event
}

// A stack is mapped with few requests to the bucket, most of them concurrent.
func TestMapsOfABucketAreReadInFewRequests(t *testing.T) {
	t.Parallel()
	far := runFarServer(t)
	s := startMapServerWith(t, config{blobs: far.store})
	for name, test := range map[string]struct{ segments, sources, atMost int }{
		"a map of 2 MB, wholly":    {40_000, 60, 5},
		"a map of 8 MB, in pieces": {200_000, 300, 16},
	} {
		s.upload(shop, "1.0", "/assets/app-3f.js", makeLargeMap(t, test.segments, test.sources))
		s.ForgetMaps()
		event := stackOfLarge(rand.New(rand.NewPCG(1, 2)), test.segments)
		far.requests.Store(0)

		cold, coldRequests := s.send(event), far.requests.Swap(0)
		warm, warmRequests := s.send(event), far.requests.Load()

		require.NotNil(t, cold.Exceptions[0].Frames[0].Source, name)
		require.NotEmpty(t, cold.Exceptions[0].Frames[4].ContextLine, name)
		require.Equal(t, cold.Exceptions, warm.Exceptions, name)
		require.LessOrEqual(t, coldRequests, int64(test.atMost), name)
		require.Zero(t, warmRequests, name)
	}
}

// While the bucket is away events are stored, and marked as unmapped; when it is back they are
// mapped again.
func TestBucketThatGoesAway(t *testing.T) {
	t.Parallel()
	far := runFarServer(t)
	s := startMapServerWith(t, config{blobs: far.store})
	s.upload(shop, "1.0", "/assets/app-3f.js", makeMap(t, paySource, "", paySegments))
	far.Stop()

	away := s.send(crash("1.0", ""))
	require.NoError(t, far.Start())
	s.ForgetPages() // a failed map is tried again

	require.Nil(t, away.Exceptions[0].Frames[0].Source)
	require.Contains(t, away.FindMapProblem("exceptions", 0, 0), "the storage of source maps could not be read")
	require.NotNil(t, s.send(crash("1.0", "")).Exceptions[0].Frames[0].Source)
	require.NotContains(t, s.log.String(), blobtest.Secret)
}

// BenchmarkColdMapping measures the mapping of a stack over a slow bucket, with nothing cached.
func BenchmarkColdMapping(b *testing.B) {
	far := runFarServer(b)
	s := startMapServerWith(b, config{blobs: far.store})
	for _, size := range []struct{ segments, sources int }{{2_000, 5}, {40_000, 60}, {200_000, 300}, {1_000_000, 900}} {
		text := makeLargeMap(b, size.segments, size.sources)
		s.upload(shop, "1.0", "/assets/app-3f.js", text)
		s.ForgetMaps()
		for _, delay := range []time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond} {
			b.Run(fmt.Sprintf("map=%.1fMB/delay=%s", float64(len(text))/1e6, delay), func(b *testing.B) {
				random := rand.New(rand.NewPCG(1, 2))
				far.delay.Store(int64(delay))
				far.requests.Store(0)
				before := s.sumMapping()
				for b.Loop() {
					s.ForgetPages()
					require.NotNil(b, s.send(stackOfLarge(random, size.segments)).Exceptions[0].Frames[0].Source)
				}
				b.ReportMetric((s.sumMapping()-before)*1e3/float64(b.N), "ms/mapping")
				b.ReportMetric(float64(far.requests.Load())/float64(b.N), "requests/mapping")
				far.delay.Store(0)
			})
		}
	}
}

// sumMapping returns the seconds of all mappings.
func (s *server) sumMapping() (seconds float64) {
	s.t.Helper()
	families, err := s.metrics.Gather()
	require.NoError(s.t, err)
	for _, f := range families {
		if f.GetName() == "errand_ingest_source_map_duration_seconds" {
			seconds = f.GetMetric()[0].GetHistogram().GetSampleSum()
		}
	}
	return seconds
}
