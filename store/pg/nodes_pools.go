package pg

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// These bound the connections to each node, for reads and for the writer of events: a node that hangs keeps no others waiting.
const (
	nodeReaders = 6
	nodeWriters = 6
)

// nodeSettings are for reads on nodes. Plans are kept, as on one Postgres. Parallel workers would take longer to start than a shard takes
// to read.
var nodeSettings = map[string]string{"plan_cache_mode": "auto", "max_parallel_workers_per_gather": "0"}

// readerPoolOf returns the connections to a node for reads.
func (s *shardNodes) readerPoolOf(ctx context.Context, node string) (*pgxpool.Pool, error) {
	return s.openOnce(ctx, s.readers, node, poolOptions{size: nodeReaders, settings: nodeSettings})
}

// writerPoolOf returns the connections to a node for the writer of events.
func (s *shardNodes) writerPoolOf(ctx context.Context, node string) (*pgxpool.Pool, error) {
	return s.openOnce(ctx, s.writers, node, poolOptions{size: nodeWriters, settings: writerSettings, afterConnect: prepareWriter})
}

// openOnce returns the pool of a node, and opens it if there is none. The address is the node's, and all else as in DATABASE_URL.
func (s *shardNodes) openOnce(ctx context.Context, pools map[string]*pgxpool.Pool, node string, o poolOptions) (*pgxpool.Pool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pool := pools[node]; pool != nil {
		return pool, nil
	}
	settings := maps.Clone(roleSettings)
	maps.Copy(settings, o.settings)
	o.settings = settings
	pool, err := openPool(ctx, withAddress(s.db.url, node), o)
	if err == nil {
		pools[node] = pool
	}
	return pool, err
}

// addStats adds the state of the pools.
func (s *shardNodes) addStats(stats map[string]*pgxpool.Stat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for purpose, pools := range map[string]map[string]*pgxpool.Pool{"reads": s.readers, "events": s.writers} {
		for node, pool := range pools {
			stats[purpose+" "+node] = pool.Stat()
		}
	}
}

func (s *shardNodes) closePools() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, pools := range []map[string]*pgxpool.Pool{s.readers, s.writers} {
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
