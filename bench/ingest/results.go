package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/bench"
	"errand/envelope"
	"errand/grouping"
	"errand/scrub"
	"errand/store/intake"
)

// results collects the rounds.
type results struct {
	rounds   map[string][]measurement
	copies   []float64 // rows a second
	pipeline float64   // microseconds an event
	packed   float64   // bytes an event
	decoding float64   // microseconds an event, of encoding/json alone
	sizes    []string
	samples  [][]byte // payloads, one of each template
}

func newResults(templates []template) *results {
	r := &results{rounds: map[string][]measurement{}}
	for _, t := range templates {
		r.sizes = append(r.sizes, fmt.Sprintf("%s %.1f KB", t.platform, float64(len(t.text))/1024))
		r.samples = append(r.samples, t.text)
	}
	return r
}

// bytes is how large a body is on average.
func (r *results) bytes() float64 {
	n := 0
	for _, sample := range r.samples {
		n += len(sample)
	}
	return float64(n) / float64(len(r.samples))
}

func (r *results) add(name string, m measurement) { r.rounds[name] = append(r.rounds[name], m) }

// measurePipeline runs what a server does with an event between reading and storing it, in this process on one core.
func (r *results) measurePipeline() (err error) {
	rules, now := scrub.Default(), time.Now()
	var decoder envelope.Decoder
	events, bytes := 0, 0
	r.pipeline, err = r.perEvent(func(sample []byte) error {
		e, err := decoder.Decode(sample, envelope.Hints{ReceivedAt: now})
		if err != nil {
			return err
		}
		rules.Event(e)
		_ = grouping.Of(e)
		_, _ = grouping.Title(e), grouping.Culprit(e)
		envelope.Limit(e)
		events, bytes = events+1, bytes+len(intake.Pack(e.AppendJSON(nil)).Bytes)
		return nil
	})
	r.packed = float64(bytes) / float64(events)
	return err
}

// measureDecoding decodes the same bodies with the standard library into maps: how fast this machine is today.
func (r *results) measureDecoding() (err error) {
	r.decoding, err = r.perEvent(func(sample []byte) error {
		var event map[string]any
		return json.Unmarshal(sample, &event)
	})
	return err
}

// perEvent gives the microseconds that work takes for a sample on average, over many passes.
func (r *results) perEvent(work func(sample []byte) error) (float64, error) {
	const passes = 3000
	start := time.Now()
	for range passes {
		for _, sample := range r.samples {
			if err := work(sample); err != nil {
				return 0, err
			}
		}
	}
	return float64(time.Since(start).Microseconds()) / float64(passes*len(r.samples)), nil
}

// measureCopy copies rows like those of the events into a table like theirs: what Postgres alone can do.
func (r *results) measureCopy(ctx context.Context, s *server) error {
	const rows, batch = 60_000, 500
	if _, err := s.DB.Exec(ctx, `CREATE TABLE bench_copy (LIKE events INCLUDING INDEXES)`); err != nil {
		return err
	}
	defer func() { _, _ = s.DB.Exec(ctx, `DROP TABLE bench_copy`) }()
	payloads := make([][]byte, len(r.samples))
	for i, sample := range r.samples {
		e, err := new(envelope.Decoder).Decode(sample, envelope.Hints{ReceivedAt: time.Now()})
		if err != nil {
			return err
		}
		payloads[i] = intake.Pack(e.AppendJSON(nil)).Bytes
	}
	columns := []string{"project_id", "issue_id", "id", "received_at", "occurred_at", "event_id", "level", "release", "environment", "dictionary", "payload"}
	start := time.Now()
	for first := 0; first < rows; first += batch {
		_, err := s.DB.CopyFrom(ctx, pgx.Identifier{"bench_copy"}, columns, pgx.CopyFromSlice(batch, func(i int) ([]any, error) {
			n := int64(first + i)
			id := sha256.Sum256(fmt.Append(nil, n))
			return []any{int64(1), n % 50_000, n, time.Now(), time.Now(), [16]byte(id[:16]), "error", "shop@1.4.0", "production", int64(0), payloads[int(n)%len(payloads)]}, nil
		}))
		if err != nil {
			return err
		}
	}
	r.copies = append(r.copies, rows/time.Since(start).Seconds())
	return nil
}

func (r *results) print(w io.Writer) {
	copies := bench.Median(r.copies)
	fmt.Fprintf(w, "# Taking events in\n\nMade by `make bench-ingest` on %s. Medians of %d rounds; load, server and Postgres share the\nmachine; fsync on; default scrub rules on; each event is answered after its commit.\n\n", bench.Machine(), len(r.copies))
	fmt.Fprintf(w, "Bodies: %s; python, java and php gzip.\n\n", strings.Join(r.sizes, ", "))
	fmt.Fprintf(w, "- Decode, scrub, group, limit and pack alone: %.0f us an event on one core; %.0f bytes packed.\n", r.pipeline, r.packed)
	fmt.Fprintf(w, "- encoding/json.Unmarshal of the same bodies into maps: %.0f us an event, %.0f MB/s.\n", r.decoding, r.bytes()/r.decoding)
	fmt.Fprintf(w, "- Yardstick, raw COPY of such rows with all indexes, batches of 500: %.0f rows/s.\n\n", copies)
	fmt.Fprintln(w, "| scenario | ev/s | of COPY | p50 ms | p99 ms | server us/ev | Postgres us/ev | load us/ev | disk B/ev | WAL B/ev | peak RSS MB |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|")
	for _, sc := range scenarios {
		get := func(field func(measurement) float64) float64 {
			var list []float64
			for _, m := range r.rounds[sc.name] {
				list = append(list, field(m))
			}
			return bench.Median(list)
		}
		rate := get(func(m measurement) float64 { return m.rate })
		fmt.Fprintf(w, "| %s | %.0f | %.2f | %.2f | %.2f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", sc.name, rate, rate/copies,
			get(func(m measurement) float64 { return m.p50 }), get(func(m measurement) float64 { return m.p99 }),
			get(func(m measurement) float64 { return m.serverCPU }), get(func(m measurement) float64 { return m.postgresCPU }), get(func(m measurement) float64 { return m.loadCPU }),
			get(func(m measurement) float64 { return m.disk }), get(func(m measurement) float64 { return m.wal }),
			get(func(m measurement) float64 { return m.rss }))
	}
}
