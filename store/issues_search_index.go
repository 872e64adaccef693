package store

import (
	"context"

	"errand/store/pg"
)

// indexAtOnce bounds the issues of one transaction of IndexIssues: their events wait for it.
const indexAtOnce = 250

const (
	// A locked issue comes the next time.
	listIssuesWithoutGrams = `
SELECT i.project_id, i.id, i.title, i.culprit FROM issues i WHERE NOT i.has_grams AND /* of some projects: i */ true
ORDER BY i.project_id, i.id LIMIT @limit FOR UPDATE SKIP LOCKED`
	projectsWithoutGrams = `SELECT DISTINCT project_id FROM issues WHERE NOT has_grams`
	// Arrays of different lengths are sent as texts.
	addGrams = `
INSERT INTO issue_grams (project_id, issue_id, grams)
SELECT n.project_id, n.issue_id, n.grams::integer[]
FROM unnest(@projects::bigint[], @ids::bigint[], @grams::text[]) AS n (project_id, issue_id, grams)`
	setHasGrams = `
UPDATE issues i SET has_grams = true FROM unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id)
WHERE i.id = n.id AND i.project_id = n.project_id AND /* of some projects: i */ true`
)

type issueWithoutGrams struct {
	ProjectID, ID  int64
	Title, Culprit string
}

// IndexIssues adds the issues that were made since the last time to the index of the search. The title and culprit of an
// issue never change. It adds a bounded number and returns how many. Several servers may run it at the same time.
func (s *Store) IndexIssues(ctx context.Context) (int, error) {
	var issues []issueWithoutGrams
	err := s.inTx(ctx, func(t *tx) error {
		if err := t.FindByKey(ctx); err != nil {
			return err
		}
		without, err := pg.FindProjects(ctx, s.db, t, projectsWithoutGrams, pg.Args{})
		if err != nil {
			return err
		}
		issues, err = pg.QueryEach[issueWithoutGrams](ctx, s.db, t, listIssuesWithoutGrams, pg.Args{"limit": indexAtOnce}, without)
		if err != nil || len(issues) == 0 {
			return err
		}
		projects, ids, grams := make([]int64, len(issues)), make([]int64, len(issues)), make([]string, len(issues))
		for n, i := range issues {
			projects[n], ids[n], grams[n] = i.ProjectID, i.ID, pg.ArrayText(HashGrams(i.ProjectID, i.Title, i.Culprit))
		}
		if _, err := pg.Exec(ctx, t, addGrams, pg.Args{"projects": projects, "ids": ids, "grams": grams}); err != nil {
			return err
		}
		_, err = pg.ExecEach(ctx, s.db, t, setHasGrams, pg.Args{"projects": projects, "ids": ids}, projects)
		return err
	})
	return len(issues), err
}
