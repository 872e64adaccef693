package storetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// database is a clone of the template. Its pool outlives the test that uses it: a new connection costs Postgres a process and a
// look at all tables, which is most of what clearing takes.
type database struct {
	url  string
	pool *pgxpool.Pool
}

// keptPools has the pools of the databases that tests use now, by their URLs: string -> *pgxpool.Pool.
var keptPools sync.Map

// takeDatabase returns a clean database.
func (s *server) takeDatabase() (*database, error) {
	d, err := s.findFreeDatabase()
	if err != nil {
		return nil, err
	}
	keptPools.Store(d.url, d.pool)
	return d, nil
}

func (s *server) findFreeDatabase() (*database, error) {
	s.mu.Lock()
	if n := len(s.free); n > 0 {
		defer s.mu.Unlock()
		d := s.free[n-1]
		s.free = s.free[:n-1]
		return d, nil
	}
	s.mu.Unlock()
	name, err := s.createFilled()
	if err != nil {
		return nil, err
	}
	url := s.databaseURL(name)
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return true } // some tests end all connections
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	return &database{url, pool}, err
}

// createFilled creates a database with the tables.
func (s *server) createFilled() (name string, err error) {
	if s.citus != nil {
		return s.createOnCitus(context.Background())
	}
	return s.createDatabase(template)
}

func (s *server) createDatabase(like string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	name := fmt.Sprintf("errand_test_%d", s.made)
	_, err := s.admin.Exec(context.Background(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY file_copy", name, like))
	return name, err
}

func (s *server) dropDatabase(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.admin.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
	return err
}

// clearTables drops tables newer than the template, such as partitions of other days, and empties the others. It takes 1-3
// ms instead of the 50 of TRUNCATE. The role skips the checks of foreign keys.
const clearTables = `
DO $$
DECLARE r record;
BEGIN
	SET LOCAL session_replication_role = replica;
	FOR r IN SELECT c.oid::regclass AS name, c.oid > %d AS made FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND c.relname NOT LIKE 'goose%%' AND c.relname <> 'river_migration'
			AND (NOT c.relispartition OR c.oid > %[1]d)
		ORDER BY made DESC
	LOOP
		EXECUTE CASE WHEN r.made THEN 'DROP TABLE ' ELSE 'DELETE FROM ' END || r.name;
	END LOOP;
END $$`

// clearWithin bounds the wait for locks of a connection that a failed test left open.
const clearWithin = 10 * time.Second

// returnDatabase makes a database ready for the next test. A database that cannot be cleared is not used again.
func (s *server) returnDatabase(d *database) {
	keptPools.Delete(d.url)
	if s.citus != nil {
		d.pool.Close()
		s.dropOnCitus(context.Background(), d.url)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), clearWithin)
	defer cancel()
	statement := fmt.Sprintf(clearTables, s.newest)
	_, err := d.pool.Exec(ctx, statement)
	if err != nil { // the test may have ended the connections of all
		_, err = d.pool.Exec(ctx, statement)
	}
	if err != nil {
		d.pool.Close()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, d)
}
