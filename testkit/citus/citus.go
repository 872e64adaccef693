// Package citus makes databases on the nodes of Citus, for tests and benchmarks. scripts/try-citus starts such nodes.
package citus

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ListNodes returns the URLs of the nodes in CITUS_NODES, the coordinator first; none where tests do not run on Citus.
func ListNodes() []string { return strings.Fields(os.Getenv("CITUS_NODES")) }

// CreateDatabase creates a database of this name on each node, and makes them one. It returns the URL of the coordinator's.
func CreateDatabase(ctx context.Context, nodes []string, name string) (string, error) {
	for _, node := range nodes {
		if err := RunStatement(ctx, node, "CREATE DATABASE "+name); err != nil {
			return "", err
		}
		if err := RunStatement(ctx, InDatabase(node, name), "CREATE EXTENSION citus"); err != nil {
			return "", err
		}
	}
	coordinator := InDatabase(nodes[0], name)
	for i, node := range nodes {
		add := "SELECT citus_add_node('%s', %s)"
		if i == 0 {
			add = "SELECT citus_set_coordinator_host('%s', %s)"
		}
		u := parseURL(node)
		if err := addNode(ctx, coordinator, fmt.Sprintf(add, u.Hostname(), u.Port())); err != nil {
			return "", err
		}
	}
	return coordinator, nil
}

// addNodeAttempts bounds the attempts to add a node: Citus ends the first connections to a new database.
const addNodeAttempts = 10

func addNode(ctx context.Context, coordinator, sql string) (err error) {
	for range addNodeAttempts {
		if err = RunStatement(ctx, coordinator, sql); err == nil {
			return nil
		}
	}
	return err
}

// DropDatabase drops the database from each node that has it, as well as it can.
func DropDatabase(ctx context.Context, nodes []string, name string) {
	for _, node := range nodes {
		_ = RunStatement(ctx, node, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	}
}

// RunStatement runs a statement on a connection of its own.
func RunStatement(ctx context.Context, databaseURL, sql string) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	return errors.Join(err, conn.Close(ctx))
}

// InDatabase returns the URL of a database of a node.
func InDatabase(node, name string) string {
	u := parseURL(node)
	u.Path = "/" + name
	return u.String()
}

func parseURL(node string) *url.URL {
	u, err := url.Parse(node)
	if err != nil {
		panic(err) // whoever starts the nodes writes their URLs
	}
	return u
}
