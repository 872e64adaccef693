package jobs

import (
	"time"

	"errand/store"
)

type endClaimsArgs struct{}

func (endClaimsArgs) Kind() string { return "end_claims" }

// endClaims records which claims have run out.
func endClaims(s *store.Store) job {
	return runEvery(15*time.Second, usualTimeout, endClaimsArgs{}, s.EndLapsedClaims)
}
