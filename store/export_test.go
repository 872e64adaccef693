package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

// OpenTraced opens a store with a tracer for its statements.
func OpenTraced(t testing.TB, url string, clock core.Clock, tracer pgx.QueryTracer) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{URL: url, Clock: clock})
	require.NoError(t, err)
	s.db.Main.Close()
	config, err := pgxpool.ParseConfig(url)
	require.NoError(t, err)
	config.ConnConfig.Tracer = tracer
	s.db.Main, err = pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// TakeIssueID takes an id for an issue.
func (s *Store) TakeIssueID(ctx context.Context) (int64, error) {
	return s.db.IDs.TakeOne(ctx, intake.IssueIDs)
}

// MigrateButTheNewest brings an empty database to the schema before the newest migration.
func (s *Store) MigrateButTheNewest(ctx context.Context) error {
	return s.withMigrations(s.db.Main, func(m *migration) error {
		all := m.ours.ListSources()
		_, err := m.ours.UpTo(ctx, all[len(all)-2].Version)
		return err
	})
}

// Digest is the value that cursors of the filter are checked against.
func (f IssueFilter) Digest(since time.Time) uint32 { return f.digest(since) }

// SearchBounds sets when a search asks the index: see searchBounds.
func (s *Store) SearchBounds(newest, frequent, found int) {
	s.searchBounds = searchBounds{newest, frequent, found}
}

// GramsOfSearch returns the grams that every issue with the text has.
func GramsOfSearch(project int64, text string) []int32 { return hashSearchGrams(project, text) }

// PurgedTables returns the tables that the deletion of a project empties, a partitioned one once.
func (s *Store) PurgedTables(ctx context.Context) ([]string, error) {
	tables, err := pg.QueryMany[projectTable](ctx, s.db.Main, listProjectTables, pg.Args{"kept": keptTables})
	found := map[string]struct{}{}
	for _, t := range tables {
		found[strings.TrimRight(t.Name, "_0123456789")] = struct{}{}
	}
	return slices.Sorted(maps.Keys(found)), err
}

// FrequenciesAge is how long the frequencies of features are remembered.
const FrequenciesAge = frequenciesAge

// LockTimeoutOfMigrations returns how long a migration waits for a lock.
func (s *Store) LockTimeoutOfMigrations(t testing.TB) (value string) {
	t.Helper()
	db := openMigrationDB(s.db.Main)
	defer func() { require.NoError(t, db.Close()) }()
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback()) }()
	require.NoError(t, tx.QueryRowContext(t.Context(), "SHOW lock_timeout").Scan(&value))
	return value
}

// ShowInTx returns a setting of Postgres in a transaction of the writer of events and in one of the main pool.
func (s *Store) ShowInTx(t testing.TB, setting string) map[string]string {
	t.Helper()
	shown := map[string]string{}
	for name, inTx := range map[string]func(context.Context, func(*pg.Tx) error) error{"main": s.db.InTx, "events": s.db.InWriterTx} {
		require.NoError(t, inTx(t.Context(), func(tx *pg.Tx) error {
			var value string
			err := tx.QueryRow(t.Context(), "SHOW "+setting).Scan(&value)
			shown[name] = value
			return err
		}))
	}
	return shown
}

// ShowAtStart returns a setting of Postgres on a connection outside transactions.
func (s *Store) ShowAtStart(t testing.TB, setting string) (value string) {
	t.Helper()
	require.NoError(t, s.db.Main.QueryRow(t.Context(), "SHOW "+setting).Scan(&value))
	return value
}

// MakeReadOnly turns the existing connections into connections to a server that takes no writes.
func (s *Store) MakeReadOnly(t testing.TB) {
	t.Helper()
	for _, pool := range append(s.db.WriterPools(), s.db.Main) {
		for _, conn := range pool.AcquireAllIdle(t.Context()) {
			_, err := conn.Exec(t.Context(), `SET default_transaction_read_only = on`)
			require.NoError(t, err)
			conn.Release()
		}
	}
}

// The statement of the list of labels, for checking its plan.
const (
	LabelColumns = selectLabels
	LabelActions = labelActions
)

// RebuildableActions returns the actions that can be rebuilt from a stored request.
func RebuildableActions() []core.HeldAction { return slices.Collect(maps.Keys(rebuildAction)) }

// DigestOfRelease is the SQL expression for the digest of the column release of a table named n.
const DigestOfRelease = digestOfRelease

// IssueTables are the tables that end with an issue.
var IssueTables = issueTables

// Placements returns the placement of each table, by its name.
func Placements() map[string]Placement {
	placed := map[string]Placement{}
	for _, p := range placements {
		for _, table := range p.tables {
			placed[table] = p.kind
		}
	}
	return placed
}

// IsDistributed reports whether the tables are distributed over nodes.
func (s *Store) IsDistributed() bool { return s.db.IsDistributed() }

// FormsByProject are the statements about projects in the form for distributed tables.
func FormsByProject() map[string]string {
	forms := map[string]string{
		"listProjects": listProjects, "selectOnProject": selectOnProject, "selectIntakeProject": selectIntakeProject,
		"selectIntakeProjectOfKey": selectIntakeProjectOfKey, "listManagedProjects": listManagedProjects,
		"findManagedProject": findManagedProject, "countStatuses": countStatuses, "countNoise": countNoise,
		"countOpenOfProjects": countOpenOfProjects, "readLastEvent": readLastEvent, "selectProjectsOfRelease": selectProjectsOfRelease,
	}
	for name, sql := range forms {
		forms[name] = formByProject(sql)
	}
	return forms
}
