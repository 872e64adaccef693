package jobs

import (
	"time"

	"errand/store"
)

type dropSignInsArgs struct{}

func (dropSignInsArgs) Kind() string { return "drop_sign_ins" }

// dropSignIns forgets sessions and links that have run out, and attempts to sign in that count no more.
func dropSignIns(s *store.Store) job {
	return runEvery(10*time.Minute, usualTimeout, dropSignInsArgs{}, s.DropSignIns)
}
