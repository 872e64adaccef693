package store_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

const office = 1_000_000_002

// purged is longer than a deleted project's rows stay.
const purged = 10 * time.Minute

// fillProject gives a project rows in every table that holds project data today.
func fillProject(t testing.TB, s *store.Store, project int64) (issue, event int64) {
	t.Helper()
	first := eventOf(project, "pay", 1, s.Now())
	first.User = storetest.HashUser(1)
	got := storetest.AddEvents(t, s, first)
	_, err := s.AddNote(t.Context(), core.NewBootstrapActor(), got.IssueID, "seen")
	require.NoError(t, err)
	storetest.ChangeRows(t, s, `INSERT INTO dictionaries (project_id, id, created_at, content) VALUES ($1, 1, $2, '')`, project,
		storetest.Noon)
	indexAll(t, s)
	return got.IssueID, got.ID
}

// eventOf returns an event with an id that only this project has.
func eventOf(project int64, group string, n int, at core.Time) intake.NewEvent {
	e := storetest.MakeEvent(project, group, n, at)
	id := sha256.Sum256(fmt.Append(nil, project, group, n))
	copy(e.EventID[:], id[:])
	return e
}

// projectTables returns the tables with a project_id from another part of the catalogue than the code uses.
func projectTables(t testing.TB, s *store.Store) []string {
	t.Helper()
	return storetest.ReadColumn[string](t, s, `
SELECT c.table_name::text FROM information_schema.columns c
	JOIN pg_class k ON k.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
WHERE c.table_schema = 'public' AND c.column_name = 'project_id' AND NOT k.relispartition ORDER BY 1`)
}

