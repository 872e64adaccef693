package pg

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/singleflight"

	"errand/core"
)

// shardNodes knows where the shards are, and has the connections to their nodes.
type shardNodes struct {
	db        *DB
	mu        sync.Mutex // guards the pools, which are by the node
	readers   map[string]*pgxpool.Pool
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
	// rememberPlaces is how long no one looks for the shards again, unless a node no longer has one.
	rememberPlaces = 5 * time.Second
	// findWithin bounds a look-up of where they are.
	findWithin = 5 * time.Second
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
func (s *shardNodes) findPlacements(ctx context.Context) (*placements, error) {
	known := s.places.Load()
	if known != nil && time.Now().Before(known.until) {
		return known, nil
	}
	forgotten := s.forgotten.Load()
	asked := s.lookUps.DoChan(strconv.FormatInt(forgotten, 10), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), findWithin)
		defer cancel()
		found, err := s.readPlacements(ctx)
		if core.HasCode(err, core.Unavailable) && known != nil {
			found, err = &placements{known.shards, time.Now().Add(rememberPlaces)}, nil
		}
		if err == nil && s.forgotten.Load() == forgotten {
			s.places.Store(found)
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

func (s *shardNodes) readPlacements(ctx context.Context) (*placements, error) {
	rows, err := QueryMany[struct {
		Name       string
		ID         int64
		Low        string
		Host, Port string
	}](ctx, s.db.Reserved, listShards, Args{}) // reads must not keep events waiting
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

// shardPart is what a shard has of some projects.
type shardPart struct {
	*shardPlace
	projects []int64
}

// splitByShard returns the shards of the projects, in order.
func (s *shardNodes) splitByShard(ctx context.Context, projects []int64) (parts []shardPart, err error) {
	groups, err := s.db.shards.groupByShard(ctx, projects)
	if err != nil {
		return nil, err
	}
	places, err := s.findPlacements(ctx)
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

// hasMoved reports whether a statement or a transaction has failed, and done nothing, because its shard is no longer where it was
// remembered.
func (db *DB) hasMoved(err error) bool {
	return db.IsDistributed() && (errors.Is(err, errMoved) || HasState(err, pgerrcode.DivisionByZero, pgerrcode.UndefinedTable))
}

// While a shard moves, one look-up may have its old part and another its new one.
const (
	moveAttempts = 20
	movePause    = 50 * time.Millisecond
)

// whileMoving calls fn, and calls it again while a shard that it needs is moving.
func (db *DB) whileMoving(ctx context.Context, fn func() error) error {
	for n := 1; ; n++ {
		err := fn()
		switch {
		case !db.hasMoved(err):
			return WrapError(err)
		case n == moveAttempts:
			return core.NewError(core.Unavailable).Because(err)
		}
		db.nodes.forgetPlaces()
		select {
		case <-ctx.Done():
			return core.NewError(core.Unavailable).Because(ctx.Err())
		case <-time.After(movePause):
		}
	}
}

// forgetPlaces makes the next statements look up where the shards are.
func (s *shardNodes) forgetPlaces() {
	s.forgotten.Add(1)
	s.places.Store(nil)
	s.db.shards.cache.Purge()
}
