package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"errand/bench"
)

// client makes the measured calls.
type client struct {
	*bench.Server
	data   *dataset
	calls  int
	binary string
}

// row is one measured call.
type row struct {
	name          string
	median, p95   float64 // milliseconds, as the client sees it
	postgres      float64 // average milliseconds of Postgres in a call; 0 when unknown
	perSecond     float64 // for a rate; 0 otherwise
	target, limit string  // the goal, in words
}

func (r row) printRow() {
	fmt.Printf("  %-58s median %7.2f ms  p95 %7.2f ms  postgres %7.2f ms\n", r.name, r.median, r.p95, r.postgres)
}

// query is a call of GET /v1<path>.
type query struct {
	name, path, target string
}

func (c *client) listQueries() []query {
	one := fmt.Sprintf("/issues?project=%d&", c.data.projects[0])
	some := fmt.Sprintf("/issues/%d", c.data.busy)
	return []query{
		{"list by last_seen, one project", one, "p95 10"},
		{"list by last_seen, all projects", "/issues?", "p95 10"},
		{"list by last_seen, all, 100 issues", "/issues?limit=100", ""},
		{"list by priority, one project", one + "sort=priority", "p95 25"},
		{"list by priority, all projects", "/issues?sort=priority", "p95 25"},
		{"list by priority, all, 100 issues", "/issues?sort=priority&limit=100", ""},
		{"list by priority, all, page 10", c.findPage("/issues?sort=priority", 10), ""},
		{"list by priority, one project, page 10", c.findPage(one+"sort=priority", 10), ""},
		{"list by priority, one project, the unresolved unclaimed", one + "sort=priority&status=unresolved&claimed=false", "p95 25"},
		{"list by priority, all, the unresolved unclaimed", "/issues?sort=priority&status=unresolved&claimed=false", "p95 25"},
		{"list by priority, all, the regressed", "/issues?sort=priority&status=regressed", "bounded"},
		{"list by priority, one project, a release", one + "sort=priority&release=" + url.QueryEscape("shop@2.7"), "bounded"},
		{"list by priority, all, an environment", "/issues?sort=priority&environment=staging", "bounded"},
		{"list by priority, one project, a search", one + "sort=priority&search=voucher", "bounded"},
		{"search, one project, frequent", one + "search=voucher", "p95 50"},
		{"search, one project, rare", one + "search=zqxj", "p95 50"},
		{"search, one project, not ASCII", one + "search=" + url.QueryEscape("Müll"), "p95 50"},
		{"search, all projects, frequent", "/issues?search=voucher", "p95 50"},
		{"search, all projects, rare", "/issues?search=zqxj", "p95 50"},
		{"one issue", some, "p95 5"},
		{"its events", some + "/events", ""},
		{"its activity", some + "/activity", ""},
	}
}

// findPage returns the path of the n-th page of a list.
func (c *client) findPage(path string, n int) string {
	next := path
	for range n - 1 {
		text, err := c.getPath(context.Background(), next)
		if err != nil {
			return path
		}
		var page struct {
			NextCursor string `json:"next_cursor"`
		}
		if json.Unmarshal(text, &page) != nil || page.NextCursor == "" {
			return next // a small size has fewer pages
		}
		next = path + "&cursor=" + page.NextCursor
	}
	return next
}

func (c *client) measureAll(ctx context.Context) ([]row, error) {
	var rows []row
	add := func(name, target string, call func() error) error {
		r, err := c.measureCall(ctx, name, call)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.target = target
		rows = append(rows, r)
		r.printRow()
		return nil
	}
	for _, q := range c.listQueries() {
		if err := add(q.name, q.target, func() error { _, err := c.getPath(ctx, q.path); return err }); err != nil {
			return nil, err
		}
	}
	for _, q := range c.similarQueries() {
		err := add(q.name, "p95 15", func() error { _, err := c.Call(ctx, http.MethodPost, "/v1/similar", q.body()); return err })
		if err != nil {
			return nil, err
		}
	}
	surfaces, err := c.compareSurfaces(ctx)
	if err != nil {
		return nil, err
	}
	rows = append(rows, surfaces...)
	for _, senders := range []int{1, 8} {
		rate, err := c.measureClaims(ctx, senders)
		if err != nil {
			return nil, err
		}
		fmt.Printf("  claims, %d at once: %.0f/s\n", senders, rate)
		rows = append(rows, row{name: fmt.Sprintf("claims, %d at once", senders), perSecond: rate, target: "300/s"})
	}
	taken, err := c.measureNext(ctx)
	if err != nil {
		return nil, err
	}
	rows = append(rows, taken...)
	crowd, err := loadCrowd(ctx, c.Server, c.data)
	if err != nil {
		return nil, err
	}
	for _, q := range c.crowdQueries(crowd) {
		if err := add(q.name, q.target, func() error { _, err := c.getPath(ctx, q.path); return err }); err != nil {
			return nil, err
		}
	}
	managed, err := c.measureManage(ctx)
	return append(rows, managed...), err
}

