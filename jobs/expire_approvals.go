package jobs

import (
	"time"

	"errand/store"
)

type undecided struct{}

func (undecided) Kind() string { return "expire_approvals" }

// expireApprovals writes down which requests for approval were not decided in time.
func expireApprovals(s *store.Store) job {
	return every(time.Hour, usual, undecided{}, s.ExpireApprovals)
}
