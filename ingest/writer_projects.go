package ingest

import (
	"context"

	"golang.org/x/sync/errgroup"

	"errand/store/intake"
)

// writeProjects commits the events of each project by themselves, some at the same time: their nodes may differ, and what fails on one
// node does not fail the events of another.
func (w *writer) writeProjects(ctx context.Context, batch []*pendingEvent) {
	parts := map[int64][]*pendingEvent{}
	for _, e := range batch {
		parts[e.event.ProjectID] = append(parts[e.event.ProjectID], e)
	}
	var writing errgroup.Group
	writing.SetLimit(intake.ProjectsAtOnce)
	for _, part := range parts {
		writing.Go(func() error {
			err := catchPanic(func() error {
				w.writeBatch(ctx, part, storedForms(part))
				return nil
			})
			if err != nil {
				failEvents(part, err)
			}
			return nil
		})
	}
	_ = writing.Wait()
}
