package manage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"errand/core"
	"errand/passwords"
	"errand/store"
)

// MakeUser creates a user for the command, and returns the user's password: the one that is given, or a new one when none is.
func (t *Handlers) MakeUser(ctx context.Context, actor core.Actor, n store.NewUser, password core.Secret) (core.Secret, error) {
	var err error
	if n.EmailAddress, err = readEmail(n.EmailAddress); err != nil {
		return "", err
	}
	if password, n.PasswordHash, err = t.choosePassword(ctx, store.User{}, password); err != nil {
		return "", err
	}
	_, err = t.Store.CreateUser(ctx, actor, n)
	if errors.Is(err, store.ErrEmailTaken) {
		err = core.RefuseField("email", "%s is a user's already", n.EmailAddress)
	}
	return password, err
}

// ResetPassword gives the user whom FindPerson finds another password and ends all sessions. It returns the password, as MakeUser does.
func (t *Handlers) ResetPassword(ctx context.Context, actor core.Actor, ref string, password core.Secret) (core.Secret, error) {
	user, err := t.FindPerson(ctx, ref)
	if err != nil {
		return "", err
	}
	password, hash, err := t.choosePassword(ctx, user, password)
	if err != nil {
		return "", err
	}
	return password, t.Store.SetPassword(ctx, actor, user.ID, hash)
}

// choosePassword returns the password, or a new one for an empty one, and its hash.
func (t *Handlers) choosePassword(ctx context.Context, user store.User, password core.Secret) (_, hash core.Secret, err error) {
	if password == "" {
		if password, err = core.NewCredential(t.Random, ""); err != nil {
			return "", "", err
		}
	}
	switch text := password.Reveal(); {
	case strings.TrimSpace(text) == "":
		return "", "", core.RefuseField("password", "must not be blank")
	case len(text) > passwords.MaxBytes:
		return "", "", core.RefuseField("password", "must have at most %d bytes", passwords.MaxBytes)
	case !isStorable(text):
		return "", "", core.RefuseField("password", "must be valid UTF-8 without NUL")
	}
	hash, err = t.hashNewPassword(ctx, user, password)
	return password, hash, err
}

// SetDisabled keeps the user whom FindPerson finds from signing in, or lets the user sign in again.
func (t *Handlers) SetDisabled(ctx context.Context, actor core.Actor, ref string, disabled bool) error {
	user, err := t.FindPerson(ctx, ref)
	if err != nil {
		return err
	}
	if !disabled {
		return t.Store.EnableUser(ctx, actor, user.ID)
	}
	err = t.Store.DisableUser(ctx, actor, user.ID)
	if errors.Is(err, store.ErrLastSiteAdmin) {
		return fmt.Errorf("%s is the last site admin: make another one first", user.EmailAddress)
	}
	return err
}

// FindPerson returns the user with the address, the id or the slug. The error says where to look.
func (t *Handlers) FindPerson(ctx context.Context, ref string) (user store.User, err error) {
	if strings.Contains(ref, "@") {
		address, wrong := readEmail(ref)
		if wrong != nil {
			return store.User{}, wrong
		}
		user, err = t.Store.FindUserByEmail(ctx, address)
	} else {
		user, err = t.Store.FindUser(ctx, ref)
	}
	if core.HasCode(err, core.NotFound) {
		err = fmt.Errorf("there is no user %s: errand user list shows them", ref)
	}
	return user, err
}

func readEmail(text string) (string, error) {
	address, err := core.ReadEmailAddress(text)
	if err != nil {
		return "", core.RefuseField("email", "must be an e-mail address of at most %d characters", core.MaxEmailAddress)
	}
	return address, nil
}

// isStorable reports whether the text can stand in a JSON body too, which a person signs in with.
func isStorable(text string) bool {
	return strings.ToValidUTF8(text, "") == text && !strings.Contains(text, "\x00")
}
