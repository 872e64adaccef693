package jobs

import (
	"time"

	"errand/store"
)

type verifyFixesArgs struct{}

func (verifyFixesArgs) Kind() string { return "verify_fixes" }

// verifyFixes marks deployed fixes as verified if their error stayed away. People wait for it.
func verifyFixes(s *store.Store) job {
	return runEvery(10*time.Second, usualTimeout, verifyFixesArgs{}, s.VerifyFixes)
}
