package jobs

import (
	"time"

	"errand/store"
)

type unverified struct{}

func (unverified) Kind() string { return "verify_fixes" }

// verifyFixes marks deployed fixes as verified whose error stayed away. People wait for it.
func verifyFixes(s *store.Store) job {
	return every(10*time.Second, usual, unverified{}, s.VerifyFixes)
}
