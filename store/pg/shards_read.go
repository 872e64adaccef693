package pg

import (
	"context"
	"strings"

	"golang.org/x/sync/errgroup"
)

// A statement that reads projects of several shards runs on each shard, on its node, without the coordinator: Citus would plan it again for
// each shard, on the coordinator and on the node, which takes 20 ms for a list by priority. The nodes remember its plans. One statement
// over all shards of a node (UNION ALL) was ten times slower: its plans sort whole tables.

// usePlan makes the node use the plan that it has for all values, until the batch ends.
const usePlan = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`

// OnePlan marks a statement whose plan is the same for all values: planning it would take longer than running it. It stands in the first
// read of a batch, and on a node the others are planned in the same way.
const OnePlan = "/* one plan */"

// sendEach sends a batch to each shard of the projects, on all nodes at the same time.
func (s *shardNodes) sendEach(ctx context.Context, b *Batch, projects []int64) error {
	return s.db.whileMoving(ctx, func() error {
		added, err := s.collectEach(ctx, b, projects)
		if err == nil {
			addAll(added)
		}
		return err
	})
}

// collectEach sends a batch once, and returns what adds the rows, in the order of the shards.
func (s *shardNodes) collectEach(ctx context.Context, b *Batch, projects []int64) ([]func(), error) {
	parts, err := s.splitByShard(ctx, projects)
	if err != nil {
		return nil, err
	}
	batches, order := map[string]*Batch{}, map[string][]int{} // by the node; where its reads stand in added
	for i, read := range b.reads {
		for n, part := range parts {
			batch := batches[part.node]
			if batch == nil {
				batch = &Batch{onePlan: strings.Contains(b.reads[0].sql, OnePlan), shards: map[int64]bool{}}
				batches[part.node] = batch
			}
			batch.shards[part.id] = true
			batch.reads = append(batch.reads, queuedRead{part.formStatement(read.sql), pickRows(read.sql, read.args, part.projects), read.collect})
			order[part.node] = append(order[part.node], i*len(parts)+n)
		}
	}
	added := make([]func(), len(b.reads)*len(parts))
	var reading errgroup.Group
	for node, batch := range batches {
		reading.Go(func() error {
			pool, err := s.readerPoolOf(ctx, node)
			if err != nil {
				return err
			}
			ofNode, err := batch.sendReads(ctx, pool)
			for i, add := range ofNode {
				added[order[node][i]] = add
			}
			return err
		})
	}
	return added, reading.Wait()
}
