package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// Enough rows of everything, in 20 projects, so that the planner takes no table for small.
const fillTables = `
WITH p AS (
	INSERT INTO projects (id, name, slug, created_at) SELECT n, n, n, $1 FROM generate_series(1, 20) n
), i AS (
	INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status, status_at, times_seen,
		stored_events, users_affected, first_seen, last_seen, first_release, last_release)
	SELECT 1 + n % 20, n, '', 1, 'Error ' || n, 'pay ' || n % 97, 'Error', 'error', 'go',
		CASE WHEN n % 50 = 0 THEN 'regressed' ELSE 'unresolved' END, $1, 10,
		2, n % 30 * (n % 30), $1::timestamptz - n % 500 * interval '1 hour', $1::timestamptz - n % 400 * interval '1 hour',
		'1.' || n % 70, '2.' || n % 70
	FROM generate_series(1, 10000) n
), h AS (
	INSERT INTO issue_hours SELECT 1 + n % 20, n, $1::timestamptz - (n % 400 + m * 5) * interval '1 hour', 3
		FROM generate_series(1, 10000) n, generate_series(0, 1) m
), u AS (
	INSERT INTO issue_users SELECT 1 + n % 20, n, int8send(m) FROM generate_series(1, 10000) n, generate_series(1, 2) m
), r AS (
	INSERT INTO issue_releases SELECT 1 + n % 20, '3.' || n % 70, n FROM generate_series(1, 10000) n
), e AS (
	INSERT INTO issue_environments SELECT 1 + n % 20, 'env' || n % 30, n FROM generate_series(1, 10000) n
), s AS (
	INSERT INTO events (project_id, issue_id, id, received_at, occurred_at, event_id, level, release, environment, dictionary, payload)
	SELECT 1 + n % 20, n, n * 2 + m, $1::timestamptz - m * interval '1 minute', $1, gen_random_uuid(), 'error', '1', 'env', 0, ''
		FROM generate_series(1, 10000) n, generate_series(0, 1) m
), v AS (
	INSERT INTO releases SELECT 1 + n % 20, n, '3.' || n, 'abc1234', $1, $1::timestamptz - n * interval '1 minute'
	FROM generate_series(1, 10000) n
), d AS (
	INSERT INTO deploys SELECT 1 + n % 20, n, n, '3.' || n, 'production', 'abc1234', 'api', $1 FROM generate_series(1, 10000) n
), f AS (
	INSERT INTO fixes (project_id, id, issue_id, kind, ref, linked_by_type, linked_by, linked_at, deployed_at, outcome, outcome_at)
	SELECT 1 + n % 20, n, n, 'commit', 'abc1234', 'token', 'agent', $1, $1,
		CASE WHEN n % 2 = 0 THEN 'verified' END, $1::timestamptz - n * interval '1 minute'
	FROM generate_series(1, 10000) n
), w AS (
	INSERT INTO webhooks (id, project_id, created_at, name, format, min_trust, events, url, created_by)
	SELECT n, 1 + n, $1, n, 'service', 'low', '{issue.new}', '', 'admin' FROM generate_series(0, 19) n
), l AS (
	INSERT INTO deliveries (project_id, id, webhook_id, created_at, due_at, event)
	SELECT 1 + n % 20, n, n / 3 % 20, $1::timestamptz - n * interval '1 minute', $1, 'issue.new' FROM generate_series(1, 10000) n
), k AS (
	INSERT INTO event_ids SELECT 1 + n % 20, gen_random_uuid(), n, n, $1 FROM generate_series(1, 20000) n
)
INSERT INTO activity (project_id, id, at, actor_type, actor_id, actor_name, action, target_type, target_id, data)
SELECT 1 + n % 20, n, $1::timestamptz - n % 5000 * interval '1 minute', 'token', 1, 'agent', 'issue.note', 'issue', n % 10000, NULL
	FROM generate_series(1, 20000) n`

// statement is an SQL statement that a method sent.
type statement struct {
	sql  string
	args []any
}

// statements collects the statements of a store.
type statements struct {
	mu   sync.Mutex
	sent []statement
}

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, statement{q.SQL, q.Args})
	return ctx
}

