// Command webhooks measures how fast Errand sends deliveries, and what dead receivers cost the others. It runs the built binary
// on a private Postgres, with a receiver in this process over TLS, while events arrive. The yardstick is a bare loop of signed
// posts by the same sender. Load, receivers, server and Postgres share the machine. It writes bench/webhooks.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"errand/bench"
)

func main() {
	rounds := flag.Int("rounds", 3, "how many rounds; medians are reported")
	seconds := flag.Int("seconds", 5, "how long the yardstick and ingest are measured")
	binary := flag.String("binary", "bin/errand", "the server to measure")
	out := flag.String("out", "bench/webhooks.md", "where the results are written; empty for nowhere")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measureAll(ctx, *rounds, time.Duration(*seconds)*time.Second, *binary, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// The measurements, in the order of the table.
const (
	yardstick   = "yardstick: bare loop of signed posts over TLS, 16 at once, posts/s"
	pingsAlone  = "deliveries without a brief, alone, 1/s"
	briefsAlone = "deliveries of issues with their briefs, alone, 1/s"
	pingsBeside = "deliveries without a brief, while events are taken in, 1/s"
	ingestAlone = "events taken in, alone, 1/s"
	ingestDead  = "events taken in beside 100 dead webhooks with 10,000 pending deliveries, 1/s"
	pingsDead   = "deliveries without a brief beside them, 1/s"
)

var order = []string{yardstick, pingsAlone, briefsAlone, pingsBeside, ingestAlone, ingestDead, pingsDead}

func measureAll(ctx context.Context, rounds int, length time.Duration, binary, out string) error {
	results := map[string][]float64{}
	for round := range rounds {
		fmt.Printf("round %d of %d\n", round+1, rounds)
		if err := measureRound(ctx, results, length, binary); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("# Webhooks\n\n`make bench-webhooks`: %d rounds, medians. %s. "+
		"The receiver, the load, the server and Postgres share the machine.\n\n"+
		"| what | measured | of the yardstick |\n|---|---:|---:|\n", rounds, bench.DescribeMachine())
	bare := bench.TakeMedian(results[yardstick])
	for _, name := range order {
		measured := bench.TakeMedian(results[name])
		text += fmt.Sprintf("| %s | %.0f | %.2f |\n", name, measured, measured/bare)
	}
	fmt.Print(text)
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(text), 0o644)
}

func measureRound(ctx context.Context, results map[string][]float64, length time.Duration, binary string) error {
	receiver, err := startReceiver()
	if err != nil {
		return err
	}
	defer receiver.stop()
	note := func(name string, value float64) {
		fmt.Printf("  %-90s %8.0f\n", name, value)
		results[name] = append(results[name], value)
	}
	note(yardstick, receiver.measurePosts(ctx, length))
	server, err := bench.StartServer(ctx, binary)
	if err != nil {
		return err
	}
	defer server.Stop()
	w, err := prepareWork(ctx, server, receiver)
	if err != nil {
		return err
	}
	ingest := func(ctx context.Context) (float64, error) { return w.sendEvents(ctx, length) }
	if err := w.warmUp(ctx); err != nil {
		return err
	}
	for _, step := range []struct {
		name    string
		measure func(context.Context) (float64, error)
	}{
		{pingsAlone, func(ctx context.Context) (float64, error) { return w.sendDeliveries(ctx, 5000, false) }},
		{briefsAlone, func(ctx context.Context) (float64, error) { return w.sendDeliveries(ctx, 1500, true) }},
		{ingestAlone, ingest},
		{pingsBeside, func(ctx context.Context) (float64, error) { return w.sendBesideEvents(ctx, 5000) }},
		{ingestDead, func(ctx context.Context) (float64, error) {
			if err := w.addDead(ctx, 100, 100); err != nil {
				return 0, err
			}
			return ingest(ctx)
		}},
		{pingsDead, func(ctx context.Context) (float64, error) { return w.sendDeliveries(ctx, 5000, false) }},
	} {
		value, err := step.measure(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		note(step.name, value)
	}
	return nil
}
