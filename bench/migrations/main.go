// Command migrations measures how long each migration keeps a writer waiting on a database with many issues.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/bench"
	"errand/migrations"
	"errand/store"
	"errand/store/embedded"
)

// filledAt is the migration after which the tables are filled: from then on each has rows to look at.
const filledAt = 10

// options are the flags.
type options struct {
	issues int
	out    string
}

func main() {
	var o options
	flag.IntVar(&o.issues, "issues", 500_000, "issues in the database, with as many hours, activities, releases and environments")
	flag.StringVar(&o.out, "out", "bench/migrations.md", "where the results go")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measured is what a migration took.
type measured struct {
	file    string
	took    time.Duration
	longest time.Duration // that a writer waited
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // Postgres may run as another user
		return err
	}
	postgres, err := embedded.Start(ctx, embedded.Options{Dir: dir, Memory: 64})
	if err != nil {
		return err
	}
	defer func() { _ = postgres.Stop(ctx) }()
	db, err := store.Open(ctx, store.Options{URL: postgres.URL(), Clock: time.Now, OwnsPostgres: true})
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := pgx.Connect(ctx, postgres.URL())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	all, err := measureAll(ctx, db, conn, o.issues)
	if err != nil {
		return err
	}
	return writeResults(o, all)
}

// measureAll runs all migrations: those up to filledAt together, and the others one after the other, beside a writer.
func measureAll(ctx context.Context, db *store.Store, conn *pgx.Conn, issues int) (all []measured, err error) {
	log := slog.New(slog.DiscardHandler)
	if err := db.MigrateTo(ctx, filledAt, log); err != nil {
		return nil, err
	}
	if err := fillTables(ctx, conn, issues); err != nil {
		return nil, err
	}
	for _, file := range migrations.ListFiles() {
		if file.Version <= filledAt {
			continue
		}
		w, err := startWriter(ctx, conn.Config(), issues)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if err := db.MigrateTo(ctx, file.Version, log); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
		took := time.Since(began)
		longest, err := w.stopWriting()
		if err != nil {
			return nil, fmt.Errorf("%s: the writer: %w", file.Name, err)
		}
		all = append(all, measured{file.Name, took, longest})
		fmt.Fprintf(os.Stderr, "%s: %v, a writer waited %v\n", file.Name, took.Round(time.Millisecond), longest.Round(time.Millisecond))
	}
	return all, nil
}

// fillTables makes the issues of one project, as they were after filledAt.
func fillTables(ctx context.Context, conn *pgx.Conn, issues int) error {
	for _, sql := range []string{`
INSERT INTO issues (project_id, id, last_seen, first_seen, status_at, times_seen, stored_events, users_affected,
	fingerprint_version, status, first_release, last_release, level, platform, type, fingerprint, title, culprit, crash_site, quiet)
SELECT 1, n, now() - n * interval '1 minute', now() - n * interval '2 minutes', now(), 1 + n % 1000, 1 + n % 200, n % 50, 1,
	CASE n % 4 WHEN 0 THEN 'resolved' ELSE 'unresolved' END, 'shop@1.' || n % 100, 'shop@1.' || n % 200, 'error', 'node', 'TypeError',
	decode(md5(n::text), 'hex'), 'TypeError: cannot read ' || n, 'checkout.pay', 'app', n % 3 > 0
FROM generate_series(1, $1::int) n`, `
INSERT INTO issue_fingerprints (project_id, version, fingerprint, issue_id)
SELECT 1, 1, decode(md5(n::text), 'hex'), n FROM generate_series(1, $1::int) n`, `
INSERT INTO issue_hours (project_id, issue_id, hour, events)
SELECT 1, n, date_trunc('hour', now() - n * interval '1 minute'), 3 FROM generate_series(1, $1::int) n`, `
INSERT INTO issue_releases (project_id, release, issue_id) SELECT 1, 'shop@1.' || n % 200, n FROM generate_series(1, $1::int) n`, `
INSERT INTO issue_environments (project_id, environment, issue_id) SELECT 1, 'production', n FROM generate_series(1, $1::int) n`, `
INSERT INTO activity (project_id, id, at, target_id, actor_type, actor_name, action, target_type)
SELECT 1, n, now() - n * interval '1 minute', n, 'token', 'agent', 'issue.claim', 'issue' FROM generate_series(1, $1::int) n`,
	} {
		if _, err := conn.Exec(ctx, sql, issues); err != nil {
			return err
		}
	}
	_, err := conn.Exec(ctx, "ANALYZE")
	return err
}

// writeResults writes the table.
func writeResults(o options, all []measured) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# Migrations\n\nMade by `make bench-migrations` on %s, with %d issues, and as many hours, activities, releases and "+
		"environments of issues.\nBeside each migration one writer counts events on random issues, a transaction after the other: "+
		"the longest of them is what\na server's events would have waited.\n\n| migration | took, ms | a writer waited, ms |\n|---|---|---|\n",
		bench.DescribeMachine(), o.issues)
	for _, m := range all {
		fmt.Fprintf(&text, "| %s | %d | %d |\n", m.file, m.took.Milliseconds(), m.longest.Milliseconds())
	}
	return os.WriteFile(o.out, []byte(text.String()), 0o644)
}
