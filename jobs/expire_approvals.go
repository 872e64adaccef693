package jobs

import (
	"time"

	"errand/store"
)

type expireApprovalsArgs struct{}

func (expireApprovalsArgs) Kind() string { return "expire_approvals" }

// expireApprovals records which requests for approval were not decided in time.
func expireApprovals(s *store.Store) job {
	return runEvery(time.Hour, usualTimeout, expireApprovalsArgs{}, s.ExpireApprovals)
}