// tablesOf counts the rows of a project in each table that has some.
func tablesOf(t testing.TB, s *store.Store, project int64) map[string]int64 {
	t.Helper()
	rows := map[string]int64{}
	for _, table := range projectTables(t, s) {
		if n := storetest.ReadCell[int64](t, s, `SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()+` WHERE project_id = $1`,
			project); n > 0 {
			rows[table] = n
		}
	}
	return rows
}

// purgeAll deletes rows until nothing is left to do, and returns the number of rounds.
func purgeAll(t testing.TB, s *store.Store, project int64) (rounds int) {
	t.Helper()
	for done := false; !done; rounds++ {
		require.Less(t, rounds, 100)
		var err error
		done, err = s.PurgeProject(t.Context(), project)
		require.NoError(t, err)
	}
	return rounds
}

func TestDeletedProjectIsHiddenAtOnce(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	issue, event := fillProject(t, s, storetest.Shop)
	storetest.MakeProject(t, s, office, "Office")
	ctx, by, page := t.Context(), storetest.MakeActor(7), core.Paging{Limit: 10}
	c.Forward(time.Minute)
	require.NoError(t, storetest.DeleteProject(ctx, s, by, storetest.Shop))

	for name, call := range map[string]func() error{
		"Issue":         func() error { _, err := s.ReadIssue(ctx, issue); return err },
		"IssueEvents":   func() error { _, err := s.ListIssueEvents(ctx, issue, store.EventFilter{Paging: page}); return err },
		"IssueActivity": func() error { _, err := s.ListIssueActivity(ctx, issue, core.AllActivity, page); return err },
		"Event":         func() error { _, err := s.ReadEvent(ctx, event); return err },
		"SetStatus":     func() error { _, err := s.SetIssueStatus(ctx, by, issue, core.Resolved); return err },
		"Claim":         func() error { _, err := s.ClaimIssue(ctx, by, issue, 5); return err },
		"AddNote":       func() error { _, err := s.AddNote(ctx, by, issue, "hi"); return err },
		"Project":       func() error { _, err := s.ReadProject(ctx, storetest.Shop); return err },
		"ProjectForKey": func() error { _, err := s.FindIntakeProject(ctx, fmt.Sprint("key", storetest.Shop)); return err },
	} {
		require.True(t, core.HasCode(call(), core.NotFound), name)
	}
	for _, ref := range []core.ProjectRef{"shop", core.ProjectRef(fmt.Sprint(storetest.Shop))} {
		_, err := s.FindProject(ctx, ref)
		storetest.RequireCode(t, core.ProjectNotFound, err)
	}
	storetest.RequireCode(t, core.ProjectNotFound, storetest.DeleteProject(ctx, s, by, storetest.Shop))
	storetest.RequireCode(t, core.ProjectNotFound, storetest.DeleteProject(ctx, s, by, 1))
	projects, err := s.ListProjects(ctx)
	require.NoError(t, err)
	require.Len(t, projects, 1)
	issues, err := s.ListIssues(ctx, store.IssueFilter{Paging: page})
	require.NoError(t, err)
	require.Empty(t, issues.Data)
	state, err := s.ReadIngestState(ctx, 0)
	require.NoError(t, err)
	require.Zero(t, state.Events24h)

	again := storetest.MakeProject(t, s, storetest.Shop+10, "Shop")
	require.Equal(t, "shop", again.Slug, "the name is free")
}

func TestDeleteProjectRevokesItsTokens(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.MakeProject(t, s, office, "Office")
	create := func(name string, project int64) core.Token {
		token, err := s.CreateToken(t.Context(), core.NewBootstrapActor(), store.NewToken{
			Name: name, Hash: hashOf(name), Scopes: []core.Scope{core.IssuesRead}, ProjectID: project,
		})
		require.NoError(t, err)
		return token
	}
	bound, other, gone := create("bound", storetest.Shop), create("other", storetest.Shop), create("gone", storetest.Shop)
	create("everywhere", 0)
	create("office", office)
	require.NoError(t, s.RevokeToken(t.Context(), core.NewBootstrapActor(), gone.ID))
	c.Forward(time.Minute)
	require.NoError(t, storetest.DeleteProject(t.Context(), s, storetest.MakeActor(7), storetest.Shop))

	for _, name := range []string{"bound", "other", "gone"} {
		_, err := s.UseToken(t.Context(), hashOf(name))
		storetest.RequireCode(t, core.NotFound, err)
	}
	for _, name := range []string{"everywhere", "office"} {
		_, err := s.UseToken(t.Context(), hashOf(name))
		require.NoError(t, err)
	}
	require.ElementsMatch(t, []int64{bound.ID, other.ID}, storetest.ReadColumn[int64](t, s,
		`SELECT target_id FROM activity WHERE action = 'token.revoke' AND actor_name = 'agent-7' AND at = $1 AND target_type = 'token'`, c.Now))
	data := storetest.ReadCell[map[string]any](t, s, `SELECT data FROM activity
		WHERE project_id = $1 AND action = 'project.update' AND actor_name = 'agent-7'`, storetest.Shop)
	require.Equal(t, map[string]any{"deleted_at": "2026-03-14T12:31:00.000Z"}, data)

	_, err := s.CreateToken(t.Context(), core.NewBootstrapActor(),
		store.NewToken{Name: "late", Hash: hashOf("late"), ProjectID: storetest.Shop, Scopes: []core.Scope{core.IssuesRead}})
	storetest.RequireCode(t, core.ProjectNotFound, err)
}

// TestTokenIsNotMadeForAProjectThatIsBeingDeleted does both at the same time: no working token is left.
func TestTokenIsNotMadeForAProjectThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	for n := range 20 {
		id := int64(office + n)
		storetest.MakeProject(t, pair[0], id, fmt.Sprint("Office ", n))
		name := fmt.Sprint("token ", n)
		errs := storetest.RunTogether(2, func(i int) error {
			if i == 0 {
				return storetest.DeleteProject(t.Context(), pair[0], core.NewBootstrapActor(), id)
			}
			_, err := pair[1].CreateToken(t.Context(), core.NewBootstrapActor(),
				store.NewToken{Name: name, Hash: hashOf(name), ProjectID: id, Scopes: []core.Scope{core.IssuesRead}})
			return err
		})
		require.NoError(t, errs[0])
		if errs[1] != nil {
			storetest.RequireCode(t, core.ProjectNotFound, errs[1])
		}
		_, err := pair[0].UseToken(t.Context(), hashOf(name))
		storetest.RequireCode(t, core.NotFound, err)
	}
}

func TestPurgeDeletesEveryRowOfTheProject(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.MakeProject(t, s, office, "Office")
	issue, _ := fillProject(t, s, storetest.Shop)
	fillProject(t, s, office)
	before, kept := tablesOf(t, s, storetest.Shop), tablesOf(t, s, office)
	for _, table := range []string{"dictionaries", "event_ids", "events", "issue_environments", "issue_fingerprints", "issue_grams",
		"issue_hours", "issue_releases",
		"issue_users", "issues", "project_hours", "project_keys", "project_seen", "activity"} {
		require.Positive(t, before[table], table)
	}
	require.NoError(t, storetest.DeleteProject(t.Context(), s, storetest.MakeActor(7), storetest.Shop))
	story := tablesOf(t, s, storetest.Shop)["activity"]
	requireUnpurged := func(want ...int64) {
		list, err := s.UnpurgedProjects(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, want, list)
	}
	requireUnpurged()
	c.Forward(purged)
	requireUnpurged(storetest.Shop)
	purgeAll(t, s, storetest.Shop)
	requireUnpurged()

	require.Equal(t, map[string]int64{"activity": story}, tablesOf(t, s, storetest.Shop), "the timeline stays")
	require.Equal(t, kept, tablesOf(t, s, office), "the other project is unchanged")
	_, err := s.ReadIssue(t.Context(), issue)
	storetest.RequireCode(t, core.NotFound, err)
	_, err = s.ReadIssue(t.Context(), 1<<52)
	storetest.RequireCode(t, core.NotFound, err)
}

// TestPurgeKnowsEveryTable fails for a new table with a project_id that the deletion skips: see keptTables.
func TestPurgeKnowsEveryTable(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	tables := projectTables(t, s)
	require.Greater(t, len(tables), 10, "the tables were not found")
	found, err := s.PurgedTables(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, tables, append(found, "activity", "approvals", "tokens"))
}

func TestPurgeFindsTablesThatAreNew(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	rows, err := storetest.QuerySQL(t.Context(), s, `CREATE TABLE "With ""odd"" name" (id bigint PRIMARY KEY, project_id bigint NOT NULL)`)
	require.NoError(t, err)
	rows.Close()
	storetest.ChangeRows(t, s, `INSERT INTO "With ""odd"" name" VALUES (1, $1), (2, 5)`, storetest.Shop)
	require.NoError(t, storetest.DeleteProject(t.Context(), s, core.NewBootstrapActor(), storetest.Shop))
	c.Forward(purged)
	purgeAll(t, s, storetest.Shop)
	require.EqualValues(t, 2, storetest.ReadCell[int64](t, s, `SELECT id FROM "With ""odd"" name"`))
}

func TestPurgeGoesInPortions(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	fillProject(t, s, storetest.Shop)
	storetest.ChangeRows(t, s, `INSERT INTO issue_users SELECT $1, 1, sha256(n::text::bytea) FROM generate_series(1, 12000) n`, storetest.Shop)
	require.NoError(t, storetest.DeleteProject(t.Context(), s, core.NewBootstrapActor(), storetest.Shop))
	c.Forward(purged)
	done, err := s.PurgeProject(t.Context(), storetest.Shop)
	require.NoError(t, err)
	require.False(t, done)
	left := tablesOf(t, s, storetest.Shop)["issue_users"]
	require.Greater(t, left, int64(0), "each portion is bounded")
	require.Less(t, left, int64(12001))
	require.Equal(t, 3, purgeAll(t, s, storetest.Shop))
}

// TestPurgeOnTwoServersWhileEventsArrive uses servers that still take the project's events, which really happens only
// earlier: they must not leave rows behind.
func TestPurgeOnTwoServersWhileEventsArrive(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	storetest.MakeProject(t, pair[0], office, "Office")
	for n := range 40 {
		storetest.AddEvents(t, pair[0], eventOf(storetest.Shop, fmt.Sprint("pay", n%5), n, c.At(0)), eventOf(office, "print", n, c.At(0)))
	}
	require.NoError(t, storetest.DeleteProject(t.Context(), pair[0], core.NewBootstrapActor(), storetest.Shop))
	c.Forward(purged)
	errs := storetest.RunTogether(4, func(i int) error {
		if i >= 2 {
			for range 20 {
				if _, err := pair[i-2].PurgeProject(t.Context(), storetest.Shop); err != nil {
					return err
				}
			}
			return nil
		}
		for n := range 40 {
			_, _ = pair[i].Intake.AddEvents(t.Context(),
				[]intake.NewEvent{eventOf(storetest.Shop, fmt.Sprint("pay", n%5), 1000*(i+1)+n, c.At(0))}) // may be refused
			if _, err := pair[i].Intake.AddEvents(t.Context(), []intake.NewEvent{eventOf(office, "print", 1000*(i+1)+n, c.At(0))}); err != nil {
				return err
			}
		}
		return nil
	})
	storetest.RequireNoErrors(t, errs)
	// The next runs find rows that came last, even if the project counted as done before.
	purgeAll(t, pair[1], storetest.Shop)
	left := tablesOf(t, pair[0], storetest.Shop)
	delete(left, "activity")
	require.Empty(t, left)
	require.EqualValues(t, 120, storetest.ReadCell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues WHERE project_id = $1`,
		office))
}

