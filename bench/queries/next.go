package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"errand/bench"
)

// nextAgents is how many agents take issues at the same time.
const nextAgents = 50

// askEvery is how often each of many working agents asks for an issue: far more often than real agents.
const askEvery = time.Second

// measureNext measures how agents take issues: one agent, many that ask continuously, and many that ask once a second. The
// yardstick is the list by priority, read by as many agents in the same way: a machine with that many concurrent calls answers
// none of them quickly. No issue may be taken twice.
func (c *client) measureNext(ctx context.Context) ([]row, error) {
	commit, err := c.measureCommits(ctx)
	if err != nil {
		return nil, err
	}
	rows := []row{commit}
	taken := map[int64]bool{}
	var workers atomic.Int64 // a worker that holds an issue would be given it again
	for _, crowd := range []struct {
		agents int
		every  time.Duration
		words  string
	}{{1, 0, "1 at once"}, {nextAgents, 0, "50 at once"}, {nextAgents, askEvery, "50 that ask once a second"}} {
		agents, each := crowd.agents, max(c.calls/crowd.agents, 4)
		list, err := timeTogether(agents, each, crowd.every, func(int) error { _, err := c.getPath(ctx, "/issues?sort=priority"); return err })
		if err != nil {
			return nil, err
		}
		ids := make([][]int64, agents)
		next, err := timeTogether(agents, each, crowd.every, func(n int) error {
			id, err := c.takeNext(ctx, workers.Add(1))
			ids[n] = append(ids[n], id)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, id := range slices.Concat(ids...) {
			if taken[id] {
				return nil, fmt.Errorf("issue %d was taken twice", id)
			}
			taken[id] = true
		}
		for _, one := range []struct {
			name, target string
			times        []float64
		}{{"list by priority, all", "", list}, {"next_issue", "p95 20, or that of the list", next}} {
			r := row{name: one.name + ", " + crowd.words, target: one.target,
				median: bench.TakeMedian(one.times), p95: one.times[int(0.95*float64(len(one.times)-1))]}
			if one.target != "" {
				r.limit = fmt.Sprintf("%.2f times the list", r.p95/rows[len(rows)-1].p95)
			}
			rows = append(rows, r)
			fmt.Printf("  %-58s median %7.2f ms  p95 %7.2f ms  %s\n", r.name, r.median, r.p95, r.limit)
		}
	}
	return rows, nil
}

// measureCommits times small commits alone: a claim is one commit, and the disk's time for it differs by the hour. The loaded
// data is on the disk before.
func (c *client) measureCommits(ctx context.Context) (row, error) {
	if _, err := c.DB.Exec(ctx, `CHECKPOINT`); err != nil {
		return row{}, err
	}
	times, err := timeTogether(1, c.calls, 0, func(int) error {
		_, err := c.DB.Exec(ctx, `SELECT pg_logical_emit_message(true, 'bench', 'a commit')`)
		return err
	})
	if err != nil {
		return row{}, err
	}
	r := row{name: "a commit alone", median: bench.TakeMedian(times), p95: times[int(0.95*float64(len(times)-1))]}
	r.printRow()
	return r, nil
}

// timeTogether runs callers concurrently, each making its calls one after the other and at most once in every, and returns the
// milliseconds, sorted.
func timeTogether(callers, each int, every time.Duration, call func(n int) error) ([]float64, error) {
	times, errs := make([][]float64, callers), make([]error, callers)
	var all sync.WaitGroup
	start := time.Now()
	for n := range callers {
		all.Go(func() {
			for turn := range each {
				time.Sleep(time.Until(start.Add(every*time.Duration(turn) + every*time.Duration(n)/time.Duration(callers))))
				begin := time.Now()
				if errs[n] = call(n); errs[n] != nil {
					return
				}
				times[n] = append(times[n], float64(time.Since(begin).Microseconds())/1000)
			}
		})
	}
	all.Wait()
	sorted := slices.Concat(times...)
	slices.Sort(sorted)
	return sorted, errors.Join(errs...)
}

// takeNext takes the next issue for a worker, and returns its id.
func (c *client) takeNext(ctx context.Context, worker int64) (int64, error) {
	text, err := c.Call(ctx, http.MethodPost, "/v1/issues/next", fmt.Sprintf(`{"worker":"agent-%d"}`, worker))
	if err != nil {
		return 0, err
	}
	var next struct {
		Data struct{ Issue *struct{ ID int64 } }
	}
	if err := json.Unmarshal(text, &next); err != nil || next.Data.Issue == nil {
		return 0, fmt.Errorf("no issue is left: %.200s", text)
	}
	return next.Data.Issue.ID, nil
}
