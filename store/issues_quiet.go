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
	SELECT project_id, id FROM issues WHERE NOT quiet AND last_seen < @before ORDER BY project_id, id LIMIT @limit FOR UPDATE SKIP LOCKED
) q
WHERE i.project_id = q.project_id AND i.id = q.id`

// MarkQuiet marks issues that have had no event for a day, which the list by priority then finds without reading each. The
// next event of an issue removes its mark. No list depends on when it is called.
func (s *Store) MarkQuiet(ctx context.Context) error {
	for {
		n, err := pg.Exec(ctx, s.db.Main, markQuiet, pg.Args{"before": s.Now().Add(-quietAfter), "limit": quietAtOnce})
		if err != nil || n < quietAtOnce {
			return err
		}
	}
}