func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestListsReadNoWholeTable calls every method of the store that returns a page, with each of its filters, and lets
// Postgres explain the statements.
func TestListsReadNoWholeTable(t *testing.T) {
	t.Parallel()
	c, url, sent := storetest.NewClock(), storetest.NewURL(t), &statements{}
	s := storetest.Open(t, url, c.Tell)
	require.NoError(t, s.Intake.MakePartitions(t.Context()))
	storetest.ChangeRows(t, s, fillTables, storetest.Noon)
	indexAll(t, s)
	require.NoError(t, s.MarkQuiet(t.Context()))
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `ANALYZE`)
	require.NoError(t, err)
	for _, table := range []string{"issues", "events", "event_ids", "issue_hours", "issue_users", "issue_environments", "issue_releases",
		"activity", "issue_grams", "releases", "deploys", "fixes", "deliveries"} {
		require.NotEmpty(t, wholeTables(t, conn, statement{sql: "SELECT count(*) FILTER (WHERE t IS NULL) FROM " + table + " t"}),
			"the test cannot fail for %s", table)
	}
	traced := store.OpenTraced(t, url, c.Tell, sent)

	lists := 0
	for method := range reflect.TypeFor[*store.Store]().Methods() {
		if method.Type.NumOut() != 2 || !strings.HasPrefix(method.Type.Out(0).Name(), "Page[") {
			continue
		}
		lists++
		for _, ctx := range []context.Context{t.Context(), core.WithReach(t.Context(), core.ListIssues.Operation, viewerOfThree())} {
			for _, args := range argumentsOf(method.Type) {
				sent.sent = nil
				results := method.Func.Call(append([]reflect.Value{reflect.ValueOf(traced), reflect.ValueOf(ctx)}, args...))
				err, _ := results[1].Interface().(error)
				require.NoError(t, err, method.Name)
				require.NotEmpty(t, sent.sent, method.Name)
				for _, q := range sent.sent {
					require.Empty(t, wholeTables(t, conn, q), "%s reads all of them:\n%s\n%v", method.Name, q.sql, q.args)
				}
			}
		}
	}
	require.GreaterOrEqual(t, lists, 3, "the lists were not found")
	for name, view := range viewsOf(traced) {
		for _, ctx := range []context.Context{t.Context(), core.WithReach(t.Context(), core.ListIssues.Operation, viewerOfThree())} {
			sent.sent = nil
			require.NoError(t, view(ctx), name)
			for _, q := range sent.sent {
				require.Empty(t, wholeTables(t, conn, q), "%s reads all of them:\n%s\n%v", name, q.sql, q.args)
			}
		}
	}
}

// viewsOf returns the reads that are no lists, with each of their filters.
func viewsOf(s *store.Store) map[string]func(context.Context) error {
	views := map[string]func(context.Context) error{
		"FindEventsAround": func(ctx context.Context) error {
			_, err := s.FindEventsAround(ctx, 7, "14", store.EventFilter{Environment: "env"})
			return err
		},
		"ReadHours":  func(ctx context.Context) error { _, err := s.ReadHours(ctx, []int64{7, 8, 9}); return err },
		"ReadDays":   func(ctx context.Context) error { _, err := s.ReadDays(ctx, 7); return err },
		"ReadShares": func(ctx context.Context) error { _, err := s.ReadShares(ctx, 7); return err },
		"ListClaims": func(ctx context.Context) error { _, err := s.ListClaims(ctx, 0); return err },
	}
	for _, project := range []int64{0, 8} {
		views[fmt.Sprint("ListFilterValues of ", project)] = func(ctx context.Context) error {
			_, err := s.ListFilterValues(ctx, project)
			return err
		}
	}
	for i, f := range issueFilters() {
		views[fmt.Sprintf("CountIssues %d %+v", i, f)] = func(ctx context.Context) error { _, err := s.CountIssues(ctx, f); return err }
	}
	return views
}

// viewerOfThree is a person whose teams see three of the projects.
func viewerOfThree() core.Actor {
	rights := core.Rights{}
	for _, project := range []int64{3, 8, 14} {
		rights.AddRole(project, core.RoleViewer)
	}
	return core.NewUserActor(1, "ann@example.org", rights)
}

// argumentsOf returns the arguments, after the context, for each way to call a list: an issue's id for a number, and for a
// filter each field set alone and with a project.
func argumentsOf(method reflect.Type) [][]reflect.Value {
	calls := [][]reflect.Value{{}}
	for n := 2; n < method.NumIn(); n++ {
		var next [][]reflect.Value
		for _, value := range valuesOf(method.In(n)) {
			for _, call := range calls {
				next = append(next, append(slices.Clone(call), value))
			}
		}
		calls = next
	}
	return calls
}

var paging = core.Paging{Limit: 25}

