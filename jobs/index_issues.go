package jobs

import (
	"context"
	"time"

	"errand/store"
)

type indexIssuesArgs struct{}

func (indexIssuesArgs) Kind() string { return "index_issues" }

// indexAtMost bounds the issues that one run adds, so that it leaves the database to others most of the time.
const indexAtMost = 5000

// indexIssues adds new issues to the index of the search.
func indexIssues(s *store.Store) job {
	return runEvery(10*time.Second, usualTimeout, indexIssuesArgs{}, func(ctx context.Context) error {
		for done := 0; done < indexAtMost; {
			n, err := s.IndexIssues(ctx)
			if err != nil || n == 0 {
				return err
			}
			done += n
		}
		return nil
	})
}
