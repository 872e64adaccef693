package main

import (
	"fmt"
	"strings"
	"time"

	"errand/bench"
)

// result holds the rows of one size.
type result struct {
	benchOptions
	loaded  *dataset
	loading time.Duration
	rows    []row
	web     webResult
	backup  backupResult
}

// formatResults returns the page of results.
func formatResults(options benchOptions, results []result) string {
	var page strings.Builder
	fmt.Fprintf(&page, "# Reading\n\nMade by `make bench-queries` on %s. %d calls of each, one after the other; caller, server and\n"+
		"Postgres share the machine. Times are milliseconds as the caller sees them; under Postgres is what Postgres itself says that\n"+
		"all statements of such a call took (parsing, planning, running), on average, in the same run.\n\n",
		bench.DescribeMachine(), options.calls)
	for _, r := range results {
		fmt.Fprintf(&page, "- %d issues in %d projects (%d in the largest, which is the one project below), "+
			"%d of them with an event in the last day;\n  %d stored events. Loaded in %.0f s.\n",
			r.issues, r.projects, r.loaded.largest, r.loaded.active, r.loaded.events, r.loading.Seconds())
	}
	fmt.Fprint(&page, "\n| call | target |")
	for _, r := range results {
		fmt.Fprintf(&page, " %d issues: median | p95 | Postgres |", r.issues)
	}
	fmt.Fprint(&page, "\n|---|---|")
	for range results {
		fmt.Fprint(&page, "---|---|---|")
	}
	fmt.Fprintln(&page)
	for n, first := range results[0].rows {
		fmt.Fprintf(&page, "| %s | %s |", first.name, first.target)
		for _, r := range results {
			fmt.Fprint(&page, r.rows[n].formatCells())
		}
		fmt.Fprintln(&page)
	}
	return page.String()
}

func (r row) formatCells() string {
	if r.perSecond > 0 {
		return fmt.Sprintf(" %.0f/s | | |", r.perSecond)
	}
	postgres := r.limit
	if r.postgres > 0 {
		postgres = fmt.Sprintf("%.2f", r.postgres)
	}
	return fmt.Sprintf(" %.2f | %.2f | %s |", r.median, r.p95, postgres)
}
