package jobs

import (
	"time"

	"errand/store"
)

// expireApprovals writes down which requests for approval were not decided in time.
func expireApprovals(s *store.Store) job {
	return job{name: "expire_approvals", every: time.Hour, run: s.ExpireApprovals}
}
