// Command ingest measures how fast Errand takes events: it runs the built binary on a private Postgres, sends realistic bodies of
// six SDKs from this process over loopback, and compares with a raw COPY of the same rows. Load, server and Postgres share the
// machine. It prints medians of several rounds and writes bench/results.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"errand/bench"
	"errand/bench/load"
)

func main() {
	rounds := flag.Int("rounds", 3, "how many rounds; medians are reported")
	seconds := flag.Int("seconds", 6, "how long each measurement sends")
	binary := flag.String("binary", "bin/errand", "the server to measure")
	out := flag.String("out", "bench/results.md", "where the results are written; empty for nowhere")
	only := flag.String("only", "", "run only the scenarios whose name has this text, and write no file")
	flag.Parse()
	if *only != "" {
		scenarios = slices.DeleteFunc(scenarios, func(sc scenario) bool { return !strings.Contains(sc.name, *only) })
		*out = ""
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *rounds, time.Duration(*seconds)*time.Second, *binary, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// scenario is one way of sending.
type scenario struct {
	name     string
	senders  int
	issues   int
	patterns int // of the project's own scrub patterns
	growth   int // issues, events and projects, as a multiple of those that receive events; 0 for no others
}

var scenarios = []scenario{
	{"1 sender, 5,000 issues", 1, 5_000, 0, 0},
	{"64 senders, 5,000 issues", 64, 5_000, 0, 0},
	{"64 senders, 50,000 issues", 64, 50_000, 0, 0},
	{"64 senders with 10 patterns, 50,000 issues", 64, 50_000, 10, 0},
	{"256 senders, 5 hot issues", 256, 5, 0, 0},
	{"256 senders, 50,000 issues", 256, 50_000, 0, 0},
	{"64 senders, 50,000 of 500,000 issues, 10 times the events and projects", 64, 50_000, 0, 10},
}

// countBodies is how many bodies to make: more than can be sent.
func (sc scenario) countBodies(length time.Duration) int {
	if sc.senders == 1 {
		return int(length.Seconds() * 3_000)
	}
	return min(200_000, int(length.Seconds()*22_000))
}

func run(ctx context.Context, rounds int, length time.Duration, binary, out string) error {
	templates, err := load.ReadTemplates("envelope/testdata")
	if err != nil {
		return err
	}
	results := newResults(templates)
	if err := errors.Join(results.measurePipeline(), results.measureDecoding()); err != nil {
		return err
	}
	for round := range rounds {
		fmt.Printf("round %d of %d\n", round+1, rounds)
		if err := runRound(ctx, results, templates, length, binary); err != nil {
			return err
		}
	}
	page := results.formatResults()
	fmt.Print(page)
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(page), 0o644)
}

// runRound starts a fresh server and runs every scenario on it.
func runRound(ctx context.Context, results *results, templates []load.Template, length time.Duration, binary string) error {
	running, err := bench.StartServer(ctx, binary)
	if err != nil {
		return err
	}
	defer running.Stop()
	s := &server{running}
	if err := results.measureCopy(ctx, s); err != nil {
		return err
	}
	for _, sc := range scenarios {
		target, err := s.makeProject(ctx, sc)
		if err != nil {
			return err
		}
		// All issues are made before the measurement, as in a project that has run for a while.
		warm := target.MakeBodies(templates, load.Spread{Issues: sc.issues, Count: max(sc.issues, 1000), Seed: 1})
		if err := load.WarmUp(ctx, s.Server, target, warm); err != nil {
			return fmt.Errorf("%s: %w", sc.name, err)
		}
		if sc.growth > 1 {
			if err := s.growProject(ctx, target.Project, sc.growth); err != nil {
				return fmt.Errorf("%s: %w", sc.name, err)
			}
			// A second time: the first change of a page after a checkpoint writes the whole page.
			again := target.MakeBodies(templates, load.Spread{Issues: sc.issues, Count: sc.issues, Seed: 3})
			if err := load.SendBodies(ctx, s.Addr, again, 32, time.Minute).Err; err != nil {
				return fmt.Errorf("%s: %w", sc.name, err)
			}
		}
		bodies := target.MakeBodies(templates, load.Spread{Issues: sc.issues, Count: sc.countBodies(length), Seed: 2})
		m, err := s.measureSending(ctx, bodies, sc.senders, length)
		if err != nil {
			return fmt.Errorf("%s: %w", sc.name, err)
		}
		fmt.Printf("  %-42s %7.0f ev/s  p50 %5.2f ms  p99 %6.2f ms  server %4.0f us/ev  postgres %4.0f us/ev\n",
			sc.name, m.rate, m.p50, m.p99, m.serverCPU, m.postgresCPU)
		results.addRound(sc.name, m)
	}
	return nil
}
