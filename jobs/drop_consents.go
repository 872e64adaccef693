package jobs

import (
	"time"

	"errand/store"
)

type dropConsentsArgs struct{}

func (dropConsentsArgs) Kind() string { return "drop_consents" }

// dropConsents forgets people's consents for clients of MCP after their codes have become useless.
func dropConsents(s *store.Store) job {
	return runEvery(time.Hour, usualTimeout, dropConsentsArgs{}, s.DropConsents)
}