// The retention may drop a day after the list of tables was read and before its rows are deleted.
func TestPurgeAndRetentionAtOnce(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	for day := range 20 {
		storetest.AddEvents(t, pair[0], eventOf(storetest.Shop, "pay", day, core.At(c.Now.AddDate(0, 0, -100+day))))
	}
	require.NoError(t, storetest.DeleteProject(t.Context(), pair[0], core.NewBootstrapActor(), storetest.Shop))
	c.Forward(purged)
	storetest.RequireNoErrors(t, storetest.RunTogether(2, func(i int) error {
		if i == 0 {
			_, err := pair[0].Intake.DropExpired(t.Context(), 90)
			return err
		}
		_, err := pair[1].PurgeProject(t.Context(), storetest.Shop)
		return err
	}))
	purgeAll(t, pair[1], storetest.Shop)
	left := tablesOf(t, pair[0], storetest.Shop)
	delete(left, "activity")
	require.Empty(t, left)
}

func TestDeletionSaysUnavailable(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.AwayURL, (storetest.NewClock()).Tell)
	_, unpurged := s.UnpurgedProjects(t.Context())
	_, purge := s.PurgeProject(t.Context(), storetest.Shop)
	for _, err := range []error{unpurged, purge, storetest.DeleteProject(t.Context(), s, core.NewBootstrapActor(), storetest.Shop)} {
		storetest.RequireCode(t, core.Unavailable, err)
	}
}
