package intake

import (
	"context"

	"errand/store/pg"
)

const listLiveProjects = `SELECT id FROM projects WHERE deleted_at IS NULL ORDER BY id`

// EachProject calls fn with each project that is not deleted, in the order of their ids, until it returns an error.
func (w *Writer) EachProject(ctx context.Context, fn func(ctx context.Context, project int64) error) error {
	projects, err := pg.QueryMany[struct{ ID int64 }](ctx, w.db.Main, listLiveProjects, pg.Args{})
	if err != nil {
		return err
	}
	for _, p := range projects {
		if err := fn(ctx, p.ID); err != nil {
			return err
		}
	}
	return nil
}
