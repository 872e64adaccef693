package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"errand/core"
)

// OpenTraced opens a store whose statements a tracer sees.
func OpenTraced(t testing.TB, url string, clock core.Clock, tracer pgx.QueryTracer) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{URL: url, Clock: clock})
	require.NoError(t, err)
	s.pool.Close()
	config, err := pgxpool.ParseConfig(url)
	require.NoError(t, err)
	config.ConnConfig.Tracer = tracer
	s.pool, err = pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// Forget makes the writer of events as ignorant as one that has just started.
func (s *Store) Forget() { s.known = newKnown() }

// TakeEventIDs takes n ids for events.
func (s *Store) TakeEventIDs(ctx context.Context, n int) ([]int64, error) {
	return s.ids.take(ctx, eventIDs, n)
}

// TakeIssueID takes an id for an issue.
func (s *Store) TakeIssueID(ctx context.Context) (int64, error) { return s.ids.one(ctx, issueIDs) }

// Digest is what the cursors of the filter are checked against.
func (f IssueFilter) Digest(since time.Time) uint32 { return f.digest(since) }

// SearchBounds sets when a search asks the index: see searchBounds.
func (s *Store) SearchBounds(newest, frequent, found int) {
	s.searching = searchBounds{newest, frequent, found}
}

// GramsOfSearch are the grams that every issue with the text has.
func GramsOfSearch(project int64, text string) []int32 { return gramsOfSearch(project, text) }

// Recent is a cache of what was used lately.
type Recent[K comparable, V any] struct{ *recent[K, V] }

// NewRecent makes a cache.
func NewRecent[K comparable, V any](size int) Recent[K, V] {
	return Recent[K, V]{newRecent[K, V](size)}
}

// Get gives an entry.
func (r Recent[K, V]) Get(key K) (V, bool) { return r.get(key) }

// Add remembers an entry.
func (r Recent[K, V]) Add(key K, v V) { r.add(key, v) }

// PurgedTables gives the tables from which the rows of a deleted project are deleted, a partitioned one once.
func (s *Store) PurgedTables(ctx context.Context) ([]string, error) {
	tables, err := many[projectTable](ctx, s.pool, projectTables, args{"kept": keptTables})
	found := map[string]struct{}{}
	for _, t := range tables {
		found[strings.TrimRight(t.Name, "_0123456789")] = struct{}{}
	}
	return slices.Sorted(maps.Keys(found)), err
}

// FrequenciesAge is how long the frequencies of features are remembered.
const FrequenciesAge = frequenciesAge

// EncodeArray gives an array as the writer of events sends it.
func EncodeArray(oid uint32, value any) ([]byte, error) {
	types := pgtype.NewMap()
	sendArrays(types)
	return types.Encode(oid, pgtype.BinaryFormatCode, value, nil)
}

// WaitingBytes is the size of the events that wait to be stored.
func (s *Store) WaitingBytes() int { return waitingBytes - s.overfull.room() }

// LockTimeoutOfMigrations is how long a migration waits for a lock.
func (s *Store) LockTimeoutOfMigrations(t testing.TB) string {
	t.Helper()
	pool, err := s.openMigrationPool(t.Context())
	require.NoError(t, err)
	defer pool.Close()
	return show(t, pool, "lock_timeout")
}

// ShowOnEachPool returns a setting of Postgres as a connection of each pool has it.
func (s *Store) ShowOnEachPool(t testing.TB, setting string) map[string]string {
	t.Helper()
	return map[string]string{"main": show(t, s.pool, setting), "events": show(t, s.writer, setting), "ids": show(t, s.ids.pool, setting)}
}

func show(t testing.TB, pool *pgxpool.Pool, setting string) (value string) {
	t.Helper()
	require.NoError(t, pool.QueryRow(t.Context(), "SHOW "+setting).Scan(&value))
	return value
}

// Wrap is what an error of the database becomes.
func Wrap(err error) error { return wrap(err) }

// MakeReadOnly makes the connections that are there those of a server that takes no writes any more.
func (s *Store) MakeReadOnly(t testing.TB) {
	t.Helper()
	for _, pool := range []*pgxpool.Pool{s.pool, s.writer, s.ids.pool} {
		for _, conn := range pool.AcquireAllIdle(t.Context()) {
			_, err := conn.Exec(t.Context(), `SET default_transaction_read_only = on`)
			require.NoError(t, err)
			conn.Release()
		}
	}
}
