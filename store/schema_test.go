package store_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// The rules for running the schema on a distributed Postgres: see the top of the first migration.

// installWide are the tables without project data: small, and copied everywhere.
var installWide = []string{
	"api_keys", "approvals", "consents", "id_blocks", "install_identity", "install_secrets", "install_settings", "install_times",
	"project_keys", "projects", "pushed_commits", "scm_deliveries", "sessions", "setup_keys", "sign_in_attempts", "tags",
	"team_members", "team_projects", "teams", "tokens", "user_identities", "user_links", "users", "webhooks",
}

// projectLess are the indexes of project data that do not start with the project, each with its reason.
var projectLess = map[string]string{
	"issues_id":                "resolves the id in a path to its project, once",
	"event_ids_received":       "the retention goes by days, for all projects",
	"event_ids_not_stored":     "what is counted is forgotten by the day, for all projects",
	"counted_events_keys":      "finds an event that is sent again; the project is in the key",
	"events_id":                "resolves the id in a path to its project, once",
	"issues_listed_everywhere": "the list of the issues of all projects",
	"issues_ignored_until":     "the job makes ignored issues of all projects unresolved",
	"activity_labels":          "the labels of the whole installation",
	"activity_given_back":      "what an actor gave back in the last day, of all projects",
	"activity_at":              "the timeline of the whole installation",
	"activity_action":          "one action in the timeline of the whole installation",
	"activity_actor":           "what one actor did in the whole installation",
	"activity_work":            "claims and their ends of all projects in a span",
	"fixes_linked":             "fixes of all projects in a span",
	"fixes_open":               "the open fixes of all projects",
	"fixes_returned":           "the fixes of all projects whose error came back",
	"issues_quiet_everywhere":  "the issues of all projects by priority",
	"issue_features_features":  "finds similar issues, of all projects",
	"issue_grams_grams":        "the search, of all projects; the project is in it as a gram",

	"source_maps_id": "resolves the id in a path to its project",

	"releases_deployed_everywhere": "the list of the releases of all projects",
	"fixes_watched":                "the verification goes by time, for all projects",
	"fixes_outcome":                "the outcomes of the whole installation",

	"deliveries_due":     "workers take the due ones of each webhook, most of which are for all projects",
	"deliveries_webhook": "the list of a webhook",
	"deliveries_created": "what was told is forgotten by time, for all projects",
	"spikes_hour":        "spikes are forgotten by time, for all projects",

	"setup_apps_key": "the apps of a setup key, or of all",
}

// ours leaves out the partitions, which are like their table, and the tables of the migration tool and of the queue, which
// their libraries define and which are never hot.
const ours = `n.nspname = 'public' AND NOT c.relispartition AND c.relname NOT LIKE 'goose%' AND c.relname NOT LIKE 'river%'`

func TestProjectDataHasItsProject(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	require.Equal(t, installWide, storetest.ReadColumn[string](t, s, `
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE `+ours+` AND c.relkind IN ('r', 'p') AND (c.relname = ANY ($1) OR NOT EXISTS (
	SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'project_id' AND a.attnotnull AND a.atttypid = 'bigint'::regtype))
ORDER BY 1`, installWide), "every other table has a project_id")
}

func TestIndexesStartWithTheProject(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	rows, err := storetest.QuerySQL(t.Context(), s, `
SELECT i.relname AS index, coalesce(a.attname, 'an expression') AS first, x.indisunique AS is_unique, c.relname AS on_table
FROM pg_index x
JOIN pg_class c ON c.oid = x.indrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_class i ON i.oid = x.indexrelid
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = x.indkey[0]
WHERE `+ours+` AND c.relname <> ALL ($1)`, installWide)
	require.NoError(t, err)
	indexes, err := pgx.CollectRows(rows, pgx.RowToStructByName[struct {
		Index, First, OnTable string
		IsUnique              bool
	}])
	require.NoError(t, err)
	require.Greater(t, len(indexes), 12, "the indexes were not found")
	exceptions := map[string]bool{}
	for _, i := range indexes {
		if i.First == "project_id" {
			continue
		}
		require.Contains(t, projectLess, i.Index, "index of %s starts with %s", i.OnTable, i.First)
		require.False(t, i.IsUnique, "%s: only an index that is not unique may lack the project", i.Index)
		exceptions[i.Index] = true
	}
	require.Len(t, exceptions, len(projectLess), "an exception whose index is gone")
}

