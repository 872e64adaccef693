package store_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// A project whose issues were all last seen within one class of the index and have lost some of their stored events.
const fillBucket = `
WITH i AS (
	INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status, status_at, times_seen,
		stored_events, users_affected, first_seen, last_seen, first_release, last_release, has_grams)
	SELECT 1000000001, n, '', 1, 'Error: cannot read cart ' || n, 'pay', 'Error', 'error', 'go', 'unresolved', $1, 10, 1, 0,
		$1::timestamptz - interval '1 day', $1::timestamptz + n * 37 % 3000 * interval '0.1 seconds', '1.0', '2.0', true
	FROM generate_series(1, 3000) n
), e AS (
	INSERT INTO issue_environments SELECT 1000000001, 'production', n FROM generate_series(1, 3000) n
), r AS (
	INSERT INTO issue_releases SELECT 1000000001, '1.5', n FROM generate_series(1, 3000) n
)
INSERT INTO events (project_id, issue_id, id, received_at, occurred_at, event_id, level, release, environment, dictionary, payload)
SELECT 1000000001, n, n, $1, $1, gen_random_uuid(), 'error', '1.5', CASE WHEN n % 2 = 0 THEN 'production' ELSE 'staging' END, 0, ''
FROM generate_series(1, 3000) n`

// ranPlan is a node of an executed plan.
type ranPlan struct {
	NodeType string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Width    int     `json:"Plan Width"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Plans    []ranPlan
}

func (p ranPlan) eachNode(fn func(ranPlan)) {
	fn(p)
	for _, below := range p.Plans {
		below.eachNode(fn)
	}
}

func TestListsOfABusyFiveMinutesSortFewColumnsAndCheckOnePage(t *testing.T) {
	t.Parallel()
	c, url, sent := storetest.NewClock(), storetest.NewURL(t), &statements{}
	s := storetest.Open(t, url, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	require.NoError(t, s.Intake.MakePartitions(t.Context()))
	storetest.ChangeRows(t, s, fillBucket, storetest.Noon)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `ANALYZE`)
	require.NoError(t, err)
	traced := store.OpenTraced(t, url, c.Tell, sent)

	for _, f := range []store.IssueFilter{
		{}, {ProjectID: storetest.Shop}, {Environment: "production"}, {ProjectID: storetest.Shop, Environment: "production"}, {Release: "1.5"},
		{ProjectID: storetest.Shop, Release: "1.5"},
	} {
		f.Limit = 25
		sent.sent = nil
		page, err := traced.ListIssues(t.Context(), f)
		require.NoError(t, err)
		require.Equal(t, newestWith(t, s, f), idsOfPage(page.Data), "%+v", f)
		list := sent.sent[len(sent.sent)-1] // after the look-up of masked names
		runPlan(t, conn, list).eachNode(func(p ranPlan) {
			if p.Rows > 100 && strings.Contains(p.NodeType, "Sort") {
				require.Less(t, p.Width, 120, "%+v sorts whole rows:\n%s", f, list.sql)
			}
			if strings.HasPrefix(p.Relation, "events") {
				require.LessOrEqual(t, p.Loops, 100.0, "%+v looks at the events of more than a page:\n%s", f, list.sql)
			}
		})
	}
}

// newestWith returns the expected page of the bucket's list.
func newestWith(t *testing.T, s *store.Store, f store.IssueFilter) []int64 {
	return storetest.ReadColumn[int64](t, s, `SELECT i.id FROM issues i
		WHERE $1 = '' OR EXISTS (SELECT 1 FROM events e WHERE e.issue_id = i.id AND e.environment = $1)
		ORDER BY last_seen DESC, id DESC LIMIT 25`, f.Environment)
}

func idsOfPage(issues []core.Issue) []int64 {
	ids := make([]int64, len(issues))
	for n, i := range issues {
		ids[n] = i.ID
	}
	return ids
}

// runPlan runs the statement in Postgres, and returns the plan with the numbers of rows read.
func runPlan(t *testing.T, conn *pgx.Conn, q statement) ranPlan {
	t.Helper()
	var text []byte
	require.NoError(t, conn.QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+q.sql, q.args...).Scan(&text), q.sql)
	var plans []struct{ Plan ranPlan }
	require.NoError(t, json.Unmarshal(text, &plans))
	require.Len(t, plans, 1)
	return plans[0].Plan
}
