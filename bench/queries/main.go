// Command queries measures the speed of reading: it runs the built binary on a private Postgres, loads issues and events by COPY,
// and calls the operations over loopback, over REST and MCP. The yardstick is Postgres' time for the same calls in the same run,
// from its log. Each size has a separate server. It writes bench/queries.md.
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
	var options benchOptions
	flag.IntVar(&options.issues, "issues", 200_000, "how many issues")
	flag.IntVar(&options.events, "events", 3_000_000, "how many stored events, about")
	flag.IntVar(&options.projects, "projects", 50, "how many projects")
	flag.IntVar(&options.calls, "calls", 200, "how often each call is made")
	flag.BoolVar(&options.growth, "growth", true, "measure a tenth of the size too")
	flag.StringVar(&options.only, "only", "", "measure a part alone: manage, the management API, and write nothing; "+
		"web, the pages, with -out bench/web.md; backup, with -out bench/backup.md")
	flag.StringVar(&options.binary, "binary", "bin/errand", "the server to measure")
	flag.StringVar(&options.databaseURL, "database-url", "",
		"an empty database to measure on, as a superuser and of one size; empty for the private Postgres")
	flag.BoolVar(&options.distribute, "distribute", false, "distribute the tables over Citus once they are filled (with -database-url)")
	out := flag.String("out", "bench/queries.md", "where the results are written; empty for nowhere")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, options, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type benchOptions struct {
	issues, events, projects, calls int
	growth                          bool
	binary, only, databaseURL       string
	distribute                      bool
}

func run(ctx context.Context, options benchOptions, out string) error {
	sizes := []benchOptions{options}
	if options.growth && options.databaseURL == "" {
		small := options
		small.issues, small.events = options.issues/10, options.events/10
		sizes = []benchOptions{small, options}
	}
	var results []result
	for _, size := range sizes {
		r, err := measureSize(ctx, size)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	page := formatResults(options, results)
	switch options.only {
	case partBackup:
		page = formatBackup(options, results[len(results)-1].backup)
	case partWeb:
		page = formatWeb(options, results[len(results)-1].web)
	}
	fmt.Print(page)
	if out == "" || options.only == partManage {
		return nil
	}
	return os.WriteFile(out, []byte(page), 0o644)
}

// measureSize loads one size into a fresh server and measures everything on it.
func measureSize(ctx context.Context, options benchOptions) (result, error) {
	running, err := bench.StartServerOn(ctx, options.binary, options.databaseURL)
	if err != nil {
		return result{}, err
	}
	defer func() { running.Stop() }()
	begin := time.Now()
	d, err := loadDataset(ctx, running, options)
	if err != nil {
		return result{}, fmt.Errorf("loading: %w", err)
	}
	r := result{benchOptions: options, loaded: d, loading: time.Since(begin)}
	fmt.Printf("%d issues, %d stored events, %d active: loaded in %.0f s\n", options.issues, d.events, d.active, r.loading.Seconds())
	if options.distribute {
		distributed, took, err := running.RestartAfter(ctx, "db", "distribute")
		if err != nil {
			return result{}, err
		}
		running = distributed
		fmt.Printf("distributed in %.0f s\n", took.Seconds())
	}
	c := &client{Server: running, data: d, calls: options.calls, binary: options.binary}
	if options.only == partManage {
		r.rows, err = c.measureManage(ctx)
		return r, err
	}
	if options.only == partBackup {
		r.backup, err = c.measureBackup(ctx)
		return r, err
	}
	if options.only == partWeb {
		r.web, err = c.measureWeb(ctx)
		return r, err
	}
	r.rows, err = c.measureAll(ctx)
	return r, err
}
