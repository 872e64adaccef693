package jobs

import (
	"time"

	"errand/store"
)

type returnIgnoredArgs struct{}

func (returnIgnoredArgs) Kind() string { return "return_ignored" }

// returnIgnored makes ignored issues unresolved when the time of their term has come.
func returnIgnored(s *store.Store) job {
	return runEvery(30*time.Second, usualTimeout, returnIgnoredArgs{}, s.ReturnIgnored)
}
