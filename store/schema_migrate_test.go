package store_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

func TestSchemaIsOldUntilMigrated(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	s := storetest.Open(t, storetest.EmptyURL(t), c.Tell)
	require.ErrorIs(t, s.SchemaCurrent(t.Context()), store.ErrOldSchema)
	require.ErrorIs(t, s.SchemaCurrent(t.Context()), store.ErrOldSchema, "and says so again")
	for range 2 {
		require.NoError(t, s.Migrate(t.Context(), slog.New(slog.DiscardHandler)))
		require.NoError(t, s.SchemaCurrent(t.Context()))
	}
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	storetest.MakeIssue(t, s, "pay")
}

func TestManyServersMigrateAnEmptyDatabaseAtOnce(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.EmptyURL(t)
	var servers [8]*store.Store
	for i := range servers {
		servers[i] = storetest.Open(t, url, c.Tell)
	}
	storetest.RequireNoErrors(t, storetest.RunTogether(len(servers), func(i int) error {
		if err := servers[i].Migrate(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
			return err
		}
		if err := servers[i].SchemaCurrent(t.Context()); err != nil {
			return err
		}
		return servers[i].Intake.MakePartitions(t.Context())
	}))
	require.EqualValues(t, 1, storetest.ReadCell[int64](t, servers[0], `SELECT count(*) FROM goose_db_version WHERE version_id = 1`), "each migration ran once")
	storetest.MakeProject(t, servers[0], storetest.Shop, "Shop")
	storetest.MakeIssue(t, servers[1], "pay")
}

// TestOlderSchemaIsUpdated has the database of a server from before the newest migration.
func TestOlderSchemaIsUpdated(t *testing.T) {
	t.Parallel()
	url := storetest.EmptyURL(t)
	s := storetest.Open(t, url, storetest.NewClock().Tell)
	require.NoError(t, s.Migrate(t.Context(), slog.New(slog.DiscardHandler)))
	storetest.ChangeRows(t, s, `DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`)
	_, err := storetest.ConnectTo(t, url).Exec(t.Context(), `
DROP TABLE deploy_order, releases, deploys, deploy_commits, deploy_pull_requests, fixes, issue_alerts;
ALTER TABLE issues DROP COLUMN reopens_after, DROP COLUMN fix_id, DROP COLUMN fix_deployed_at`)
	require.NoError(t, err)

	require.ErrorIs(t, s.SchemaCurrent(t.Context()), store.ErrOldSchema)
	require.NoError(t, s.Migrate(t.Context(), slog.New(slog.DiscardHandler)))

	require.NoError(t, s.SchemaCurrent(t.Context()))
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	storetest.MakeIssue(t, s, "pay")
	require.NoError(t, s.VerifyFixes(t.Context()))
}

func TestSchemaIsOldUntilTheQueueIsMigrated(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	require.NoError(t, s.SchemaCurrent(t.Context()))
	storetest.ChangeRows(t, s, `INSERT INTO river_migration (line, version) VALUES ('main', 1000)`)
	require.NoError(t, s.SchemaCurrent(t.Context()), "a newer server has migrated")
	require.NoError(t, s.Migrate(t.Context(), slog.New(slog.DiscardHandler)))
	storetest.ChangeRows(t, s, `DELETE FROM river_migration WHERE version = 1000`)

	// As it is after a start that was killed between two of the queue's migrations.
	last := storetest.ReadCell[int64](t, s, `DELETE FROM river_migration WHERE version = (SELECT max(version) FROM river_migration) RETURNING version`)
	require.ErrorIs(t, s.SchemaCurrent(t.Context()), store.ErrOldSchema)
	require.NoError(t, s.Migrate(t.Context(), slog.New(slog.DiscardHandler)))
	require.NoError(t, s.SchemaCurrent(t.Context()))
	require.Equal(t, last, storetest.ReadCell[int64](t, s, `SELECT max(version) FROM river_migration`))
}

func TestEveryMethodSaysUnavailableWhenTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	s := storetest.Open(t, storetest.AwayURL, c.Tell)
	ctx, log, by := t.Context(), slog.New(slog.DiscardHandler), storetest.MakeActor(1)
	for name, call := range map[string]func() error{
		"CheckServer":    func() error { return s.CheckServer(ctx) },
		"Migrate":        func() error { return s.Migrate(ctx, log) },
		"SchemaCurrent":  func() error { return s.SchemaCurrent(ctx) },
		"MakePartitions": func() error { return s.Intake.MakePartitions(ctx) },
		"AddEvents": func() error {
			_, err := s.Intake.AddEvents(ctx, []intake.NewEvent{storetest.MakeEvent(storetest.Shop, "pay", 1, c.At(0))})
			return err
		},
		"Issue":         func() error { _, err := s.Issue(ctx, 1); return err },
		"Issues":        func() error { _, err := s.Issues(ctx, store.IssueFilter{Paging: core.Paging{Limit: 1}}); return err },
		"IssueEvents":   func() error { _, err := s.IssueEvents(ctx, 1, core.Paging{Limit: 1}); return err },
		"IssueActivity": func() error { _, err := s.IssueActivity(ctx, 1, core.Paging{Limit: 1}); return err },
		"Event":         func() error { _, err := s.Event(ctx, 1); return err },
		"CreateDeploy":  func() error { _, err := s.CreateDeploy(ctx, by, store.NewDeploy{ProjectID: 1}); return err },
		"ListReleases": func() error {
			_, err := s.ListReleases(ctx, store.ReleaseFilter{Paging: core.Paging{Limit: 1}})
			return err
		},
		"ReadRelease": func() error { _, err := s.ReadRelease(ctx, 1, "1.0"); return err },
		"LinkFix":     func() error { _, err := s.LinkFix(ctx, by, 1, store.NewFix{}); return err },
		"FixOutcomes": func() error { _, err := s.ListFixOutcomes(ctx, "", core.Paging{Limit: 1}); return err },
		"VerifyFixes": func() error { return s.VerifyFixes(ctx) },
		"DropAlerts":  func() error { return s.DropAlerts(ctx) },
		"SetStatus":   func() error { _, err := s.SetStatus(ctx, by, 1, core.Resolved); return err },
		"Claim":       func() error { _, err := s.Claim(ctx, by, 1, 1); return err },
		"Release":     func() error { _, err := s.Release(ctx, by, 1); return err },
		"AddNote":     func() error { _, err := s.AddNote(ctx, by, 1, "hi"); return err },
		"CreateToken": func() error { _, err := s.CreateToken(ctx, by, store.NewToken{}); return err },
		"Tokens":      func() error { _, err := s.Tokens(ctx); return err },
		"RevokeToken": func() error { return s.RevokeToken(ctx, by, 1) },
		"UseToken":    func() error { _, err := s.UseToken(ctx, hashOf("x")); return err },
		"CreateProject": func() error {
			_, err := s.CreateProject(ctx, by, store.NewProject{ID: storetest.Shop, Name: "Shop"})
			return err
		},
		"Projects":         func() error { _, err := s.Projects(ctx); return err },
		"Project":          func() error { _, err := s.Project(ctx, 1); return err },
		"FindProject":      func() error { _, err := s.FindProject(ctx, "shop"); return err },
		"CreateProjectKey": func() error { return s.CreateProjectKey(ctx, core.Bootstrap(), 1, "key") },
		"RevokeProjectKey": func() error { return s.RevokeProjectKey(ctx, core.Bootstrap(), 1, "key") },
		"ProjectForKey":    func() error { _, err := s.ProjectForKey(ctx, "key"); return err },
		"IngestState":      func() error { _, err := s.IngestState(ctx, 0); return err },
		"MarkAlive":        func() error { return s.MarkAlive(ctx, map[int64]core.Time{storetest.Shop: c.At(0)}) },
		"NoteRefusal":      func() error { return s.NoteRefusal(ctx, c.At(0)) },
		"InstallSecret":    func() error { _, err := s.InstallSecret(ctx, "users", []byte("x")); return err },
	} {
		err := call()
		require.Error(t, err, name)
		require.Equal(t, core.Unavailable, core.AsError(err).Code, "%s: %v", name, err)
	}
}

func TestWrongURLDoesNotShowItsPassword(t *testing.T) {
	t.Parallel()
	_, err := store.Open(t.Context(), store.Options{URL: "postgres://me:hunter2@:port/x", Clock: time.Now})
	require.ErrorContains(t, err, "DATABASE_URL")
	require.NotContains(t, err.Error(), "hunter2")
}
