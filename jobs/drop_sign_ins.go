package jobs

import (
	"time"

	"errand/store"
)

type dropSignInsArgs struct{}

func (dropSignInsArgs) Kind() string { return "drop_sign_ins" }

// dropSignIns forgets expired sessions and links, and attempts to sign in that no longer count.
func dropSignIns(s *store.Store) job {
	return runEvery(10*time.Minute, usualTimeout, dropSignInsArgs{}, s.DropSignIns)
}
