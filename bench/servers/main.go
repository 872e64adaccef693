// Command servers measures what an event costs when several servers store events in one database. It writes bench/servers.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"errand/bench"
	"errand/bench/load"
)

// The load: events of known issues of one project, as a busy application sends them.
const (
	issues    = 5_000
	senders   = 48
	perSecond = 20_000 // more than are taken
	// connectionsOfEach leaves room for all servers in the private Postgres.
	connectionsOfEach = "8"
)

type options struct {
	binary string
	most   int
	rounds int
	length time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/errand", "the server to measure")
	flag.IntVar(&o.most, "servers", 3, "the most servers")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each number of servers is measured")
	flag.DurationVar(&o.length, "length", 8*time.Second, "how long each measurement sends")
	out := flag.String("out", "bench/servers.md", "where the results are written")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, *out); err != nil {
		fmt.Fprintln(os.Stderr, "servers:", err)
		os.Exit(1)
	}
}

// measurement is one run: how many events were taken, and what each cost all servers together.
type measurement struct {
	perSecond float64
	load.Cost
}

func run(ctx context.Context, o options, out string) error {
	if err := os.Setenv("DATABASE_POOL", connectionsOfEach); err != nil {
		return err
	}
	templates, err := load.ReadTemplates("envelope/testdata")
	if err != nil {
		return err
	}
	measured := make([][]measurement, o.most)
	for round := range o.rounds {
		for i := range o.most { // in turns, so that a machine that becomes slower does so for all
			m, err := measureServers(ctx, o, i+1, templates)
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "round %d, %d servers: %+v\n", round+1, i+1, m)
			measured[i] = append(measured[i], m)
		}
	}
	return os.WriteFile(out, []byte(o.formatTable(measured)), 0o644)
}

// measureServers starts the servers on a fresh database, sends to all of them at once, and stops them.
func measureServers(ctx context.Context, o options, count int, templates []load.Template) (m measurement, err error) {
	list, err := startServers(ctx, o.binary, count)
	defer func() {
		for i := len(list) - 1; i >= 0; i-- { // the first has the database
			list[i].Stop()
		}
	}()
	if err != nil {
		return m, err
	}
	first := list[0]
	target, err := load.MakeTarget(ctx, first, "servers")
	if err != nil {
		return m, err
	}
	known := target.MakeBodies(templates, load.Spread{Issues: issues, Count: issues, Seed: 1})
	if err := load.WarmUp(ctx, first, target, known); err != nil {
		return m, err
	}
	before, err := readUsage(ctx, list)
	if err != nil {
		return m, err
	}
	sent := sendToAll(ctx, list, target.MakeBodies(templates, load.Spread{
		Issues: issues, Count: int(o.length.Seconds()) * perSecond, Seed: 2,
	}), o.length)
	after, err := readUsage(ctx, list)
	if err := errors.Join(err, sent.Err); err != nil {
		return m, err
	}
	return measurement{sent.PerSecond(), after.CostSince(before, sent.Events)}, nil
}

// startServers starts servers on the private Postgres of the first.
func startServers(ctx context.Context, binary string, count int) (list []*bench.Server, err error) {
	databaseURL := ""
	for range count {
		s, err := bench.StartServerOn(ctx, binary, databaseURL)
		if err != nil {
			return list, err
		}
		list = append(list, s)
		databaseURL = list[0].URL
	}
	return list, nil
}

// readUsage returns what all servers have used together.
func readUsage(ctx context.Context, list []*bench.Server) (all load.Usage, err error) {
	for i, s := range list {
		u, err := load.ReadUsage(ctx, s)
		if err != nil {
			return all, err
		}
		if i == 0 {
			all = u
		} else {
			all.Server += u.Server
		}
	}
	return all, nil
}

// sendToAll divides the bodies and the senders among the servers, as a load balancer does.
func sendToAll(ctx context.Context, list []*bench.Server, bodies [][]byte, length time.Duration) (all load.Sent) {
	results := make([]load.Sent, len(list))
	share := len(bodies) / len(list)
	var sending sync.WaitGroup
	for i, s := range list {
		sending.Go(func() {
			results[i] = load.SendBodies(ctx, s.Addr, bodies[i*share:(i+1)*share], senders/len(list), length)
		})
	}
	sending.Wait()
	for _, r := range results {
		all.Events += r.Events
		all.Elapsed = max(all.Elapsed, r.Elapsed)
		all.Err = errors.Join(all.Err, r.Err)
	}
	return all
}

func (o options) formatTable(measured [][]measurement) string {
	var text strings.Builder
	fmt.Fprintf(&text, `# Several servers on one database

Made by `+"`make bench-servers`"+` on %s: the medians of %d runs of
%v, with %d senders of events of %d known issues. Servers, Postgres and senders share the cores, so that more servers
cannot be faster here: the cost of an event says what they need on machines of their own. CPU in µs an event, WAL in bytes.

| servers | events a second | CPU of the servers | CPU of Postgres | WAL |
|---|---|---|---|---|
`, bench.DescribeMachine(), o.rounds, o.length, senders, issues)
	for i, list := range measured {
		median := func(value func(measurement) float64) float64 {
			values := make([]float64, len(list))
			for n, m := range list {
				values[n] = value(m)
			}
			return bench.TakeMedian(values)
		}
		fmt.Fprintf(&text, "| %d | %.0f | %.0f | %.0f | %.0f |\n", i+1, median(func(m measurement) float64 { return m.perSecond }),
			median(func(m measurement) float64 { return m.Server }), median(func(m measurement) float64 { return m.Postgres }),
			median(func(m measurement) float64 { return m.WAL }))
	}
	return text.String()
}
