package jobs

import (
	"time"

	"errand/store"
)

type dropConsentsArgs struct{}

func (dropConsentsArgs) Kind() string { return "drop_consents" }

// dropConsents forgets what people allowed clients of MCP, once its codes cannot come again.
func dropConsents(s *store.Store) job {
	return runEvery(time.Hour, usualTimeout, dropConsentsArgs{}, s.DropConsents)
}
