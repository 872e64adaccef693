// Command queries measures how fast reading is: it runs the built binary on a private Postgres of its own, loads issues
// and events by COPY, and calls the operations over loopback, over REST and MCP. The yardstick is Postgres' own time for the
// same calls in the same run, from its log. Each size is a server of its own. It writes bench/queries.md.
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
	var o options
	flag.IntVar(&o.issues, "issues", 200_000, "how many issues")
	flag.IntVar(&o.events, "events", 3_000_000, "how many stored events, about")
	flag.IntVar(&o.projects, "projects", 50, "how many projects")
	flag.IntVar(&o.calls, "calls", 200, "how often each call is made")
	flag.BoolVar(&o.growth, "growth", true, "measure a tenth of the size too")
	flag.StringVar(&o.binary, "binary", "bin/errand", "the server to measure")
	out := flag.String("out", "bench/queries.md", "where the results are written; empty for nowhere")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	issues, events, projects, calls int
	growth                          bool
	binary                          string
}

func run(ctx context.Context, o options, out string) error {
	sizes := []options{o}
	if o.growth {
		small := o
		small.issues, small.events = o.issues/10, o.events/10
		sizes = []options{small, o}
	}
	var results []result
	for _, size := range sizes {
		r, err := measureSize(ctx, size)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	print(os.Stdout, o, results)
	if out == "" {
		return nil
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	print(file, o, results)
	return file.Close()
}

// measureSize loads one size into a fresh server and measures everything on it.
func measureSize(ctx context.Context, o options) (result, error) {
	running, err := bench.Start(ctx, o.binary)
	if err != nil {
		return result{}, err
	}
	defer running.Stop()
	begin := time.Now()
	d, err := load(ctx, running, o)
	if err != nil {
		return result{}, fmt.Errorf("loading: %w", err)
	}
	r := result{options: o, loaded: d, loading: time.Since(begin)}
	fmt.Printf("%d issues, %d stored events, %d active: loaded in %.0f s\n", o.issues, d.events, d.active, r.loading.Seconds())
	c := &client{Server: running, data: d, calls: o.calls}
	r.rows, err = c.measureAll(ctx)
	return r, err
}
