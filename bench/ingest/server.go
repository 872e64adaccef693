package main

import (
	"context"
	"time"

	"errand/bench"
	"errand/bench/load"
)

// server is the measured binary.
type server struct{ *bench.Server }

// scrubPatterns are ten patterns that people write.
var scrubPatterns = []string{
	`\b\d{3}-\d{2}-\d{4}\b`, `acct_[A-Za-z0-9]{16}`, `(?:order|invoice)-\d{6,}`, `[A-Z]{2}\d{2}[A-Z0-9]{11,30}`, `customer=\w+`,
	`\+49\d{9,12}`, `internal-[a-z]+\.example\.com`, `sess_[0-9a-f]{32}`, `passport\s*:\s*\w+`, `tracking/[0-9A-Z]{18}`,
}

// makeProject makes a project for a scenario.
func (s *server) makeProject(ctx context.Context, sc scenario) (load.Target, error) {
	target, err := load.MakeTarget(ctx, s.Server, sc.name)
	if err != nil || sc.patterns == 0 {
		return target, err
	}
	const setPatterns = `UPDATE projects SET scrub_patterns = $1 WHERE id = $2`
	_, err = s.DB.Exec(ctx, setPatterns, scrubPatterns[:sc.patterns], target.Project)
	return target, err
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
	before, err := load.ReadUsage(ctx, s.Server)
	if err != nil {
		return measurement{}, err
	}
	done := load.SendBodies(ctx, s.Addr, bodies, senders, length)
	if done.Err != nil {
		return measurement{}, done.Err
	}
	after, err := load.ReadUsage(ctx, s.Server)
	if err != nil {
		return measurement{}, err
	}
	cost := after.CostSince(before, done.Events)
	at := func(p float64) float64 {
		return float64(done.Latencies[int(p*float64(len(done.Latencies)-1))].Microseconds()) / 1000
	}
	return measurement{
		rate: done.PerSecond(), p50: at(0.5), p99: at(0.99),
		serverCPU: cost.Server, postgresCPU: cost.Postgres, loadCPU: cost.Load, disk: cost.Disk, wal: cost.WAL, rss: after.RSS,
	}, nil
}