// measureCall makes the call many times, one after the other, and then some more while Postgres logs its times.
func (c *client) measureCall(ctx context.Context, name string, call func() error) (row, error) {
	times, err := timeCalls(max(c.calls/10, 10), call) // warms up
	if err == nil {
		times, err = timeCalls(c.calls, call)
	}
	if err != nil {
		return row{}, err
	}
	const logged = 20
	spent, err := c.postgresTime(ctx, func() error { _, err := timeCalls(logged, call); return err })
	return row{name: name, median: bench.TakeMedian(times), p95: times[int(0.95*float64(len(times)-1))], postgres: spent / logged}, err
}

// timeCalls returns the times of the calls in milliseconds, sorted.
func timeCalls(n int, call func() error) ([]float64, error) {
	times := make([]float64, n)
	for i := range times {
		begin := time.Now()
		if err := call(); err != nil {
			return nil, err
		}
		times[i] = float64(time.Since(begin).Microseconds()) / 1000
	}
	slices.Sort(times)
	return times, nil
}

// compareSurfaces makes the same call alternately over REST and over MCP.
func (c *client) compareSurfaces(ctx context.Context) ([]row, error) {
	var rows []row
	for _, op := range []struct{ name, path, tool, arguments string }{
		{"list_issues, 25", "/issues", "list_issues", `{}`},
		{"get_issue", fmt.Sprintf("/issues/%d", c.data.busy), "get_issue", fmt.Sprintf(`{"id":%d}`, c.data.busy)},
	} {
		rest := func() error { _, err := c.getPath(ctx, op.path); return err }
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, op.tool, op.arguments)
		tool := func() error {
			text, err := c.Call(ctx, http.MethodPost, "/mcp", body)
			if err == nil && !bytes.Contains(text, []byte(`"structuredContent"`)) {
				err = fmt.Errorf("the tool answered %s", text)
			}
			return err
		}
		var overREST, overMCP []float64
		for range 10 {
			for _, one := range []struct {
				call func() error
				into *[]float64
			}{{rest, &overREST}, {tool, &overMCP}} {
				times, err := timeCalls(max(c.calls/10, 2), one.call)
				if err != nil {
					return nil, err
				}
				*one.into = append(*one.into, times...)
			}
		}
		for name, times := range map[string][]float64{"REST": overREST, "MCP": overMCP} {
			slices.Sort(times)
			rows = append(rows, row{name: op.name + " over " + name, median: bench.TakeMedian(times), p95: times[int(0.95*float64(len(times)-1))]})
		}
		slices.SortFunc(rows[len(rows)-2:], func(a, b row) int { return strings.Compare(b.name, a.name) })
		ratio := bench.TakeMedian(overMCP) / bench.TakeMedian(overREST)
		rows[len(rows)-1].limit = fmt.Sprintf("%.2f times REST", ratio)
		rows[len(rows)-1].target = "at most 1.5 times REST"
		fmt.Printf("  %s: MCP %.2f times REST\n", op.name, ratio)
	}
	return rows, nil
}

// measureClaims claims issues, each a different one, as fast as that number of callers can. It returns claims a second.
func (c *client) measureClaims(ctx context.Context, callers int) (float64, error) {
	each := max(c.calls, 40) / callers
	errs := make([]error, callers)
	begin := time.Now()
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			for i := range each {
				id := 1 + (n*each+i)*7%len(c.data.issues)
				if _, err := c.Call(ctx, http.MethodPost, fmt.Sprintf("/v1/issues/%d/claim", id), "{}"); err != nil {
					errs[n] = err
					return
				}
			}
		})
	}
	all.Wait()
	return float64(each*callers) / time.Since(begin).Seconds(), errors.Join(errs...)
}

func (c *client) getPath(ctx context.Context, path string) ([]byte, error) {
	return c.Call(ctx, http.MethodGet, "/v1"+path, "")
}
