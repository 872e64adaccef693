package store

import (
	"context"

	"errand/store/pg"
)

// findNamed returns the statement that finds the issues which have counted an event with one of the names, as far as they are few. An
// issue has a row for each name: an event that counts, a merge and a split only ever add rows.
func findNamed(table, column string) string {
	return `
WITH named AS MATERIALIZED (
	SELECT n.project_id, n.issue_id FROM projects o JOIN ` + table + ` n ON n.project_id = o.id AND n.` + column + ` = ANY (@names::text[])
	WHERE @projects::bigint[] IS NULL OR o.id = ANY (@projects)
	LIMIT @found + 1
)
SELECT array_agg(f.project_id) AS projects, array_agg(f.issue_id) AS ids, (SELECT count(*) FROM named) <= @found AS are_few
FROM (SELECT DISTINCT project_id, issue_id FROM named) f`
}

var (
	findByRelease     = findNamed("issue_releases", "release")
	findByEnvironment = findNamed("issue_environments", "environment")
)

// findByNames returns the issues that may match the filter's release or environment, or nil if it has none or they are many. To rank
// two thousand takes less than to look for the few among all in the order of priority.
func (s *Store) findByNames(ctx context.Context, f IssueFilter, names storedNames) (*foundIssues, error) {
	for _, by := range []struct {
		find  string
		names []string
	}{{findByRelease, names.releases}, {findByEnvironment, names.environments}} {
		if len(by.names) == 0 {
			continue
		}
		args := pg.Args{"names": by.names, "projects": projectsOf(ctx, f.ProjectID), "found": s.searchBounds.found}
		if found, err := s.readFound(ctx, by.find, args); err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}
