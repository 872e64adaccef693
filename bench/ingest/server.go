package main

import (
	"context"
	"strings"
	"time"

	"errand/bench"
)

// server is the measured binary.
type server struct{ *bench.Server }

// scrubPatterns are ten patterns that people write.
var scrubPatterns = []string{
	`\b\d{3}-\d{2}-\d{4}\b`, `acct_[A-Za-z0-9]{16}`, `(?:order|invoice)-\d{6,}`, `[A-Z]{2}\d{2}[A-Z0-9]{11,30}`, `customer=\w+`,
	`\+49\d{9,12}`, `internal-[a-z]+\.example\.com`, `sess_[0-9a-f]{32}`, `passport\s*:\s*\w+`, `tracking/[0-9A-Z]{18}`,
}

// makeProject makes a project for a scenario.
func (s *server) makeProject(ctx context.Context, sc scenario) (target, error) {
	project, err := s.MakeProject(ctx, sc.name)
	if err != nil {
		return target{}, err
	}
	if sc.patterns > 0 {
		const setPatterns = `UPDATE projects SET scrub_patterns = $1 WHERE id = $2`
		if _, err := s.DB.Exec(ctx, setPatterns, scrubPatterns[:sc.patterns], project.ID); err != nil {
			return target{}, err
		}
	}
	key, _, _ := strings.Cut(strings.TrimPrefix(project.DSN, "http://"), "@")
	return target{project.ID, key, s.Addr}, nil
}

// measurement is one scenario in one round.
type measurement struct {
	rate, p50, p99         float64 // events a second; milliseconds
	serverCPU, postgresCPU float64 // microseconds an event
	loadCPU                float64 // the same for this process
	disk, wal              float64 // bytes an event
	rss                    float64 // MB, the peak since the server started
}

func (s *server) measureSending(ctx context.Context, bodies [][]byte, senders int, length time.Duration) (measurement, error) {
	before, err := s.readUsage(ctx)
	if err != nil {
		return measurement{}, err
	}
	done := sendBodies(ctx, s.Addr, bodies, senders, length)
	if done.err != nil {
		return measurement{}, done.err
	}
	after, err := s.readUsage(ctx)
	if err != nil {
		return measurement{}, err
	}
	n := float64(done.events)
	at := func(p float64) float64 {
		return float64(done.latencies[int(p*float64(len(done.latencies)-1))].Microseconds()) / 1000
	}
	return measurement{
		rate: n / done.elapsed.Seconds(), p50: at(0.5), p99: at(0.99),
		serverCPU: (after.server - before.server) * 1e6 / n, postgresCPU: (after.postgres - before.postgres) * 1e6 / n,
		loadCPU: (after.load - before.load) * 1e6 / n,
		disk:    (after.disk - before.disk) / n, wal: (after.wal - before.wal) / n, rss: after.rss,
	}, nil
}
