package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getEventsAround(ctx context.Context, _ core.Call, in core.GetEventsAroundInput) (core.Data[core.EventsAround], error) {
	return wrapData(t.store.FindEventsAround(ctx, in.ID, in.Event, makeEventFilter(in.EventSearch)))
}
