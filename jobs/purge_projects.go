package jobs

import (
	"context"
	"time"

	"errand/store"
)

// purgeWithin is how long one run deletes; it ends by itself before it is cut off.
const purgeWithin = usual / 2

type purge struct{}

func (purge) Kind() string { return "purge_projects" }

// purgeProjects deletes the rows of the projects that were deleted.
func purgeProjects(s *store.Store) job {
	return every(10*time.Second, usual, purge{}, func(ctx context.Context) error {
		until := time.Now().Add(purgeWithin)
		projects, err := s.UnpurgedProjects(ctx)
		for _, project := range projects {
			for done := false; err == nil && !done && time.Now().Before(until); {
				done, err = s.PurgeProject(ctx, project)
			}
		}
		return err
	})
}
