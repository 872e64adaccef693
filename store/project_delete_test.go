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
	"errand/store/storetest"
)

const office = 1_000_000_002

// purged is longer than a deleted project's rows stay.
const purged = 10 * time.Minute

// fill gives a project rows in every table that holds project data today.
func fill(t testing.TB, s *store.Store, project int64) (issue, event int64) {
	t.Helper()
	first := eventOf(project, "pay", 1, s.Now())
	first.User = user(1)
	got := add(t, s, first)
	_, err := s.AddNote(t.Context(), core.Bootstrap(), got.IssueID, "seen")
	require.NoError(t, err)
	change(t, s, `INSERT INTO dictionaries (project_id, id, created_at, content) VALUES ($1, 1, $2, '')`, project, noon)
	indexAll(t, s)
	return got.IssueID, got.ID
}

// eventOf is event, with an id that is the project's own.
func eventOf(project int64, group string, n int, at core.Time) store.NewEvent {
	e := event(project, group, n, at)
	id := sha256.Sum256(fmt.Append(nil, project, group, n))
	copy(e.EventID[:], id[:])
	return e
}

// projectTables are the tables with a project_id, by the catalogue's other door than the one the code uses.
func projectTables(t testing.TB, s *store.Store) []string {
	t.Helper()
	return column[string](t, s, `
SELECT c.table_name::text FROM information_schema.columns c JOIN pg_class k ON k.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
WHERE c.table_schema = 'public' AND c.column_name = 'project_id' AND NOT k.relispartition ORDER BY 1`)
}

