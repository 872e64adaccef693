package main

import (
	"fmt"
	"io"
	"time"

	"errand/bench"
)

// result is what one size came to.
type result struct {
	options
	loaded  *data
	loading time.Duration
	rows    []row
}

func print(w io.Writer, o options, results []result) {
	fmt.Fprintf(w, "# Reading\n\nMade by `make bench-queries` on %s. %d calls of each, one after the other; caller, server and\nPostgres share the machine. Times are milliseconds as the caller sees them; under Postgres is what Postgres itself says that\nall statements of such a call took (parsing, planning, running), on average, in the same run.\n\n", bench.Machine(), o.calls)
	for _, r := range results {
		fmt.Fprintf(w, "- %d issues in %d projects (%d in the largest, which is the one project below), %d of them with an event in the last day;\n  %d stored events. Loaded in %.0f s.\n",
			r.issues, r.projects, r.loaded.largest, r.loaded.active, r.loaded.events, r.loading.Seconds())
	}
	fmt.Fprint(w, "\n| call | target |")
	for _, r := range results {
		fmt.Fprintf(w, " %d issues: median | p95 | Postgres |", r.issues)
	}
	fmt.Fprint(w, "\n|---|---|")
	for range results {
		fmt.Fprint(w, "---|---|---|")
	}
	fmt.Fprintln(w)
	for n, first := range results[0].rows {
		fmt.Fprintf(w, "| %s | %s |", first.name, first.target)
		for _, r := range results {
			fmt.Fprint(w, r.rows[n].cells())
		}
		fmt.Fprintln(w)
	}
}

func (r row) cells() string {
	if r.perSecond > 0 {
		return fmt.Sprintf(" %.0f/s | | |", r.perSecond)
	}
	postgres := r.limit
	if r.postgres > 0 {
		postgres = fmt.Sprintf("%.2f", r.postgres)
	}
	return fmt.Sprintf(" %.2f | %.2f | %s |", r.median, r.p95, postgres)
}
