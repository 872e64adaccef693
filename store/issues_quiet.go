package store

import (
	"context"
	"time"

	"errand/store/pg"
)

// quietAfter is how long an issue has no event before it is quiet: as long as the priority counts events (primary API, Issue).
const quietAfter = 24 * time.Hour

// quietAtOnce bounds the issues that one statement marks.
const quietAtOnce = 1000

// An issue that another transaction is changing is left for the next time.
const markQuiet = `
UPDATE issues i SET quiet = true
FROM (
	SELECT project_id, id FROM issues WHERE NOT quiet AND last_seen < @before AND /* of some projects: issues */ true
	ORDER BY project_id, id LIMIT @limit FOR UPDATE SKIP LOCKED
) q
WHERE i.project_id = q.project_id AND i.id = q.id AND /* of some projects: i */ true`

const projectsOfQuiet = `SELECT DISTINCT project_id FROM issues WHERE NOT quiet AND last_seen < @before`

// MarkQuiet marks issues that have had no event for a day, which the list by priority then finds without reading each. The
// next event of an issue removes its mark. No list depends on when it is called.
func (s *Store) MarkQuiet(ctx context.Context) error {
	before := s.Now().Add(-quietAfter)
	projects, err := pg.FindProjects(ctx, s.db, s.db.Main, projectsOfQuiet, pg.Args{"before": before})
	if err != nil {
		return err
	}
	for {
		n, err := pg.ExecEach(ctx, s.db, s.db.Main, markQuiet, pg.Args{"before": before, "limit": quietAtOnce}, projects)
		if err != nil || n < quietAtOnce {
			return err
		}
	}
}
