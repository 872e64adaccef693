package jobs

import (
	"time"

	"errand/store"
)

type settleNoticesArgs struct{}

func (settleNoticesArgs) Kind() string { return "settle_notices" }

// settleNotices finishes what bursts of events have left undone in the order of problems by notices.
func settleNotices(s *store.Store) job {
	return runEvery(time.Minute, usualTimeout, settleNoticesArgs{}, s.Intake.SettleNotices)
}