// tablesOf counts the rows of a project by table, without the empty ones.
func tablesOf(t testing.TB, s *store.Store, project int64) map[string]int64 {
	t.Helper()
	rows := map[string]int64{}
	for _, table := range projectTables(t, s) {
		if n := cell[int64](t, s, `SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()+` WHERE project_id = $1`, project); n > 0 {
			rows[table] = n
		}
	}
	return rows
}

// purgeAll deletes rows until there is nothing to do, and gives how many rounds that took.
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
	s, c := openShop(t)
	issue, event := fill(t, s, shop)
	makeProject(t, s, office, "Office")
	ctx, by, page := t.Context(), person(7), core.Paging{Limit: 10}
	c.forward(time.Minute)
	require.NoError(t, doDeleteProject(ctx, s, by, shop))

	for name, call := range map[string]func() error{
		"Issue":         func() error { _, err := s.Issue(ctx, issue); return err },
		"IssueEvents":   func() error { _, err := s.IssueEvents(ctx, issue, page); return err },
		"IssueActivity": func() error { _, err := s.IssueActivity(ctx, issue, page); return err },
		"Event":         func() error { _, err := s.Event(ctx, event); return err },
		"SetStatus":     func() error { _, err := s.SetStatus(ctx, by, issue, core.Resolved); return err },
		"Claim":         func() error { _, err := s.Claim(ctx, by, issue, 5); return err },
		"AddNote":       func() error { _, err := s.AddNote(ctx, by, issue, "hi"); return err },
		"Project":       func() error { _, err := s.Project(ctx, shop); return err },
		"ProjectForKey": func() error { _, err := s.ProjectForKey(ctx, fmt.Sprint("key", shop)); return err },
	} {
		require.True(t, core.HasCode(call(), core.NotFound), name)
	}
	for _, ref := range []core.ProjectRef{"shop", core.ProjectRef(fmt.Sprint(shop))} {
		_, err := s.FindProject(ctx, ref)
		requireCode(t, core.ProjectNotFound, err)
	}
	requireCode(t, core.ProjectNotFound, doDeleteProject(ctx, s, by, shop))
	requireCode(t, core.ProjectNotFound, doDeleteProject(ctx, s, by, 1))
	projects, err := s.Projects(ctx)
	require.NoError(t, err)
	require.Len(t, projects, 1)
	issues, err := s.Issues(ctx, store.IssueFilter{Paging: page})
	require.NoError(t, err)
	require.Empty(t, issues.Data)
	state, err := s.IngestState(ctx, 0)
	require.NoError(t, err)
	require.Zero(t, state.Events24h)

	again := makeProject(t, s, shop+10, "Shop")
	require.Equal(t, "shop", again.Slug, "the name is free")
}

func TestDeleteProjectRevokesItsTokens(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	makeProject(t, s, office, "Office")
	create := func(name string, project int64) core.Token {
		token, err := s.CreateToken(t.Context(), core.Bootstrap(), store.NewToken{
			Name: name, Hash: hashOf(name), Scopes: []core.Scope{core.IssuesRead}, ProjectID: project,
		})
		require.NoError(t, err)
		return token
	}
	bound, other, gone := create("bound", shop), create("other", shop), create("gone", shop)
	create("everywhere", 0)
	create("office", office)
	require.NoError(t, s.RevokeToken(t.Context(), core.Bootstrap(), gone.ID))
	c.forward(time.Minute)
	require.NoError(t, doDeleteProject(t.Context(), s, person(7), shop))

	for _, name := range []string{"bound", "other", "gone"} {
		_, err := s.UseToken(t.Context(), hashOf(name))
		requireCode(t, core.NotFound, err)
	}
	for _, name := range []string{"everywhere", "office"} {
		_, err := s.UseToken(t.Context(), hashOf(name))
		require.NoError(t, err)
	}
	require.ElementsMatch(t, []int64{bound.ID, other.ID}, column[int64](t, s,
		`SELECT target_id FROM activity WHERE action = 'token.revoke' AND actor_name = 'agent-7' AND at = $1 AND target_type = 'token'`, c.now))
	data := cell[map[string]any](t, s, `SELECT data FROM activity WHERE project_id = $1 AND action = 'project.update' AND actor_name = 'agent-7'`, shop)
	require.Equal(t, map[string]any{"deleted_at": "2026-03-14T12:31:00.000Z"}, data)

	_, err := s.CreateToken(t.Context(), core.Bootstrap(), store.NewToken{Name: "late", Hash: hashOf("late"), ProjectID: shop, Scopes: []core.Scope{core.IssuesRead}})
	requireCode(t, core.ProjectNotFound, err)
}

// TestTokenIsNotMadeForAProjectThatIsBeingDeleted has both happen at once: no token is left that works.
func TestTokenIsNotMadeForAProjectThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	pair, _ := openPair(t)
	for n := range 20 {
		id := int64(office + n)
		makeProject(t, pair[0], id, fmt.Sprint("Office ", n))
		name := fmt.Sprint("token ", n)
		errs := together(2, func(i int) error {
			if i == 0 {
				return doDeleteProject(t.Context(), pair[0], core.Bootstrap(), id)
			}
			_, err := pair[1].CreateToken(t.Context(), core.Bootstrap(), store.NewToken{Name: name, Hash: hashOf(name), ProjectID: id, Scopes: []core.Scope{core.IssuesRead}})
			return err
		})
		require.NoError(t, errs[0])
		if errs[1] != nil {
			requireCode(t, core.ProjectNotFound, errs[1])
		}
		_, err := pair[0].UseToken(t.Context(), hashOf(name))
		requireCode(t, core.NotFound, err)
	}
}

func TestPurgeDeletesEveryRowOfTheProject(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	makeProject(t, s, office, "Office")
	issue, _ := fill(t, s, shop)
	fill(t, s, office)
	before, kept := tablesOf(t, s, shop), tablesOf(t, s, office)
	for _, table := range []string{"dictionaries", "event_ids", "events", "issue_environments", "issue_fingerprints", "issue_grams", "issue_hours", "issue_releases",
		"issue_users", "issues", "project_hours", "project_keys", "project_seen", "activity"} {
		require.Positive(t, before[table], table)
	}
	require.NoError(t, doDeleteProject(t.Context(), s, person(7), shop))
	story := tablesOf(t, s, shop)["activity"]
	requireUnpurged := func(want ...int64) {
		list, err := s.UnpurgedProjects(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, want, list)
	}
	requireUnpurged()
	c.forward(purged)
	requireUnpurged(shop)
	purgeAll(t, s, shop)
	requireUnpurged()

	require.Equal(t, map[string]int64{"activity": story}, tablesOf(t, s, shop), "the timeline stays")
	require.Equal(t, kept, tablesOf(t, s, office), "the other project is as it was")
	_, err := s.Issue(t.Context(), issue)
	requireCode(t, core.NotFound, err)
	_, err = s.Issue(t.Context(), 1<<52)
	requireCode(t, core.NotFound, err)
}

// TestPurgeKnowsEveryTable fails for a new table with a project_id that the deletion passes over: see keptTables.
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
	s, c := openShop(t)
	rows, err := storetest.SQL(t.Context(), s, `CREATE TABLE "With ""odd"" name" (id bigint PRIMARY KEY, project_id bigint NOT NULL)`)
	require.NoError(t, err)
	rows.Close()
	change(t, s, `INSERT INTO "With ""odd"" name" VALUES (1, $1), (2, 5)`, shop)
	require.NoError(t, doDeleteProject(t.Context(), s, core.Bootstrap(), shop))
	c.forward(purged)
	purgeAll(t, s, shop)
	require.EqualValues(t, 2, cell[int64](t, s, `SELECT id FROM "With ""odd"" name"`))
}

func TestPurgeGoesInPortions(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	fill(t, s, shop)
	change(t, s, `INSERT INTO issue_users SELECT $1, 1, sha256(n::text::bytea) FROM generate_series(1, 12000) n`, shop)
	require.NoError(t, doDeleteProject(t.Context(), s, core.Bootstrap(), shop))
	c.forward(purged)
	done, err := s.PurgeProject(t.Context(), shop)
	require.NoError(t, err)
	require.False(t, done)
	left := tablesOf(t, s, shop)["issue_users"]
	require.Greater(t, left, int64(0), "a portion is bounded")
	require.Less(t, left, int64(12001))
	require.Equal(t, 3, purgeAll(t, s, shop))
}

// TestPurgeOnTwoServersWhileEventsArrive has servers that still take the project's events, as none does so late: they
// must not leave rows behind.
func TestPurgeOnTwoServersWhileEventsArrive(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	makeProject(t, pair[0], office, "Office")
	for n := range 40 {
		add(t, pair[0], eventOf(shop, fmt.Sprint("pay", n%5), n, c.at(0)), eventOf(office, "print", n, c.at(0)))
	}
	require.NoError(t, doDeleteProject(t.Context(), pair[0], core.Bootstrap(), shop))
	c.forward(purged)
	errs := together(4, func(i int) error {
		if i >= 2 {
			for range 20 {
				if _, err := pair[i-2].PurgeProject(t.Context(), shop); err != nil {
					return err
				}
			}
			return nil
		}
		for n := range 40 {
			_, _ = pair[i].AddEvents(t.Context(), []store.NewEvent{eventOf(shop, fmt.Sprint("pay", n%5), 1000*(i+1)+n, c.at(0))}) // may be refused
			if _, err := pair[i].AddEvents(t.Context(), []store.NewEvent{eventOf(office, "print", 1000*(i+1)+n, c.at(0))}); err != nil {
				return err
			}
		}
		return nil
	})
	noErrors(t, errs)
	// The next runs find what came last, also when the project counted as done before.
	purgeAll(t, pair[1], shop)
	left := tablesOf(t, pair[0], shop)
	delete(left, "activity")
	require.Empty(t, left)
	require.EqualValues(t, 120, cell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues WHERE project_id = $1`, office))
}

// The retention may drop a day between the look at the tables and the deletion from it.
func TestPurgeAndRetentionAtOnce(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	for day := range 20 {
		add(t, pair[0], eventOf(shop, "pay", day, core.At(c.now.AddDate(0, 0, -100+day))))
	}
	require.NoError(t, doDeleteProject(t.Context(), pair[0], core.Bootstrap(), shop))
	c.forward(purged)
	noErrors(t, together(2, func(i int) error {
		if i == 0 {
			_, err := pair[0].DropExpired(t.Context(), 90)
			return err
		}
		_, err := pair[1].PurgeProject(t.Context(), shop)
		return err
	}))
	purgeAll(t, pair[1], shop)
	left := tablesOf(t, pair[0], shop)
	delete(left, "activity")
	require.Empty(t, left)
}

func TestDeletionSaysUnavailable(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, awayURL, (&clock{noon}).tell)
	_, unpurged := s.UnpurgedProjects(t.Context())
	_, purge := s.PurgeProject(t.Context(), shop)
	for _, err := range []error{unpurged, purge, doDeleteProject(t.Context(), s, core.Bootstrap(), shop)} {
		requireCode(t, core.Unavailable, err)
	}
}
