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
	s := storetest.Open(t, storetest.NewEmptyURL(t), c.Tell)
	require.ErrorIs(t, s.CheckSchema(t.Context()), store.ErrOldSchema)
	require.ErrorIs(t, s.CheckSchema(t.Context()), store.ErrOldSchema, "and says so again")
	for range 2 {
		require.NoError(t, s.Migrate(t.Context(), slog.New(slog.DiscardHandler)))
		require.NoError(t, s.CheckSchema(t.Context()))
	}
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	storetest.MakeIssue(t, s, "pay")
}

func TestManyServersMigrateAnEmptyDatabaseAtOnce(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewEmptyURL(t)
	var servers [8]*store.Store
	for i := range servers {
		servers[i] = storetest.Open(t, url, c.Tell)
	}
	storetest.RequireNoErrors(t, storetest.RunTogether(len(servers), func(i int) error {
		if err := servers[i].Migrate(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
			return err
		}
		if err := servers[i].CheckSchema(t.Context()); err != nil {
			return err
		}
		return servers[i].Intake.MakePartitions(t.Context())
	}))
	require.EqualValues(t, 1, storetest.ReadCell[int64](t, servers[0], `SELECT count(*) FROM goose_db_version WHERE version_id = 1`),
		"each migration ran once")
	storetest.MakeProject(t, servers[0], storetest.Shop, "Shop")
	storetest.MakeIssue(t, servers[1], "pay")
}

// TestOlderSchemaIsUpdated starts with the database of a server from before the newest migration.
func TestOlderSchemaIsUpdated(t *testing.T) {
	t.Parallel()
	url := storetest.NewEmptyURL(t)
	s := storetest.Open(t, url, storetest.NewClock().Tell)
	require.NoError(t, s.MigrateButTheNewest(t.Context()))

	require.ErrorIs(t, s.CheckSchema(t.Context()), store.ErrOldSchema)
	require.NoError(t, s.Migrate(t.Context(), slog.New(slog.DiscardHandler)))

	require.NoError(t, s.CheckSchema(t.Context()))
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	storetest.MakeIssue(t, s, "pay")
	_, err := s.IndexIssues(t.Context())
	require.NoError(t, err)
}

func TestSchemaIsOldUntilTheQueueIsMigrated(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	require.NoError(t, s.CheckSchema(t.Context()))
	storetest.ChangeRows(t, s, `INSERT INTO river_migration (line, version) VALUES ('main', 1000)`)
	require.NoError(t, s.CheckSchema(t.Context()), "a newer server has migrated")
	require.NoError(t, s.Migrate(t.Context(), slog.New(slog.DiscardHandler)))
	storetest.ChangeRows(t, s, `DELETE FROM river_migration WHERE version = 1000`)

	// The state after a start that was killed between two of the queue's migrations.
	last := storetest.ReadCell[int64](t, s, `DELETE FROM river_migration WHERE version = (SELECT max(version) FROM river_migration)
		RETURNING version`)
	require.ErrorIs(t, s.CheckSchema(t.Context()), store.ErrOldSchema)
	require.NoError(t, s.Migrate(t.Context(), slog.New(slog.DiscardHandler)))
	require.NoError(t, s.CheckSchema(t.Context()))
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
		"CheckSchema":    func() error { return s.CheckSchema(ctx) },
		"MakePartitions": func() error { return s.Intake.MakePartitions(ctx) },
		"AddEvents": func() error {
			_, err := s.Intake.AddEvents(ctx, []intake.NewEvent{storetest.MakeShopEvent("pay", 1, c.At(0))})
			return err
		},
		"ReadIssue": func() error { _, err := s.ReadIssue(ctx, 1); return err },
		"Issues": func() error {
			_, err := s.ListIssues(ctx, store.IssueFilter{Paging: core.Paging{Limit: 1}})
			return err
		},
		"ListIssueEvents": func() error {
			_, err := s.ListIssueEvents(ctx, 1, store.EventFilter{Paging: core.Paging{Limit: 1}})
			return err
		},
		"ListIssueActivity": func() error {
			_, err := s.ListIssueActivity(ctx, 1, core.AllActivity, core.Paging{Limit: 1})
			return err
		},
		"ReadEvent":      func() error { _, err := s.ReadEvent(ctx, 1); return err },
		"SetIssueStatus": func() error { _, err := s.SetIssueStatus(ctx, by, 1, core.Resolved); return err },
		"ClaimIssue":     func() error { _, err := s.ClaimIssue(ctx, by, 1, 1); return err },
		"ReleaseIssue":   func() error { _, err := s.ReleaseIssue(ctx, by, 1, ""); return err },
		"AddNote":        func() error { _, err := s.AddNote(ctx, by, 1, "hi"); return err },
		"CreateToken":    func() error { _, err := s.CreateToken(ctx, by, store.NewToken{}); return err },
		"ListTokens":     func() error { _, err := s.ListTokens(ctx); return err },
		"RevokeToken":    func() error { return s.RevokeToken(ctx, by, 1) },
		"UseToken":       func() error { _, err := s.UseToken(ctx, hashOf("x")); return err },
		"CreateProject": func() error {
			_, err := s.CreateProject(ctx, by, store.NewProject{ID: storetest.Shop, Name: "Shop"})
			return err
		},
		"ListProjects":      func() error { _, err := s.ListProjects(ctx); return err },
		"ReadProject":       func() error { _, err := s.ReadProject(ctx, 1); return err },
		"FindProject":       func() error { _, err := s.FindProject(ctx, "shop"); return err },
		"CreateProjectKey":  func() error { return s.CreateProjectKey(ctx, core.NewBootstrapActor(), 1, "key") },
		"RevokeProjectKey":  func() error { return s.RevokeProjectKey(ctx, core.NewBootstrapActor(), 1, "key") },
		"FindIntakeProject": func() error { _, err := s.FindIntakeProject(ctx, "key"); return err },
		"ReadIngestState":   func() error { _, err := s.ReadIngestState(ctx, 0); return err },
		"MarkAlive":         func() error { return s.MarkAlive(ctx, map[int64]core.Time{storetest.Shop: c.At(0)}) },
		"NoteRefusal":       func() error { return s.NoteRefusal(ctx, c.At(0)) },
		"EnsureSecret":      func() error { _, err := s.EnsureSecret(ctx, "users", []byte("x")); return err },
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
