package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/bench"
	"errand/bench/load"
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

func newResults(templates []load.Template) *results {
	r := &results{rounds: map[string][]measurement{}}
	for _, t := range templates {
		r.sizes = append(r.sizes, fmt.Sprintf("%s %.1f KB", t.Platform, float64(len(t.Text))/1024))
		r.samples = append(r.samples, t.Text)
	}
	return r
}

// averageSize returns the average size of a body.
func (r *results) averageSize() float64 {
	n := 0
	for _, sample := range r.samples {
		n += len(sample)
	}
	return float64(n) / float64(len(r.samples))
}

func (r *results) addRound(name string, m measurement) { r.rounds[name] = append(r.rounds[name], m) }

// measurePipeline measures the server's work on an event between reading and storing it, in this process on one core.
func (r *results) measurePipeline() (err error) {
	rules, now := scrub.DefaultRules(), time.Now()
	var decoder envelope.Decoder
	events, packedBytes := 0, 0
	r.pipeline, err = r.timePerEvent(func(sample []byte) error {
		e, err := decoder.Decode(sample, envelope.Hints{ReceivedAt: now})
		if err != nil {
			return err
		}
		rules.ScrubEvent(e)
		_ = grouping.ComputeKey(e)
		_, _ = grouping.MakeTitle(e), grouping.FindCulprit(e)
		envelope.LimitEvent(e)
		events, packedBytes = events+1, packedBytes+len(intake.PackPlain(e.AppendJSON(nil)).Bytes)
		return nil
	})
	r.packed = float64(packedBytes) / float64(events)
	return err
}

// measureDecoding decodes the same bodies with the standard library into maps, as a measure of the machine's current speed.
func (r *results) measureDecoding() (err error) {
	r.decoding, err = r.timePerEvent(func(sample []byte) error {
		var event map[string]any
		return json.Unmarshal(sample, &event)
	})
	return err
}

// timePerEvent returns the average microseconds that work takes for a sample, over many passes.
func (r *results) timePerEvent(work func(sample []byte) error) (float64, error) {
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

// measureCopy copies rows like the events' rows into a similar table: the speed of Postgres alone.
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
		payloads[i] = intake.PackPlain(e.AppendJSON(nil)).Bytes
	}
	columns := []string{"project_id", "issue_id", "id", "received_at", "occurred_at", "event_id", "level", "release", "environment",
		"dictionary", "payload"}
	start := time.Now()
	for first := 0; first < rows; first += batch {
		_, err := s.DB.CopyFrom(ctx, pgx.Identifier{"bench_copy"}, columns, pgx.CopyFromSlice(batch, func(i int) ([]any, error) {
			n := int64(first + i)
			id := sha256.Sum256(fmt.Append(nil, n))
			return []any{int64(1), n % 50_000, n, time.Now(), time.Now(), [16]byte(id[:16]), "error", "shop@1.4.0", "production", int64(0),
				payloads[int(n)%len(payloads)]}, nil
		}))
		if err != nil {
			return err
		}
	}
	r.copies = append(r.copies, rows/time.Since(start).Seconds())
	return nil
}

// formatResults returns the page of results.
func (r *results) formatResults() string {
	var page strings.Builder
	copies := bench.TakeMedian(r.copies)
	fmt.Fprintf(&page, "# Taking events in\n\nMade by `make bench-ingest` on %s. Medians of %d rounds; load, server and Postgres share the\n"+
		"machine; fsync on; default scrub rules on; each event is answered after its commit.\n\n", bench.DescribeMachine(), len(r.copies))
	fmt.Fprintf(&page, "Bodies: %s; python, java and php gzip.\n\n", strings.Join(r.sizes, ", "))
	fmt.Fprintf(&page, "- Decode, scrub, group, limit and pack alone: %.0f us an event on one core; %.0f bytes packed.\n", r.pipeline,
		r.packed)
	fmt.Fprintf(&page, "- encoding/json.Unmarshal of the same bodies into maps: %.0f us an event, %.0f MB/s.\n", r.decoding,
		r.averageSize()/r.decoding)
	fmt.Fprintf(&page, "- Yardstick, raw COPY of such rows with all indexes, batches of 500: %.0f rows/s.\n\n", copies)
	fmt.Fprintln(&page, "| scenario | ev/s | of COPY | p50 ms | p99 ms | server us/ev | Postgres us/ev | load us/ev | disk B/ev "+
		"| WAL B/ev | peak RSS MB |")
	fmt.Fprintln(&page, "|---|---|---|---|---|---|---|---|---|---|---|")
	for _, sc := range scenarios {
		get := func(field func(measurement) float64) float64 {
			var list []float64
			for _, m := range r.rounds[sc.name] {
				list = append(list, field(m))
			}
			return bench.TakeMedian(list)
		}
		rate := get(func(m measurement) float64 { return m.rate })
		fmt.Fprintf(&page, "| %s | %.0f | %.2f | %.2f | %.2f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", sc.name, rate, rate/copies,
			get(func(m measurement) float64 { return m.p50 }), get(func(m measurement) float64 { return m.p99 }),
			get(func(m measurement) float64 { return m.serverCPU }), get(func(m measurement) float64 { return m.postgresCPU }),
			get(func(m measurement) float64 { return m.loadCPU }),
			get(func(m measurement) float64 { return m.disk }), get(func(m measurement) float64 { return m.wal }),
			get(func(m measurement) float64 { return m.rss }))
	}
	return page.String()
}
