package tools

import (
	"context"

	"errand/core"
)

// readAccount returns the account of a person. One that was removed or disabled since is unauthorized.
func (t *Tools) readAccount(ctx context.Context, person core.Actor) (core.Account, error) {
	user, err := t.store.ReadUser(ctx, int64(person.ID))
	if core.HasCode(err, core.NotFound) {
		err = core.NewError(core.Unauthorized)
	}
	if err != nil {
		return core.Account{}, err
	}
	return core.Account{
		ID: user.ID, EmailAddress: user.EmailAddress, SiteAdmin: user.SiteAdmin, HasPassword: user.PasswordHash != "",
		Preferences: user.Preferences(),
	}, nil
}
