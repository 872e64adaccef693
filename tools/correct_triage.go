package tools

import (
	"context"
	"strings"

	"errand/core"
)

func (t *Tools) correctTriage(ctx context.Context, call core.Call, in core.CorrectTriageInput) (core.Data[core.Recorded], error) {
	note, err := t.cleanNote(ctx, in.ID, in.Note)
	if err == nil {
		err = t.store.CorrectTriage(ctx, call.Actor, in.ID, in.TriageChange, strings.TrimSpace(note))
	}
	return wrapData(core.Recorded{Recorded: err == nil}, err)
}