func TestSchemaHasNothingThatIsHardToDistribute(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	for what, sql := range map[string]string{
		"table of project data without primary key": `
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE ` + ours + ` AND c.relkind IN ('r', 'p') AND c.relname NOT IN ('events', 'counted_events')
	AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p')`,
		"sequence": `
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ` + ours + ` AND c.relkind = 'S'`,
		"identity column": `
SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE ` + ours + ` AND a.attidentity <> ''`,
		"default that is computed": `
SELECT c.relname || ': ' || pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.adnum AND a.attgenerated = ''
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ` + ours + ` AND pg_get_expr(d.adbin, d.adrelid) ~ '[(]|CURRENT'`,
		"trigger": `SELECT tgname FROM pg_trigger WHERE NOT tgisinternal`,
		"rule":    `SELECT rulename FROM pg_rules WHERE schemaname = 'public'`,
		"function": `
SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'public' AND p.proname NOT LIKE 'river%'`,
		"extension": `SELECT extname FROM pg_extension WHERE extname <> 'plpgsql'`,
		"view":      `SELECT viewname FROM pg_views WHERE schemaname = 'public'`,
		"foreign key beyond the install-wide tables": `
SELECT k.conname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
WHERE k.contype = 'f' AND NOT (c.relname = ANY ('{project_keys,tokens}') AND r.relname = 'projects')
	AND NOT r.relname = ANY ('{users,teams}')`,
		"deferrable constraint": `SELECT conname FROM pg_constraint WHERE condeferrable`,
		"exclusion constraint":  `SELECT conname FROM pg_constraint WHERE contype = 'x'`,
		"index that is neither btree nor brin, nor gin of one column": `
SELECT i.relname FROM pg_class i JOIN pg_am m ON m.oid = i.relam JOIN pg_namespace n ON n.oid = i.relnamespace
WHERE n.nspname = 'public' AND i.relname NOT LIKE 'river%' AND i.relkind IN ('i', 'I') AND m.amname NOT IN ('btree', 'brin')
	AND (m.amname <> 'gin' OR i.relnatts > 1)`,
		"time without zone": `
SELECT table_name || '.' || column_name FROM information_schema.columns
WHERE table_schema = 'public' AND table_name NOT LIKE 'goose%' AND data_type LIKE '%without time zone'`,
	} {
		require.Empty(t, storetest.ReadColumn[string](t, s, sql), what)
	}
}

func TestEventsArePartitionedByDay(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	require.Equal(t, "RANGE (received_at)", storetest.ReadCell[string](t, s, `SELECT pg_get_partkeydef('events'::regclass)`))
	require.NoError(t, s.Intake.MakePartitions(t.Context()))
	bounds := storetest.ReadColumn[string](t, s, `SELECT pg_get_expr(c.relpartbound, c.oid) FROM pg_class c
		JOIN pg_inherits i ON i.inhrelid = c.oid
		WHERE i.inhparent = 'events'::regclass`)
	require.GreaterOrEqual(t, len(bounds), 1+intake.PartitionsAhead)
	utcDay := regexp.MustCompile(`^FOR VALUES FROM \('\S+ 05:45:00\+05:45'\) TO \('\S+ 05:45:00\+05:45'\)$`)
	for _, b := range bounds {
		require.Regexp(t, utcDay, b, "a day is a UTC day, seen here from Kathmandu")
	}
}

// Every table stands in the list of placements once, and only tables of project data are distributed.
func TestEveryTableHasAPlacement(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	tables := storetest.ReadColumn[string](t, s, `
		SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND NOT c.relispartition AND c.relkind IN ('r', 'p')`)
	placed := store.Placements()
	require.ElementsMatch(t, tables, slices.Collect(maps.Keys(placed)))
	for _, table := range installWide {
		require.NotEqual(t, store.Distributed, placed[table], table)
	}
	for table, placement := range placed {
		if placement == store.Distributed {
			require.NotContains(t, installWide, table)
		}
	}
}

// Without Citus nothing is distributed, and the error says what is missing.
func TestDistributeNeedsCitus(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	if s.IsDistributed() {
		t.Skip("this database is on Citus")
	}
	require.ErrorIs(t, s.DistributeTables(t.Context(), 4, func(store.DistributionStep) {}), store.ErrNoCitus)
}
