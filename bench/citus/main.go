// Command citus measures what an event costs on Citus beside one Postgres: it runs the built binary on a plain database of the coordinator
// and on a distributed one, and sends events of 1, 20 and 500 projects to both in turns. Each acknowledged event has to be counted once.
// All nodes, the server and the senders share the machine. CITUS_NODES has the URLs of the nodes, the coordinator first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"errand/bench"
	"errand/bench/load"
	"errand/testkit/citus"
)

type options struct {
	nodes   []string
	binary  string
	senders int
	issues  int // in all projects together
	rounds  int
	length  time.Duration
	total   int // events; 0 for as many as length allows
}

func main() {
	o := options{nodes: citus.ListNodes()}
	flag.StringVar(&o.binary, "binary", "bin/errand", "the server to measure")
	flag.IntVar(&o.senders, "senders", 64, "how many send at once")
	flag.IntVar(&o.issues, "issues", 5_000, "how many issues the events are of")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each is measured")
	flag.DurationVar(&o.length, "length", 6*time.Second, "how long each measurement sends")
	flag.IntVar(&o.total, "total", 0, "send this many events of 500 projects to Citus alone, and compare the counts")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if len(o.nodes) < 2 {
		return errors.New("CITUS_NODES must have the URLs of the nodes, the coordinator first")
	}
	templates, err := load.ReadTemplates("envelope/testdata")
	if err != nil {
		return err
	}
	distributed, err := startDistributed(ctx, o)
	if err != nil {
		return err
	}
	defer distributed.Stop()
	if o.total > 0 {
		return o.sendTotal(ctx, &database{Server: distributed, name: "Citus"}, templates)
	}
	plain, err := startPlain(ctx, o)
	if err != nil {
		return err
	}
	defer plain.Stop()
	both := []*database{{Server: plain, name: "one Postgres"}, {Server: distributed, name: "Citus"}}
	fmt.Printf("%s; %d senders, %d issues\n", bench.DescribeMachine(), o.senders, o.issues)
	for _, projects := range []int{1, 20, 500} {
		if err := o.compareRates(ctx, both, projects, templates); err != nil {
			return err
		}
	}
	return nil
}

// compareRates sends events of that many projects to both databases, in turns.
func (o options) compareRates(ctx context.Context, both []*database, projects int, templates []load.Template) error {
	for _, d := range both {
		if err := d.makeProjects(ctx, o, projects, templates); err != nil {
			return err
		}
	}
	rates := map[string][]float64{}
	for round := range o.rounds {
		for turn := range both {
			d := both[(round+turn)%2]
			sent := load.SendBodies(ctx, d.Addr, d.makeBodies(templates, o, int(o.length.Seconds())*perSecond, round+2), o.senders, o.length)
			if sent.Err != nil {
				return sent.Err
			}
			d.acknowledged += sent.Events
			rates[d.name] = append(rates[d.name], sent.PerSecond())
		}
	}
	plain, distributed := bench.TakeMedian(rates[both[0].name]), bench.TakeMedian(rates[both[1].name])
	fmt.Printf("%d projects: one Postgres %.0f events/s, Citus %.0f events/s (%.2f); all: %.0f %.0f\n", projects, plain, distributed,
		distributed/plain, rates[both[0].name], rates[both[1].name])
	for _, d := range both {
		if err := d.checkCounts(ctx); err != nil {
			return err
		}
	}
	return nil
}

// perSecond is more than can be sent.
const perSecond = 15_000

// totalPart is how many events of a total are made at once.
const totalPart = 100_000

// sendTotal sends events of 500 projects, and compares.
func (o options) sendTotal(ctx context.Context, d *database, templates []load.Template) error {
	if err := d.makeProjects(ctx, o, 500, templates); err != nil {
		return err
	}
	begin := time.Now()
	for part := 0; d.acknowledged < o.total; part++ {
		sent := load.SendBodies(ctx, d.Addr, d.makeBodies(templates, o, min(totalPart, o.total-d.acknowledged), part+2), o.senders, time.Hour)
		if sent.Err != nil {
			return sent.Err
		}
		d.acknowledged += sent.Events
		fmt.Printf("%d events after %.0f s\n", d.acknowledged, time.Since(begin).Seconds())
	}
	return d.checkCounts(ctx)
}
