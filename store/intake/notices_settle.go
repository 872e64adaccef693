package intake

import (
	"context"
	"time"

	"errand/core"
	"errand/store/pg"
)

// NoticeBounds are the bounds of issues.notices_class, and NoticeClasses the same in Go. The index for the order of problems by notices
// has the class. Up to 3 each number of stored events has its own class.
const NoticeBounds = `'{1,2,3,4,8,16,32,64,128,256,512}'::bigint[]`

// NoticeClasses has the least number of stored events of each class, from class 1 on.
var NoticeClasses = []int64{1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512}

// A change of the class writes to every index of issues. So an event only changes it when it changes listed_from too, which does the
// same, or when the issue had no event for a while. SettleNotices corrects the class when a burst is over. Until then the lists compute
// it: only issues with an event in the last minutes need that.

// mayKeepClass is the condition that the class stays as it is for now: listed_from does not change. $14 is the current time.
const mayKeepClass = `n.last_at - i.listed_from < interval '5 minutes' AND $14::timestamptz - i.listed_from < interval '10 minutes'`

// settleAfter is longer than the ten minutes of mayKeepClass by the longest time that a batch takes and clocks differ.
const settleAfter = 15 * time.Minute

// settledAtOnce is how many issues a transaction settles at most.
const settledAtOnce = 1000

const (
	// Others have had no event since their last time.
	listUnsettled = `
SELECT p.id FROM projects p JOIN project_seen s ON s.project_id = p.id
WHERE p.deleted_at IS NULL AND s.last_event_at >= p.notices_settled_at ORDER BY p.id`
	settleNotices = `
WITH wrong AS (
	SELECT i.project_id, i.id FROM issues i
	WHERE i.project_id = @project_id AND i.listed_from >= (SELECT notices_settled_at FROM projects WHERE id = @project_id)
		AND i.listed_from < @before AND i.notices_class <> width_bucket(i.stored_events, ` + NoticeBounds + `)
	ORDER BY i.project_id, i.id LIMIT @limit FOR UPDATE OF i
)
UPDATE issues i SET notices_class = width_bucket(i.stored_events, ` + NoticeBounds + `)
FROM wrong w WHERE i.project_id = @project_id AND i.id = w.id`
	noteSettled = `UPDATE projects SET notices_settled_at = @before WHERE id = @project_id AND notices_settled_at < @before`
)

// SettleNotices gives the issues whose last event is some minutes old the class of their stored events. It can be interrupted anywhere.
func (w *Writer) SettleNotices(ctx context.Context) error {
	before := core.At(w.db.Now().Add(-settleAfter))
	projects, err := pg.QueryMany[struct{ ID int64 }](ctx, w.db.Main, listUnsettled, pg.Args{})
	for _, p := range projects {
		if err = w.settleNoticesOf(ctx, p.ID, before); err != nil {
			break
		}
	}
	return err
}

func (w *Writer) settleNoticesOf(ctx context.Context, project int64, before core.Time) error {
	for settled := int64(settledAtOnce); settled == settledAtOnce; {
		var err error
		settled, err = pg.Exec(ctx, w.db.Main, settleNotices, pg.Args{"project_id": project, "before": before, "limit": settledAtOnce})
		if err != nil {
			return err
		}
	}
	_, err := pg.Exec(ctx, w.db.Main, noteSettled, pg.Args{"project_id": project, "before": before})
	return err
}
