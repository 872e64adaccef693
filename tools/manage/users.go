package manage

import (
	"context"
	"errors"

	"errand/core"
	"errand/core/manage"
	"errand/store"
)

func showUser(user store.User) manage.User {
	return manage.User{
		ID: user.ID, Slug: user.Slug, EmailAddress: user.EmailAddress, SiteAdmin: user.SiteAdmin,
		LastLoggedInAt: manage.At(user.LastLoggedInAt), CreatedAt: manage.At(user.CreatedAt), UpdatedAt: manage.At(user.UpdatedAt),
	}
}

func (t *Handlers) listUsers(ctx context.Context, _ core.Call, _ struct{}) (core.List[manage.User], error) {
	users, err := t.Store.ListUsers(ctx)
	shown := make(core.List[manage.User], len(users))
	for i, user := range users {
		shown[i] = showUser(user)
	}
	return shown, err
}

func (t *Handlers) getUser(ctx context.Context, _ core.Call, in manage.UserInput) (manage.User, error) {
	user, err := t.Store.FindUser(ctx, in.User)
	return showUser(user), err
}

func (t *Handlers) createUser(ctx context.Context, call core.Call, in manage.UserFields) (manage.User, error) {
	address, wrong := t.readAddress(ctx, in, 0)
	if !in.HasPassword() {
		wrong = append(wrong, "Password can't be blank")
	}
	if wrong = append(wrong, checkPassword(in)...); len(wrong) > 0 {
		return manage.User{}, manage.RefuseInput(wrong...)
	}
	hash, err := t.hashNewPassword(ctx, store.User{}, in.Password.Value)
	if err != nil {
		return manage.User{}, err
	}
	user, err := t.Store.CreateUser(ctx, call.Actor, store.NewUser{EmailAddress: address, PasswordHash: hash})
	return showUser(user), refuseOfUser(err)
}

func (t *Handlers) updateUser(ctx context.Context, call core.Call, in manage.UpdateUserInput) (manage.User, error) {
	user, err := t.Store.FindUser(ctx, in.User)
	if err != nil {
		return manage.User{}, err
	}
	var change store.UserChange
	var wrong []string
	if in.EmailAddress.Set {
		change.EmailAddress, wrong = t.readAddress(ctx, in.UserFields, user.ID)
	}
	if in.HasPassword() {
		wrong = append(wrong, checkPassword(in.UserFields)...)
	}
	if len(wrong) > 0 {
		return manage.User{}, manage.RefuseInput(wrong...)
	}
	if in.HasPassword() {
		if change.PasswordHash, err = t.hashNewPassword(ctx, user, in.Password.Value); err != nil {
			return manage.User{}, refuseOfUser(err)
		}
	}
	user, err = t.Store.UpdateUser(ctx, call.Actor, user.ID, change)
	return showUser(user), refuseOfUser(err)
}

func (t *Handlers) deleteUser(ctx context.Context, call core.Call, in manage.UserInput) (core.None, error) {
	user, err := t.Store.FindUser(ctx, in.User)
	if err != nil {
		return core.None{}, err
	}
	return core.None{}, refuseOfUser(t.Store.DeleteUser(ctx, call.Actor, user.ID))
}

const addressTaken = "Email address has already been taken"

// readAddress returns the address as it is stored, or what is wrong with it: also that another user than the one with the id has it.
// A failing look-up is passed over here: whoever stores the address checks it again.
func (t *Handlers) readAddress(ctx context.Context, in manage.UserFields, id int64) (address string, wrong []string) {
	address, mistake := in.ReadAddress()
	if mistake != "" {
		return "", []string{mistake}
	}
	if other, err := t.Store.FindUserByEmail(ctx, address); err == nil && other.ID != id {
		return "", []string{addressTaken}
	}
	return address, nil
}

// refuseOfUser words the errors of the store.
func refuseOfUser(err error) error {
	switch {
	case errors.Is(err, store.ErrEmailTaken):
		return manage.RefuseInput(addressTaken)
	case errors.Is(err, errPasswordUsed):
		return manage.RefuseInput("Password has been used recently. Please choose a different password.")
	case errors.Is(err, store.ErrUserHasProjects):
		return manage.RefuseInput("User created apps, which must be deleted first")
	case errors.Is(err, store.ErrLastSiteAdmin):
		return manage.RefuseInput("User is the last site admin")
	}
	return err
}
