package manage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"errand/core"
	"errand/core/manage"
	"errand/passwords"
	"errand/store"
)

// checkPassword returns what is wrong with a password, one sentence each.
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

// errPasswordUsed says that a password is the present one or one of the last.
var errPasswordUsed = errors.New("the password was used recently: choose another one")

// hashNewPassword returns the hash of a password, or errPasswordUsed.
func (t *Tools) hashNewPassword(ctx context.Context, user store.User, password core.Secret) (core.Secret, error) {
	for _, hash := range slices.Insert(user.OldHashes, 0, user.PasswordHash) {
		if hash == "" {
			continue
		}
		known, err := t.Passwords.Check(ctx, hash.Reveal(), password.Reveal())
		if err != nil {
			return "", wrapWaiting(ctx, err)
		}
		if known.Matches {
			return "", errPasswordUsed
		}
	}
	hash, err := t.Passwords.Hash(ctx, password.Reveal())
	return core.Secret(hash), wrapWaiting(ctx, err)
}

// wrapWaiting makes unavailable of an error that came while the turn to hash was waited for for too long.
func wrapWaiting(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return core.NewError(core.Unavailable).Because(err)
	}
	return err
}
