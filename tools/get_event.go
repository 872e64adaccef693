package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getEvent(ctx context.Context, _ core.Call, in core.EventInput) (core.Data[core.EventDetail], error) {
	return wrapData(t.store.Event(ctx, in.ID))
}
