package pg

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"errand/core"
)

// A statement that reads projects of several shards runs on each shard, on its node, without the coordinator: Citus would plan it again for
// each shard, on the coordinator and on the node, which takes 20 ms for a list by priority. The nodes remember its plans. One statement
// over all shards of a node (UNION ALL) was ten times slower: its plans sort whole tables.

// shardReader has the connections to the nodes, and where the shards are.
type shardReader struct {
	db        *DB
	mu        sync.Mutex // guards the pools, which are by the node
	pools     map[string]*pgxpool.Pool
	writers   map[string]*pgxpool.Pool
	places    atomic.Pointer[placements]
	forgotten atomic.Int64 // how often; a look-up from before is not kept
	lookUps   singleflight.Group
}

// placements are where the shards were at a time.
type placements struct {
	shards map[int64]*shardPlace // by the shard of issues
	until  time.Time             // then they are looked up again
}

// shardPlace is a shard: the rows of its projects in all tables.
type shardPlace struct {
	id    int64             // that of its part of issues
	node  string            // host:port
	names map[string]string // of its part of each table, and of the tables that each node has whole
	forms sync.Map          // statements as they run there, by the usual statement
}

const (
	// rememberPlaces is how long a shard may be read where it was: a rebalance moves it.
	rememberPlaces = 5 * time.Second
	// findWithin bounds a look-up of where they are.
	findWithin = 5 * time.Second
	// nodeConnections bounds the connections to each node for reads.
	nodeConnections = 6
)

// listShards lists the shards of the distributed tables and the reference tables. A partition is a part of its table, and is left out. A
// reference table has no lowest value.
var listShards = `
SELECT c.relname::text AS name, s.shardid AS id, coalesce(s.shardminvalue, '') AS low, n.nodename AS host, n.nodeport::text AS port
FROM pg_dist_shard s
JOIN pg_dist_partition d ON d.logicalrelid = s.logicalrelid AND (d.partmethod = 'h' OR d.repmodel = 't')
JOIN pg_class c ON c.oid = s.logicalrelid AND NOT c.relispartition
JOIN pg_dist_placement p ON p.shardid = s.shardid
JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
WHERE p.shardstate = 1`

// errMoved says that a shard is no longer where it was remembered.
var errMoved = errors.New("store: the shard has no node")

// findPlacements returns where the shards are. One caller asks, for all that wait. Those that were known serve while the coordinator is
// busy or away: the nodes check them (findShardsHere).
func (r *shardReader) findPlacements(ctx context.Context) (*placements, error) {
	known := r.places.Load()
	if known != nil && time.Now().Before(known.until) {
		return known, nil
	}
	forgotten := r.forgotten.Load()
	asked := r.lookUps.DoChan(strconv.FormatInt(forgotten, 10), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), findWithin)
		defer cancel()
		found, err := r.readPlacements(ctx)
		if core.HasCode(err, core.Unavailable) && known != nil {
			found, err = &placements{known.shards, time.Now().Add(rememberPlaces)}, nil
		}
		if err == nil && r.forgotten.Load() == forgotten {
			r.places.Store(found)
		}
		return found, err
	})
	select {
	case <-ctx.Done():
		return nil, WrapError(ctx.Err())
	case found := <-asked:
		if found.Err != nil {
			return nil, found.Err
		}
		return found.Val.(*placements), nil
	}
}

func (r *shardReader) readPlacements(ctx context.Context) (*placements, error) {
	rows, err := QueryMany[struct {
		Name       string
		ID         int64
		Low        string
		Host, Port string
	}](ctx, r.db.Reserved, listShards, Args{}) // reads must not keep events waiting
	if err != nil {
		return nil, err
	}
	byLow, whole := map[string]*shardPlace{}, map[string]string{}
	found := &placements{map[int64]*shardPlace{}, time.Now().Add(rememberPlaces)}
	for _, row := range rows {
		name := fmt.Sprintf("%s_%d", row.Name, row.ID)
		if row.Low == "" {
			whole[row.Name] = name
			continue
		}
		place := byLow[row.Low]
		if place == nil {
			place = &shardPlace{node: net.JoinHostPort(row.Host, row.Port), names: map[string]string{}}
			byLow[row.Low] = place
		}
		place.names[row.Name] = name
		if row.Name == "issues" {
			place.id = row.ID
			found.shards[row.ID] = place
		}
	}
	for _, place := range byLow {
		maps.Copy(place.names, whole)
	}
	return found, nil
}

