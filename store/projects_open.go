package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

// The statuses are those of the index issues_open_problems.
const countOpenOfProjects = `
SELECT p.id AS project_id, o.open
FROM projects p
CROSS JOIN LATERAL (
	SELECT count(*) AS open FROM (
		SELECT FROM issues i
		WHERE i.project_id = p.id AND NOT i.test AND i.status IN ` + openStatuses + ` AND ` + isWork + `
		LIMIT @counted) few) o
WHERE p.deleted_at IS NULL
	AND (@projects::bigint[] IS NULL OR p.id = ANY (@projects))
	AND o.open > 0
ORDER BY p.id`

// CountOpenIssues counts the open issues of each project in reach that has any, up to core.MaxOpenCounted.
func (s *Store) CountOpenIssues(ctx context.Context) ([]core.OpenIssues, error) {
	return pg.QueryMany[core.OpenIssues](ctx, s.db.Main, s.byProject(countOpenOfProjects),
		pg.Args{"counted": core.MaxOpenCounted, "projects": projectsOf(ctx, 0)})
}
