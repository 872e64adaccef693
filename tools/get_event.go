package tools

import (
	"context"

	"errand/core"
)

// roomBesideEvent is the weight of an answer without its event, as core.WeighText counts.
const roomBesideEvent = 4000

func (t *Tools) getEvent(ctx context.Context, call core.Call, in core.EventInput) (core.Data[core.EventDetail], error) {
	var event core.EventDetail
	id, err := t.store.FindEvent(ctx, in.ID)
	if err != nil {
		return wrapData(event, err)
	}
	if event, err = t.store.ReadEvent(ctx, id); err != nil {
		return wrapData(event, err)
	}
	event.Event.NameMapped()
	event.Event.KeepParts(in.Parts)
	if in.Frames == core.OnlyAppFrames {
		event.Event.KeepAppFrames()
	}
	if call.ForModel {
		event.Event.CutToFit(core.ModelBudget-roomBesideEvent, in.Parts)
	}
	return wrapData(event, nil)
}