// nodeSettings are those of the connections to nodes: they keep plans, as on one Postgres, and run without parallel workers, which take
// longer to start than a shard takes to read.
var nodeSettings = map[string]string{"plan_cache_mode": "auto", "max_parallel_workers_per_gather": "0"}

// poolOf returns the connections to a node for reads.
func (r *shardReader) poolOf(ctx context.Context, node string) (*pgxpool.Pool, error) {
	return r.openOnce(ctx, r.pools, node, poolOptions{size: nodeConnections, settings: nodeSettings})
}

// openOnce returns the pool of a node, and opens it if there is none. The address is the node's, and all else as in DATABASE_URL.
func (r *shardReader) openOnce(ctx context.Context, pools map[string]*pgxpool.Pool, node string, o poolOptions) (*pgxpool.Pool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if pool := pools[node]; pool != nil {
		return pool, nil
	}
	settings := maps.Clone(roleSettings)
	maps.Copy(settings, o.settings)
	o.settings = settings
	pool, err := openPool(ctx, withAddress(r.db.url, node), o)
	if err == nil {
		pools[node] = pool
	}
	return pool, err
}

// addStats adds the state of the pools.
func (r *shardReader) addStats(stats map[string]*pgxpool.Stat) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for purpose, pools := range map[string]map[string]*pgxpool.Pool{"reads": r.pools, "events": r.writers} {
		for node, pool := range pools {
			stats[purpose+" "+node] = pool.Stat()
		}
	}
}

func (r *shardReader) closePools() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, pools := range []map[string]*pgxpool.Pool{r.pools, r.writers} {
		for _, pool := range pools {
			pool.Close()
		}
	}
}

// withAddress returns a connection string with the address host:port.
func withAddress(connection, address string) string {
	if u, err := url.Parse(connection); err == nil && strings.HasPrefix(u.Scheme, "postgres") {
		u.Host = address
		query := u.Query()
		query.Del("host")
		query.Del("port")
		u.RawQuery = query.Encode()
		return u.String()
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		panic(err) // readPlacements made it
	}
	return fmt.Sprintf("%s host=%s port=%s", connection, host, port)
}

// usePlan makes the node use the plan that it has for all values, until the batch ends.
const usePlan = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`

// OnePlan marks a statement that one plan serves, whatever the values: planning it would take longer than running it. On a node the other
// reads of its batch, which it begins, are planned in the same way.
const OnePlan = "/* one plan */"

// sendEach sends a batch to each shard of the projects, on all nodes at the same time.
func (r *shardReader) sendEach(ctx context.Context, b *Batch, projects []int64) error {
	return r.db.whileMoving(ctx, func() error {
		added, err := r.collectEach(ctx, b, projects)
		if err == nil {
			addAll(added)
		}
		return err
	})
}

// collectEach sends a batch once, and returns what adds the rows, in the order of the shards.
func (r *shardReader) collectEach(ctx context.Context, b *Batch, projects []int64) ([]func(), error) {
	parts, err := r.splitByShard(ctx, projects)
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
			batch.reads = append(batch.reads, queuedRead{part.form(read.sql), pickRows(read.args, part.projects), read.collect})
			order[part.node] = append(order[part.node], i*len(parts)+n)
		}
	}
	added := make([]func(), len(b.reads)*len(parts))
	var reading errgroup.Group
	for node, batch := range batches {
		reading.Go(func() error {
			pool, err := r.poolOf(ctx, node)
			if err != nil {
				return err
			}
			ofNode, err := batch.collect(ctx, pool)
			for i, add := range ofNode {
				added[order[node][i]] = add
			}
			return err
		})
	}
	return added, reading.Wait()
}

// shardPart is what a shard has of some projects.
type shardPart struct {
	*shardPlace
	projects []int64
}

// splitByShard returns the shards of the projects, in order.
func (r *shardReader) splitByShard(ctx context.Context, projects []int64) (parts []shardPart, err error) {
	groups, err := r.db.shards.groupByShard(ctx, projects)
	if err != nil {
		return nil, err
	}
	places, err := r.findPlacements(ctx)
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		place := places.shards[group.shard]
		if place == nil {
			return nil, fmt.Errorf("%w: %d", errMoved, group.shard)
		}
		parts = append(parts, shardPart{place, group.projects})
	}
	return parts, nil
}
