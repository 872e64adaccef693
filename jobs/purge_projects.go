package jobs

import (
	"context"
	"time"

	"errand/store"
)

// purgeWithin is how long one run deletes. It ends on its own before it is cut off.
const purgeWithin = usualTimeout / 2

type purgeProjectsArgs struct{}

func (purgeProjectsArgs) Kind() string { return "purge_projects" }

// purgeProjects deletes the rows of deleted projects.
func purgeProjects(s *store.Store) job {
	return runEvery(10*time.Second, usualTimeout, purgeProjectsArgs{}, func(ctx context.Context) error {
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
