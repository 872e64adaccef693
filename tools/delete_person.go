package tools

import (
	"context"
	"errors"

	"errand/core"
	"errand/store"
)

func (t *Tools) deletePerson(ctx context.Context, call core.Call, in core.PersonInput) (core.None, error) {
	err := t.store.DeleteUser(ctx, call.Actor, in.ID)
	if errors.Is(err, store.ErrUserHasProjects) {
		return core.None{}, core.RefuseField("id", "names a person who created projects: disable the person instead")
	}
	return core.None{}, refuseLastAdmin("id", err)
}
