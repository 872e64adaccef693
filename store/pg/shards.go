package pg

import (
	"context"
	"maps"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// shards remembers the shard of each project, where the tables are distributed over nodes.
type shards struct {
	cache *lru.Cache[int64, shardOfProject]
	db    *DB
}

type shardOfProject struct {
	id    int64
	until time.Time
}

// rememberShard is short, because a project can be moved into a shard of its own.
const rememberShard = 10 * time.Second

// A Postgres without Citus could not prepare selectShards, so it is a variable: tests prepare each constant.
var selectShards = `
SELECT id AS project, get_shard_id_for_distribution_column('issues', id) AS shard FROM unnest(@projects::bigint[]) AS n (id)`

func newShards(db *DB) *shards {
	cache, err := lru.New[int64, shardOfProject](1 << 14)
	if err != nil {
		panic(err) // only a wrong size in the program fails
	}
	return &shards{cache, db}
}

// ShardOf returns the shard of a project. Where the tables are not distributed it is 0 for all.
func (db *DB) ShardOf(ctx context.Context, project int64) (int64, error) {
	if !db.IsDistributed() {
		return 0, nil
	}
	found, err := db.shards.findShards(ctx, []int64{project})
	return found[project], err
}

// findShards returns the shards of projects. It asks on the connection that no transaction holds while it waits for another one.
func (s *shards) findShards(ctx context.Context, projects []int64) (map[int64]int64, error) {
	found, now := make(map[int64]int64, len(projects)), time.Now()
	var unknown []int64
	for _, project := range projects {
		if shard, ok := s.cache.Get(project); ok && now.Before(shard.until) {
			found[project] = shard.id
		} else {
			unknown = append(unknown, project)
		}
	}
	if len(unknown) == 0 {
		return found, nil
	}
	rows, err := QueryMany[struct{ Project, Shard int64 }](ctx, s.db.Reserved, selectShards, Args{"projects": unknown})
	for _, row := range rows {
		found[row.Project] = row.Shard
		s.cache.Add(row.Project, shardOfProject{row.Shard, now.Add(rememberShard)})
	}
	return found, err
}

// shardGroup is the projects of a shard.
type shardGroup struct {
	shard    int64
	projects []int64 // each once, sorted
}

// groupByShard returns the projects of each shard, in the order of the shards.
func (s *shards) groupByShard(ctx context.Context, projects []int64) ([]shardGroup, error) {
	found, err := s.findShards(ctx, projects)
	if err != nil {
		return nil, err
	}
	byShard := map[int64][]int64{}
	for project, shard := range found {
		byShard[shard] = append(byShard[shard], project)
	}
	groups := make([]shardGroup, 0, len(byShard))
	for _, shard := range slices.Sorted(maps.Keys(byShard)) {
		slices.Sort(byShard[shard])
		groups = append(groups, shardGroup{shard, byShard[shard]})
	}
	return groups, nil
}
