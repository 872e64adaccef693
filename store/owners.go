package store

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"errand/store/intake"
	"errand/store/pg"
)

// owners remembers to which project an issue or event belongs. Paths such as /v1/issues/{id} carry no project, and
// every statement wants one; the answer never changes, so it is looked up once.
type owners struct{ cache *lru.Cache[ownerKey, int64] }

type ownerKey struct {
	kind pg.Series
	id   int64
}

func newOwners() *owners {
	cache, err := lru.New[ownerKey, int64](1 << 15)
	if err != nil {
		panic(err) // only a size that is wrong in the program fails
	}
	return &owners{cache}
}

const (
	ownerOfIssue = `SELECT project_id FROM issues WHERE id = @id`
	ownerOfEvent = `SELECT project_id FROM events WHERE id = @id`
)

func (s *Store) ownerOf(ctx context.Context, kind pg.Series, sql string, id int64) (int64, error) {
	key := ownerKey{kind, id}
	if project, ok := s.owners.cache.Get(key); ok {
		return project, nil
	}
	row, err := pg.QueryOne[struct{ ProjectID int64 }](ctx, s.db.Main, sql, pg.Args{"id": id})
	if err != nil {
		return 0, err
	}
	s.owners.cache.Add(key, row.ProjectID)
	return row.ProjectID, nil
}

func (s *Store) issueOwner(ctx context.Context, id int64) (int64, error) {
	return s.ownerOf(ctx, intake.IssueIDs, ownerOfIssue, id)
}

// shownIssueOwner is issueOwner for lists that do not read the project: those of a deleted one are not_found.
func (s *Store) shownIssueOwner(ctx context.Context, id int64) (int64, error) {
	project, err := s.issueOwner(ctx, id)
	if err != nil {
		return 0, err
	}
	_, err = pg.QueryOne[struct{ ID int64 }](ctx, s.db.Main, projectByID, pg.Args{"id": project})
	return project, err
}

func (s *Store) eventOwner(ctx context.Context, id int64) (int64, error) {
	return s.ownerOf(ctx, intake.EventIDs, ownerOfEvent, id)
}
