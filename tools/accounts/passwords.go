package accounts

import (
	"context"
	"unicode/utf8"

	"errand/core"
	"errand/store"
)

// passwordField is the name of the field in the form.
const passwordField = "password"

// ChangePassword changes the password of a person who knows the current one, and ends all sessions. A wrong current password is
// unauthorized, and counted as an attempt to sign in; a new one that is not allowed is invalid_request.
func (a *Accounts) ChangePassword(ctx context.Context, current core.SignInAttempt, password core.Secret) (core.Person, error) {
	user, err := a.checkAttempt(ctx, current)
	if err != nil {
		return core.Person{}, err
	}
	hash, err := a.makePassword(ctx, user, password.Reveal())
	if err != nil {
		return core.Person{}, err
	}
	by := core.NewUserActor(user.ID, user.EmailAddress, core.Rights{})
	user, err = a.Store.UpdateUser(ctx, by, user.ID, store.UserChange{PasswordHash: hash})
	return personOf(user), err
}

// makePassword returns the hash of a new password. The current password and the store.OldHashes before it are refused
// (management API, 1.9).
func (a *Accounts) makePassword(ctx context.Context, user store.User, password string) (core.Secret, error) {
	switch {
	case !utf8.ValidString(password) || utf8.RuneCountInString(password) < core.MinPassword:
		return "", core.RefuseField(passwordField, "must have at least %d characters", core.MinPassword)
	case len(password) > core.MaxPasswordBytes:
		return "", core.RefuseField(passwordField, "must have at most %d bytes", core.MaxPasswordBytes)
	}
	ctx, cancel := context.WithTimeout(ctx, hashWaits)
	defer cancel()
	isKnown, err := a.Passwords.MatchesAny(ctx, user.ListHashes(), password)
	switch {
	case ctx.Err() != nil:
		return "", core.NewError(core.Unavailable).Because(ctx.Err())
	case err != nil:
		return "", err
	case isKnown:
		return "", core.RefuseField(passwordField, "must be neither your current password nor one of the %d before it", store.OldHashes)
	}
	return a.hashPassword(ctx, password)
}
