package tools

import (
	"context"
	"strings"

	"errand/core"
)

func (t *Tools) addNote(ctx context.Context, call core.Call, in core.AddNoteInput) (core.Data[core.NoteID], error) {
	text, err := t.cleanNote(ctx, in.ID, in.Text)
	if err != nil {
		return wrapData(core.NoteID{}, err)
	}
	if strings.TrimSpace(text) == "" {
		return wrapData(core.NoteID{}, core.RefuseField("text", "must have at least 1 character that can be seen"))
	}
	id, err := t.store.AddNote(ctx, call.Actor, in.ID, text)
	return wrapData(core.NoteID{ID: id}, err)
}