func valuesOf(kind reflect.Type) []reflect.Value {
	switch {
	case kind == reflect.TypeFor[core.Paging]():
		return []reflect.Value{reflect.ValueOf(paging)}
	case kind == reflect.TypeFor[store.IssueFilter]():
		var values []reflect.Value
		for _, f := range issueFilters() {
			values = append(values, reflect.ValueOf(f))
		}
		return values
	case kind == reflect.TypeFor[store.ActivityFilter]():
		var values []reflect.Value
		for _, f := range []store.ActivityFilter{
			{}, {ProjectID: 8}, {IssueID: 7}, {Action: core.ActionTokenCreate}, {Actor: "nobody"}, {Since: "3d"},
			{ProjectID: 8, Action: core.ActionIssueNote, Actor: "nobody"},
		} {
			f.Paging = paging
			values = append(values, reflect.ValueOf(f))
		}
		return values
	case kind == reflect.TypeFor[store.FixFilter]():
		var values []reflect.Value
		for _, f := range []store.FixFilter{{State: core.OpenFixes}, {State: core.ReturnedFixes, Since: "7d"}, {ProjectID: 8}} {
			f.Paging = paging
			values = append(values, reflect.ValueOf(f))
		}
		return values
	case kind == reflect.TypeFor[store.EventFilter]():
		return []reflect.Value{reflect.ValueOf(store.EventFilter{Paging: paging}), reflect.ValueOf(store.EventFilter{
			Release: "3.7", Environment: "env7", User: "0123456789ab", Tag: "customer:acme", Since: "3d", Until: "1h", Paging: paging})}
	case kind.Kind() == reflect.Int64:
		return []reflect.Value{reflect.ValueOf(int64(7)).Convert(kind)}
	}
	value := reflect.New(kind).Elem()
	if kind.Kind() == reflect.Struct {
		if field := value.FieldByName("Paging"); field.IsValid() {
			field.Set(reflect.ValueOf(paging))
		}
	}
	return []reflect.Value{value}
}

// issueFilters returns filters that differ in one field, for one project and for all, in both orders.
func issueFilters() []store.IssueFilter {
	var filters []store.IssueFilter
	known := map[string]bool{} // several fields have examples that make the same filter
	for field := range reflect.TypeFor[store.IssueFilter]().Fields() {
		for _, project := range []int64{0, 8} {
			for _, sort := range []core.IssueSort{core.ByLastSeen, core.ByPriority} {
				for _, example := range examplesOf(field.Name) {
					f := store.IssueFilter{ProjectID: project, Sort: sort, Paging: paging}
					reflect.ValueOf(&f).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(example))
					if text, _ := json.Marshal(f); !known[string(text)] {
						known[string(text)] = true
						filters = append(filters, f)
					}
				}
			}
		}
	}
	return filters
}

// examplesOf returns values for a field of the filter of issues.
func examplesOf(field string) []any {
	yes, no := true, false
	examples, found := map[string][]any{
		"ProjectID": {int64(8)}, "Status": {core.Regressed}, "Release": {"3.7", "no such"}, "Environment": {"env7", "no such"},
		"Since": {core.Since("3d")}, "Search": {"Error 777", "Error", "pay 9", "no such", "öffnet", "日本"}, "Claimed": {&yes, &no},
		"Test": {true}, "IssueID": {int64(7)}, "Tag": {core.TagFilter("customer:acme")}, "WithOverdue": {true}, "Sort": {core.ByPriority},
		"Paging": {paging}, "Noise": {&yes, &no},
	}[field]
	if !found {
		panic("examplesOf has no example of the filter " + field)
	}
	return examples
}

// wholeTables returns the large tables that the plan of the statement reads from end to end.
func wholeTables(t *testing.T, conn *pgx.Conn, q statement) []string {
	t.Helper()
	var text []byte
	require.NoError(t, conn.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+q.sql, q.args...).Scan(&text), q.sql)
	var plans []struct{ Plan plan }
	require.NoError(t, json.Unmarshal(text, &plans))
	require.Len(t, plans, 1)
	if len(plans[0].Plan.wholeTables()) == 0 {
		return nil
	}
	rows, err := conn.Query(t.Context(), `SELECT relname FROM pg_class WHERE relname = ANY ($1) AND reltuples >= 1000`,
		plans[0].Plan.wholeTables())
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return tables
}

type plan struct {
	NodeType string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Plans    []plan
}

func (p plan) wholeTables() []string {
	var tables []string
	if p.NodeType == "Seq Scan" {
		tables = append(tables, p.Relation)
	}
	for _, below := range p.Plans {
		tables = append(tables, below.wholeTables()...)
	}
	return tables
}
