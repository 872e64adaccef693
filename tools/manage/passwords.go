package manage

import (
	"context"
	"errors"
	"fmt"

	"errand/core"
	"errand/core/manage"
	"errand/passwords"
	"errand/store"
)

// checkPassword returns the faults of a password, one sentence each.
func checkPassword(in manage.UserFields) (wrong []string) {
	password := in.Password.Value.Reveal()
	if len(password) > passwords.MaxBytes {
		wrong = append(wrong, fmt.Sprintf("Password is too long (maximum is %d bytes)", passwords.MaxBytes))
	}
	if !in.IsConfirmed() {
		wrong = append(wrong, "Password confirmation doesn't match Password")
	}
	return wrong
}

// errPasswordUsed says that a password is the present one or a recent one.
var errPasswordUsed = errors.New("the password was used recently: choose another one")

// hashNewPassword returns the hash of a password, or errPasswordUsed.
func (t *Handlers) hashNewPassword(ctx context.Context, user store.User, password core.Secret) (core.Secret, error) {
	isKnown, err := t.Passwords.MatchesAny(ctx, user.ListHashes(), password.Reveal())
	if err != nil {
		return "", wrapWaiting(ctx, err)
	}
	if isKnown {
		return "", errPasswordUsed
	}
	hash, err := t.Passwords.Hash(ctx, password.Reveal())
	return core.Secret(hash), wrapWaiting(ctx, err)
}

// wrapWaiting turns the error of too long a wait for the turn to hash into unavailable.
func wrapWaiting(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return core.NewError(core.Unavailable).Because(err)
	}
	return err
}
