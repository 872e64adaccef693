package tools

import (
	"context"
	"strings"

	"errand/core"
)

func (t *Tools) correctTriage(ctx context.Context, call core.Call, in core.CorrectTriageInput) (core.Data[core.Recorded], error) {
	note := strings.TrimSpace(t.notes.Text(in.Note))
	err := t.store.CorrectTriage(ctx, call.Actor, in.ID, in.TriageChange, note)
	return data(core.Recorded{Recorded: err == nil}, err)
}
