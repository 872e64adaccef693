package storetest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path"
	"strings"
	"time"

	"errand/store"
	"errand/testkit/citus"
)

// testShards is how many shards a test's database has.
const testShards = 4

// isOnCitus reports whether databases of tests are on Citus.
func isOnCitus() bool { return len(citus.ListNodes()) > 0 }

// createOnCitus creates a database on each node, and distributes the tables.
func (s *server) createOnCitus(ctx context.Context) (string, error) {
	s.mu.Lock()
	s.made++
	name := nameOnCitus(s.made)
	s.mu.Unlock()
	url, err := citus.CreateDatabase(ctx, s.citus, name)
	if err != nil {
		return "", err
	}
	db, err := store.Open(ctx, store.Options{URL: url, Clock: time.Now})
	if err != nil {
		return "", err
	}
	defer db.Close()
	if err := db.Migrate(ctx, slog.New(slog.DiscardHandler)); err != nil {
		return "", err
	}
	if err := db.DistributeTables(ctx, testShards, func(store.DistributionStep) {}); err != nil {
		return "", err
	}
	return name, db.Intake.MakePartitions(ctx)
}

// nameOnCitus is the name of the n-th database of this process: other processes use the same nodes.
func nameOnCitus(n int) string { return fmt.Sprintf("errand_test_%d_%d", os.Getpid(), n) }

// dropOnCitus drops the database with this URL.
func (s *server) dropOnCitus(ctx context.Context, databaseURL string) {
	citus.DropDatabase(ctx, s.citus, path.Base(strings.SplitN(databaseURL, "?", 2)[0]))
}

// dropAll drops the databases of this process.
func (s *server) dropAll(ctx context.Context) {
	for n := 1; n <= s.made; n++ {
		citus.DropDatabase(ctx, s.citus, nameOnCitus(n))
	}
}
