package pg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/pg"
)

// On a shard a statement has the shard's tables. Where its columns are named by the table, that stays their name.
func TestStatementsOnAShardHaveItsTables(t *testing.T) {
	t.Parallel()
	names := map[string]string{"issues": "issues_7", "events": "events_8", "projects": "projects_1", "hours": "hours_9"}
	for sql, expected := range map[string]string{
		"SELECT i.id FROM issues i JOIN projects p ON true":     "SELECT i.id FROM issues_7 i JOIN projects_1 p ON true",
		"SELECT sum(events) FROM events WHERE events.id = 1":    "SELECT sum(events) FROM events_8 AS events WHERE events.id = 1",
		"SELECT 1 FROM issues AS i":                             "SELECT 1 FROM issues_7 AS i",
		"SELECT 1 FROM\n\tissues\nWHERE id = 1":                 "SELECT 1 FROM\n\tissues_7 AS issues\nWHERE id = 1",
		"SELECT 1 FROM (SELECT * FROM issues) issues":           "SELECT 1 FROM (SELECT * FROM issues_7 AS issues) issues",
		"SELECT events FROM unnest($1::bigint[]) AS n (events)": "SELECT events FROM unnest($1::bigint[]) AS n (events)",
		"INSERT INTO hours (n) VALUES (1) ON CONFLICT (n) DO UPDATE SET n = hours.n": "INSERT INTO hours_9 AS hours (n) VALUES (1) " +
			"ON CONFLICT (n) DO UPDATE SET n = hours.n",
		"UPDATE issues SET n = 1 WHERE id = 1":                           "UPDATE issues_7 AS issues SET n = 1 WHERE id = 1",
		"UPDATE issues i SET n = 1 FROM events e":                        "UPDATE issues_7 i SET n = 1 FROM events_8 e",
		"DELETE FROM events e USING issues i WHERE true":                 "DELETE FROM events_8 e USING issues_7 i WHERE true",
		"SELECT 1 FROM issues i FOR UPDATE OF i":                         "SELECT 1 FROM issues_7 i FOR UPDATE OF i",
		"SELECT a IS DISTINCT FROM nullif(b, 0) FROM issues_of_others o": "SELECT a IS DISTINCT FROM nullif(b, 0) FROM issues_of_others o",
	} {
		require.Equal(t, expected, pg.OnShard(sql, names))
	}
}

func TestNodesAreReachedAsTheCoordinatorIs(t *testing.T) {
	t.Parallel()
	for url, expected := range map[string]string{
		"postgres://me:secret@one:5432/errand?sslmode=require": "postgres://me:secret@two:5433/errand?sslmode=require",
		"postgresql:///errand?host=/run/postgresql&user=me":    "postgresql://two:5433/errand?user=me",
		"host=one port=5432 dbname=errand user=me target_session_attrs=any": "host=one port=5432 dbname=errand user=me " +
			"target_session_attrs=any host=two port=5433",
	} {
		require.Equal(t, expected, pg.WithAddress(url, "two:5433"))
	}
}

// A shard gets the rows of its projects alone. Where another list goes with them, they stay as they are.
func TestAShardGetsItsRows(t *testing.T) {
	t.Parallel()
	const names = "SELECT 1 FROM unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id) WHERE project_id = ANY (@reach)"
	args := pg.PickRows(names,
		pg.Args{"projects": []int64{3, 5, 3, 7}, "ids": []int64{30, 50, 31, 70}, "reach": []int64{1}, "n": 2}, []int64{3, 7})
	require.Equal(t, pg.Args{"projects": []int64{3, 3, 7}, "ids": []int64{30, 31, 70}, "reach": []int64{1}, "n": 2}, args)

	const withNoise = "SELECT 1 FROM unnest(@projects::bigint[], @ids::bigint[], @noise::boolean[]) AS n (project_id, id, noise)"
	args = pg.PickRows(withNoise, pg.Args{"projects": []int64{3, 5}, "ids": []int64{30, 50}, "noise": []bool{true, false}}, []int64{3})
	require.Equal(t, []int64{30, 50}, args["ids"])
	require.Equal(t, []int64{3}, pg.PickRows("SELECT 1 WHERE 1 = ANY (@projects)", pg.Args{"projects": []int64{3}}, []int64{3})["projects"])
}
