// Command soak runs the built binary under a steady load for minutes, and writes how its memory goes: it must not rise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"errand/bench"
	"errand/bench/load"
)

// The load of one round: events of new and known issues, and lists.
const (
	roundLength    = 30 * time.Second
	eventsOfRound  = 30_000
	issuesOfRound  = 5_000
	sendersOfRound = 16
	readEvery      = 5 * time.Second // memory
)

func main() {
	minutes := flag.Int("minutes", 10, "how long the load lasts")
	binary := flag.String("binary", "bin/errand", "the server to measure")
	out := flag.String("out", "bench/soak.md", "where the results are written")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *minutes, *binary, *out); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// round is the memory of one round, in MB: PSS of the server, and of it with Postgres.
type round struct {
	events       int
	server, tree float64 // the highest
}

func run(ctx context.Context, minutes int, binary, out string) error {
	templates, err := load.ReadTemplates("envelope/testdata")
	if err != nil {
		return err
	}
	s, err := bench.StartServer(ctx, binary)
	if err != nil {
		return err
	}
	defer s.Stop()
	target, err := load.MakeTarget(ctx, s, "soak")
	if err != nil {
		return err
	}
	rounds := make([]round, int(time.Duration(minutes)*time.Minute/roundLength))
	for n := range rounds {
		bodies := target.MakeBodies(templates, load.Spread{Issues: issuesOfRound, Count: eventsOfRound, Seed: n})
		if rounds[n], err = runRound(ctx, s, bodies); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "round %d of %d: %d events, server %.0f MB, all %.0f MB\n", n+1, len(rounds), rounds[n].events,
			rounds[n].server, rounds[n].tree)
	}
	return writeResults(out, minutes, rounds)
}

// runRound sends the bodies, and reads lists and the memory until the round is over.
func runRound(ctx context.Context, s *bench.Server, bodies [][]byte) (r round, err error) {
	until, cancel := context.WithTimeout(ctx, roundLength)
	defer cancel()
	sent := make(chan load.Sent, 1)
	go func() { sent <- load.SendBodies(ctx, s.Addr, bodies, sendersOfRound, roundLength) }()
	for tick := time.NewTicker(readEvery); until.Err() == nil; {
		_, _ = s.Call(ctx, http.MethodGet, "/v1/issues?limit=50", "") // a list that fails costs less
		server, tree, err := load.ReadMemory(s.PID())
		if err != nil {
			return r, err
		}
		r.server, r.tree = max(r.server, server), max(r.tree, tree)
		select {
		case <-tick.C:
		case <-until.Done():
		}
	}
	done := <-sent
	r.events = done.Events
	return r, errors.Join(done.Err, ctx.Err())
}

func writeResults(out string, minutes int, rounds []round) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# Soak\n\nMade by `make soak` on %s: %d minutes of up to %d events each %v from %d senders, of %d issues, and lists "+
		"meanwhile.\nThe highest PSS of each round, in MB.\n\n| round | events | server | with Postgres |\n|---|---|---|---|\n",
		bench.DescribeMachine(), minutes, eventsOfRound, roundLength, sendersOfRound, issuesOfRound)
	for n, r := range rounds {
		fmt.Fprintf(&text, "| %d | %d | %.0f | %.0f |\n", n+1, r.events, r.server, r.tree)
	}
	return os.WriteFile(out, []byte(text.String()), 0o644)
}
