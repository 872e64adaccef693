package tools

import (
	"context"
	"errors"

	"errand/core"
	"errand/store"
)

func (t *Tools) updatePerson(ctx context.Context, call core.Call, in core.UpdatePersonInput) (core.None, error) {
	if in.SiteAdmin.Set {
		if err := t.store.SetSiteAdmin(ctx, call.Actor, in.ID, in.SiteAdmin.Value); err != nil {
			return core.None{}, refuseLastAdmin("site_admin", err)
		}
	}
	switch {
	case !in.Disabled.Set:
		return core.None{}, nil
	case in.Disabled.Value:
		return core.None{}, refuseLastAdmin("disabled", t.store.DisableUser(ctx, call.Actor, in.ID))
	}
	return core.None{}, t.store.EnableUser(ctx, call.Actor, in.ID)
}

// refuseLastAdmin says why the last site admin stays one.
func refuseLastAdmin(field string, err error) error {
	if errors.Is(err, store.ErrLastSiteAdmin) {
		return core.RefuseField(field, "cannot change: nobody else administers the installation; make another site admin first")
	}
	return err
}
