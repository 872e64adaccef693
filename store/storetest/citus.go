package storetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/store"
)

// citusNodes names the variable that makes tests use databases on Citus: the URLs of the nodes, the coordinator first.
const citusNodes = "CITUS_NODES"

// isOnCitus reports whether databases of tests are on Citus.
var isOnCitus = os.Getenv(citusNodes) != ""

// testShards is how many shards a test's database has.
const testShards = 4

func startOnCitus(ctx context.Context, nodes string) (*server, error) {
	s := &server{citus: strings.Fields(nodes)}
	running = s
	var err error
	s.admin, err = pgx.Connect(ctx, s.citus[0])
	return s, err
}

// createOnCitus creates a database on each node, and distributes the tables.
func (s *server) createOnCitus(ctx context.Context) (string, error) {
	s.mu.Lock()
	s.made++
	name := fmt.Sprintf("errand_test_%d_%d", os.Getpid(), s.made)
	s.mu.Unlock()
	for _, node := range s.citus {
		if err := execOn(ctx, node, "CREATE DATABASE "+name); err != nil {
			return "", err
		}
		if err := execOn(ctx, withDatabase(node, name), "CREATE EXTENSION citus"); err != nil {
			return "", err
		}
	}
	for i, node := range s.citus {
		u, err := url.Parse(node)
		if err != nil {
			return "", err
		}
		add := "SELECT citus_add_node('%s', %s)"
		if i == 0 {
			add = "SELECT citus_set_coordinator_host('%s', %s)"
		}
		if err := s.addNode(ctx, name, fmt.Sprintf(add, u.Hostname(), u.Port())); err != nil {
			return "", err
		}
	}
	db, err := store.Open(ctx, store.Options{URL: s.databaseURL(name), Clock: time.Now})
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

// addNodeAttempts bounds the attempts to add a node: Citus ends the first connections to a new database.
const addNodeAttempts = 10

func (s *server) addNode(ctx context.Context, name, sql string) (err error) {
	for range addNodeAttempts {
		if err = execOn(ctx, s.databaseURL(name), sql); err == nil {
			return nil
		}
	}
	return err
}

// dropOnCitus drops the database with this URL from each node.
func (s *server) dropOnCitus(ctx context.Context, databaseURL string) {
	name := path.Base(strings.SplitN(databaseURL, "?", 2)[0])
	for _, node := range s.citus {
		_ = execOn(ctx, node, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	}
}

// dropAll drops the databases of this process.
func (s *server) dropAll(ctx context.Context) {
	for n := 1; n <= s.made; n++ {
		for _, node := range s.citus {
			_ = execOn(ctx, node, fmt.Sprintf("DROP DATABASE IF EXISTS errand_test_%d_%d WITH (FORCE)", os.Getpid(), n))
		}
	}
}

func execOn(ctx context.Context, databaseURL, sql string) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	return errors.Join(err, conn.Close(ctx))
}

func withDatabase(databaseURL, name string) string {
	u, err := url.Parse(databaseURL)
	if err != nil {
		panic(err)
	}
	u.Path = "/" + name
	return u.String()
}
