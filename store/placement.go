package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"errand/store/pg"
)

// Placement is where the rows of a table are when the tables are distributed over the nodes of Citus.
type Placement string

// The kinds of tables.
const (
	Distributed Placement = "distributed" // by project_id: all rows of a project are on one node
	Reference   Placement = "reference"   // whole on every node, for joins: rows that change rarely, and not while a node is away
	Local       Placement = "local"       // on the coordinator alone
)

// placements has every table, the referenced ones before those that reference them. A test compares it with the schema.
var placements = []struct {
	kind   Placement
	tables []string
}{
	{Reference, []string{
		"projects", "project_keys", "tags", "webhooks", "approvals", "pushed_commits", "setup_keys",
	}},
	// The first one decides how many shards there are; a shard of each of the others is beside one of its own.
	{Distributed, []string{
		"issues", "activity", "changed_pull_requests", "counted_events", "deliveries", "deploy_commits", "deploy_order",
		"deploy_pull_requests", "deploys",
		"dictionaries", "event_ids", "events", "fixes", "issue_environments", "issue_features", "issue_fingerprints", "issue_grams",
		"issue_hours", "issue_releases", "issue_tags", "issue_users", "merged_pull_requests", "project_hours", "project_seen",
		"release_commits", "releases", "scm_issues", "setup_apps", "source_maps", "spikes", "triage_corrections",
	}},
	{Local, []string{
		"users", "teams", "team_members", "team_projects", "tokens", "api_keys", "consents", "sessions",
		"sign_in_attempts", "user_identities", "user_links", "install_identity", "install_secrets", "install_settings", "install_times",
		"goose_db_version", "goose_lock", "id_blocks", "river_job", "river_leader", "river_migration", "river_notification",
		"river_queue", "scm_deliveries",
	}},
}

// ErrNoCitus says that the database cannot distribute tables.
var ErrNoCitus = errors.New("the database has no extension citus: create it on each node, and add the nodes to the coordinator, " +
	"which DATABASE_URL has to name")

// DistributionStep is what becomes of one table.
type DistributionStep struct {
	Table     string
	Placement Placement
	Rows      int64 // estimated; 0 for a table that Postgres has not counted yet
	IsDone    bool
}

// PlanDistribution returns what DistributeTables does with each table, and how many nodes hold rows of projects. Without Citus it is
// ErrNoCitus.
func (s *Store) PlanDistribution(ctx context.Context) (steps []DistributionStep, nodes int, err error) {
	there, err := s.db.ReadDistribution(ctx)
	if err != nil {
		return nil, 0, err
	}
	if there == nil {
		return nil, 0, ErrNoCitus
	}
	for _, p := range placements {
		for _, table := range p.tables {
			found := there.Tables[table]
			steps = append(steps, DistributionStep{table, p.kind, found.Rows, p.kind == Local || found.IsPlaced})
		}
	}
	return steps, there.Nodes, nil
}

// CheckDistribution returns an error if only some of the tables are distributed.
func (s *Store) CheckDistribution(ctx context.Context) error {
	steps, _, err := s.PlanDistribution(ctx)
	if errors.Is(err, ErrNoCitus) {
		return nil
	}
	done, left := 0, 0
	for _, step := range steps {
		switch {
		case step.Placement == Local:
		case step.IsDone:
			done++
		default:
			left++
		}
	}
	if done > 0 && left > 0 {
		return fmt.Errorf("%d of %d tables are distributed: run errand db distribute, which goes on where it was", done, done+left)
	}
	return err
}

const addMissingSeen = `INSERT INTO project_seen (project_id) SELECT id FROM projects WHERE purged_at IS NULL ON CONFLICT DO NOTHING`

// DistributeTables distributes the tables over the nodes of Citus, with their rows, and calls done after each. It may be cut off
// anywhere, and goes on where it was. No server may run while it does: a table takes no events while it is copied, and servers find
// out at their start where the tables are.
func (s *Store) DistributeTables(ctx context.Context, shards int, done func(DistributionStep)) error {
	steps, nodes, err := s.PlanDistribution(ctx)
	if err != nil {
		return err
	}
	if nodes == 0 {
		return errors.New("no node may hold rows of projects: add one with citus_add_node, or let the coordinator hold them (shouldhaveshards)")
	}
	if err := s.requireAlone(ctx); err != nil {
		return err
	}
	if err := s.db.PlanWithValues(ctx); err != nil {
		return err
	}
	if !s.db.IsDistributed() { // every project needs its row before it leads to a node
		if _, err := pg.Exec(ctx, s.db.Main, addMissingSeen, pg.Args{}); err != nil {
			return err
		}
	}
	first := firstDistributed()
	for _, step := range steps {
		if err := s.distributeTable(ctx, step, first, shards); err != nil {
			return fmt.Errorf("the table %s: %w", step.Table, err)
		}
		if !step.IsDone {
			done(step)
		}
	}
	return s.db.FindDistribution(ctx)
}

// leaveWithin is how long a connection that has ended may still count.
const leaveWithin = 2 * time.Second

// requireAlone returns an error while others are connected: a table takes no events while it is copied.
func (s *Store) requireAlone(ctx context.Context) error {
	for until := time.Now().Add(leaveWithin); ; {
		others, err := s.db.CountOthers(ctx)
		switch {
		case err != nil || others == 0:
			return err
		case time.Now().After(until):
			return fmt.Errorf("servers or commands of Errand have %d connections to this database: stop them first, because a table takes no "+
				"events while it is copied", others)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(leaveWithin / 20):
		}
	}
}

func firstDistributed() string {
	for _, p := range placements {
		if p.kind == Distributed {
			return p.tables[0]
		}
	}
	return ""
}

// distributeTable takes one step. One that is done may have been cut off before its end.
func (s *Store) distributeTable(ctx context.Context, step DistributionStep, first string, shards int) (err error) {
	switch {
	case step.Placement == Local:
		return nil
	case step.IsDone:
	case step.Placement == Reference:
		err = s.db.MakeReference(ctx, step.Table)
	case step.Table == first:
		err = s.db.DistributeTable(ctx, step.Table, "", shards)
	default:
		err = s.db.DistributeTable(ctx, step.Table, first, 0)
	}
	if err == nil && step.Placement == Distributed {
		err = s.db.FinishTable(ctx, step.Table)
	}
	return err
}

// Node is a node of Citus that holds shards.
type Node = pg.Node

// ListNodes returns the nodes of Citus that hold shards, by name; none where the tables are not distributed.
func (s *Store) ListNodes(ctx context.Context) ([]Node, error) { return s.db.ListNodes(ctx) }

// RebalanceProgress is how far RebalanceShards is.
type RebalanceProgress = pg.RebalanceProgress

// RebalanceShards moves shards until all nodes hold about as much, and calls tell when more is done. Events come in while it does.
func (s *Store) RebalanceShards(ctx context.Context, tell func(RebalanceProgress)) error {
	return s.db.RebalanceShards(ctx, tell)
}
