package main

import (
	"fmt"
	"strings"

	"errand/bench"
)

// formatWeb writes the results down.
func formatWeb(options benchOptions, r webResult) string {
	var page strings.Builder
	fmt.Fprintf(&page, "# Pages\n\nMade by `make bench-web` on %s, with %d issues.\n"+
		"Caller, server and Postgres share the machine. Each page and the calls beside it are made %d times, alternately in ten rounds;\n"+
		"medians.\n\n", bench.DescribeMachine(), options.issues, options.calls)
	fmt.Fprint(&page, "| page | ms | Postgres | statements | beside it | ms | allowed | ms | |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range r.times {
		fmt.Fprintf(&page, "| %s | %.2f | %.2f | %d | %s | %.2f | %g times and %g ms | %.2f | %s |\n", c.page, c.pageTime, c.postgres,
			c.statements, c.yardstick, c.time, c.factor, c.more, c.allowed(), judge(c.pageTime <= c.allowed()))
	}
	fmt.Fprint(&page, "\n| page | bytes, compressed | at most | |\n|---|---|---|---|\n")
	for _, w := range r.weights {
		most, verdict := fmt.Sprint(w.most), judge(w.bytes <= w.most)
		if w.most == 0 {
			most, verdict = "", "by a click"
		}
		fmt.Fprintf(&page, "| %s | %d | %s | %s |\n", w.page, w.bytes, most, verdict)
	}
	fmt.Fprintf(&page, "\n%d open pages, half of them lists and half issues: %.1f MB more (at most %d: %s). Each asks\n"+
		"%d time in half a minute: %.1f statements of Postgres; %.0f %% of the answers were 304.\n",
		openTogether, r.open.memory, mostOpenMemory, judge(r.open.memory < mostOpenMemory),
		r.open.requests, r.open.statements, 100*r.open.unchanged)
	return page.String()
}

func judge(isKept bool) string {
	if isKept {
		return "kept"
	}
	return "missed"
}
