package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"errand/bench"
	"errand/bench/load"
	"errand/testkit/citus"
)

// database is a server on one of the two kinds of databases.
type database struct {
	*bench.Server
	name         string
	targets      []load.Target
	acknowledged int // events, of all projects that were measured
}

// makeProjects makes the projects and their issues.
func (d *database) makeProjects(ctx context.Context, o options, projects int, templates []load.Template) error {
	var err error
	if d.targets, err = load.MakeTargets(ctx, d.Server, projects); err != nil {
		return err
	}
	sent := load.SendBodies(ctx, d.Addr, d.makeBodies(templates, o, max(o.issues, 10*projects), 1), o.senders, time.Minute)
	d.acknowledged += sent.Events
	return errors.Join(sent.Err, load.SettleTables(ctx, d.Server))
}

// makeBodies makes requests for all projects, mixed.
func (d *database) makeBodies(templates []load.Template, o options, count, seed int) [][]byte {
	return load.MixBodies(d.targets, templates, load.Spread{Issues: o.issues, Count: count, Seed: seed})
}

// checkCounts fails unless the issues, and the projects, have counted each acknowledged event once. It prints how many are stored.
func (d *database) checkCounts(ctx context.Context) error {
	var issues, projects, ids, stored int
	for sql, n := range map[string]*int{
		`SELECT coalesce(sum(times_seen), 0)::bigint FROM issues`:    &issues,
		`SELECT coalesce(sum(events), 0)::bigint FROM project_hours`: &projects,
		`SELECT count(*) FROM (SELECT uuid_hash_extended(event_id, project_id) FROM event_ids
			UNION SELECT unnest(keys) FROM counted_events) k`: &ids,
		`SELECT count(*) FROM events`: &stored,
	} {
		if err := d.DB.QueryRow(ctx, sql).Scan(n); err != nil {
			return err
		}
	}
	fmt.Printf("  %s: %d acknowledged, %d counted by issues, %d by projects, %d with an id, %d stored\n", d.name, d.acknowledged, issues,
		projects, ids, stored)
	if issues != d.acknowledged || projects != d.acknowledged {
		return fmt.Errorf("%s: the counts differ", d.name)
	}
	return nil
}

// startPlain starts a server on a new plain database of the coordinator.
func startPlain(ctx context.Context, o options) (*bench.Server, error) {
	name := fmt.Sprintf("errand_bench_plain_%d", time.Now().Unix())
	if err := citus.RunStatement(ctx, o.nodes[0], "CREATE DATABASE "+name); err != nil {
		return nil, err
	}
	return bench.StartServerOn(ctx, o.binary, citus.InDatabase(o.nodes[0], name))
}

// startDistributed starts a server on a new database that is distributed over the nodes.
func startDistributed(ctx context.Context, o options) (*bench.Server, error) {
	databaseURL, err := citus.CreateDatabase(ctx, o.nodes, fmt.Sprintf("errand_bench_citus_%d", time.Now().Unix()))
	if err != nil {
		return nil, err
	}
	s, err := bench.StartServerOn(ctx, o.binary, databaseURL)
	if err != nil {
		return nil, err
	}
	distributed, _, err := s.RestartAfter(ctx, "db", "distribute")
	return distributed, err
}
