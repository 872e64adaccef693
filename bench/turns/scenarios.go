package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"errand/bench"
	"errand/bench/load"
)

// scenario is one way of using an instance.
type scenario struct {
	name     string
	senders  int // 0: nothing is sent
	issues   int // 0: each event makes an issue
	lists    int // clients that list issues meanwhile
	projects int // that the issues are of; 0 for one
}

var scenarios = []scenario{
	{name: "1 sender, known issues", senders: 1, issues: 5_000},
	{name: "64 senders, hot issues", senders: 64, issues: 5_000},
	{name: "64 senders, 50000 issues", senders: 64, issues: 50_000},
	{name: "64 senders and lists", senders: 64, issues: 5_000, lists: 2},
	{name: "64 senders, 20 projects", senders: 64, issues: 5_000, projects: 20},
	{name: "64 senders, 500 projects", senders: 64, issues: 5_000, projects: 500},
	{name: "256 senders, 5 issues above the cap", senders: 256, issues: 5},
	{name: "16 senders, all new", senders: 16},
	{name: "idle and warm start"},
}

func listScenarios() string {
	names := []string{"binary"}
	for _, sc := range scenarios {
		names = append(names, sc.name)
	}
	return strings.Join(names, "; ")
}

// turn is one measurement of a scenario.
type turn struct {
	scenario
	templates []load.Template
	length    time.Duration
}

func (t *turn) measure(ctx context.Context, binary string) ([]number, error) {
	s, err := bench.StartServer(ctx, binary)
	if err != nil {
		return nil, err
	}
	defer func() { s.Stop() }()
	if t.senders == 0 {
		numbers, again, err := measureIdle(ctx, s)
		if again != nil {
			s = again
		}
		return numbers, err
	}
	bodies, err := t.prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	return t.measureSending(ctx, s, bodies)
}

// prepare makes a project like one that has run for a while, and the bodies for it.
func (t *turn) prepare(ctx context.Context, s *bench.Server) ([][]byte, error) {
	if t.projects > 0 {
		return t.prepareProjects(ctx, s)
	}
	target, err := load.MakeTarget(ctx, s, t.name)
	if err != nil {
		return nil, err
	}
	const known = 5_000
	warm := load.Spread{Issues: max(t.issues, 1), Count: max(t.issues, known), Seed: 1}
	if t.issues == 0 {
		warm.Issues = known
	}
	if err := load.WarmUp(ctx, s, target, target.MakeBodies(t.templates, warm)); err != nil {
		return nil, err
	}
	perSecond := 22_000
	switch {
	case t.senders == 1:
		perSecond = 3_000
	case t.issues == 0:
		perSecond = 6_000
	}
	sent := load.Spread{Issues: t.issues, Count: min(200_000, int(t.length.Seconds())*perSecond), Seed: 2}
	if t.issues == 0 {
		sent.First, sent.Issues = known, sent.Count
	}
	return target.MakeBodies(t.templates, sent), nil
}

// prepareProjects makes several projects that have had events, and bodies for all of them, mixed.
func (t *turn) prepareProjects(ctx context.Context, s *bench.Server) ([][]byte, error) {
	targets, err := load.MakeTargets(ctx, s, t.projects)
	if err != nil {
		return nil, err
	}
	warm := load.MixBodies(targets, t.templates, load.Spread{Issues: t.issues, Count: t.issues, Seed: 1})
	bodies := load.MixBodies(targets, t.templates,
		load.Spread{Issues: t.issues, Count: min(100_000, int(t.length.Seconds())*15_000), Seed: 2})
	if err := load.SendBodies(ctx, s.Addr, warm, t.senders, time.Minute).Err; err != nil {
		return nil, err
	}
	return bodies, load.SettleTables(ctx, s)
}

func (t *turn) measureSending(ctx context.Context, s *bench.Server, bodies [][]byte) ([]number, error) {
	before, err := load.ReadUsage(ctx, s)
	if err != nil {
		return nil, err
	}
	beside, stop := context.WithCancel(ctx)
	defer stop()
	var clients sync.WaitGroup
	for range t.lists {
		clients.Go(func() { listIssues(beside, s) })
	}
	var highest float64
	if t.lists > 0 {
		clients.Go(func() { highest = watchMemory(beside, s.PID()) })
	}
	sent := load.SendBodies(ctx, s.Addr, bodies, t.senders, t.length)
	stop()
	clients.Wait()
	if sent.Err != nil {
		return nil, sent.Err
	}
	during, err := load.ReadUsage(ctx, s)
	if err != nil {
		return nil, err
	}
	if t.lists > 0 {
		return []number{{"highest PSS, MB", highest, false}}, nil
	}
	cost := during.CostSince(before, sent.Events)
	numbers := []number{{"events a second", sent.PerSecond(), true}, {"server us", cost.Server, false},
		{"Postgres us", cost.Postgres, false}, {"disk B", cost.Disk, false}, {"WAL B", cost.WAL, false}}
	switch t.issues {
	case 0:
		after, err := waitForIndex(ctx, s)
		if err != nil {
			return nil, err
		}
		all := after.CostSince(before, sent.Events)
		numbers = append(numbers, number{"us with the index", all.Server + all.Postgres, false})
	case 50_000:
		numbers = append(numbers, number{"server to encoding/json", cost.Server / t.timeJSON(), false})
	}
	return numbers, nil
}

// timeJSON returns the average microseconds that the standard library needs to decode a body into a map.
func (t *turn) timeJSON() float64 {
	const passes = 500
	begin := time.Now()
	for range passes {
		for _, template := range t.templates {
			var event map[string]any
			_ = json.Unmarshal(template.Text, &event) // ReadTemplates has decoded it
		}
	}
	return float64(time.Since(begin).Microseconds()) / float64(passes*len(t.templates))
}

// waitForIndex waits until the search index has all issues, and reads what has been used until then.
func waitForIndex(ctx context.Context, s *bench.Server) (load.Usage, error) {
	for range 1200 {
		var left bool
		if err := s.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM issues WHERE NOT has_grams)`).Scan(&left); err != nil {
			return load.Usage{}, err
		}
		if !left {
			return load.ReadUsage(ctx, s)
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return load.Usage{}, err
		}
	}
	return load.Usage{}, fmt.Errorf("the search index is not complete after two minutes")
}

// listIssues reads lists until ctx ends, as an agent and a page do.
func listIssues(ctx context.Context, s *bench.Server) {
	for ctx.Err() == nil {
		for _, path := range []string{"/v1/issues?limit=50", "/v1/issues?limit=20&sort=events", "/v1/issues?query=error"} {
			_, _ = s.Call(ctx, http.MethodGet, path, "") // a list that fails costs less, and both are measured alike
		}
		_ = pause(ctx, 100*time.Millisecond)
	}
}

func pause(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}
