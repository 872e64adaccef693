package accounts

import (
	"context"
	"time"

	"errand/core"
	"errand/store"
)

// hashWaits is how long a sign-in waits for its turn to hash, since only a few hash at a time.
const hashWaits = 10 * time.Second

// SignIn returns the person with the address and the password. Every mistake is unauthorized, and takes equally long.
// Too many attempts are limit, whether or not the password is correct.
func (a *Accounts) SignIn(ctx context.Context, attempt core.SignInAttempt) (core.Person, error) {
	user, err := a.checkAttempt(ctx, attempt)
	a.observe(err)
	if err != nil {
		return core.Person{}, err
	}
	return personOf(user), a.Store.NoteSignIn(ctx, user.ID)
}

func (a *Accounts) observe(err error) {
	switch {
	case a.Observe == nil:
	case err == nil:
		a.Observe("ok")
	case core.HasCode(err, core.Limit):
		a.Observe("limit")
	case core.HasCode(err, core.Unauthorized):
		a.Observe("refused")
	}
}

// checkAttempt counts the attempt, then returns the user whose password was shown.
func (a *Accounts) checkAttempt(ctx context.Context, attempt core.SignInAttempt) (store.User, error) {
	address, err := core.ReadEmailAddress(attempt.EmailAddress)
	if err != nil {
		address = "" // nobody's; it is still counted and hashed
	}
	counted := a.countSubjects(address, attempt)
	if err := a.countAttempt(ctx, counted); err != nil {
		return store.User{}, err
	}
	user, err := a.findByEmail(ctx, address)
	if err != nil {
		return store.User{}, err
	}
	if err := a.checkPassword(ctx, user, attempt.Password.Reveal()); err != nil {
		return store.User{}, err
	}
	return user, a.forgetAttempts(ctx, counted)
}

// findByEmail returns the user, or an empty user, which no password matches.
func (a *Accounts) findByEmail(ctx context.Context, address string) (store.User, error) {
	if address == "" {
		return store.User{}, nil
	}
	user, err := a.Store.FindUserByEmail(ctx, address)
	if core.HasCode(err, core.NotFound) {
		return store.User{}, nil
	}
	return user, err
}

// checkPassword returns unauthorized for a wrong password. It renews a hash that has old parameters.
func (a *Accounts) checkPassword(ctx context.Context, user store.User, password string) error {
	ctx, cancel := context.WithTimeout(ctx, hashWaits)
	defer cancel()
	if len(password) > core.MaxPasswordBytes {
		password = password[:core.MaxPasswordBytes+1] // still wrong, but no more costly
	}
	result, err := a.Passwords.Check(ctx, user.PasswordHash.Reveal(), password)
	switch {
	case ctx.Err() != nil:
		return core.NewError(core.Unavailable).Because(ctx.Err())
	case err != nil:
		return err
	case !result.Matches || !user.DisabledAt.IsZero():
		return core.NewError(core.Unauthorized)
	case !result.Outdated:
		return nil
	}
	upgraded, err := a.hashPassword(ctx, password)
	if err != nil {
		return err
	}
	return a.Store.UpgradeHash(ctx, user.ID, user.PasswordHash, upgraded)
}

func (a *Accounts) hashPassword(ctx context.Context, password string) (core.Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, hashWaits)
	defer cancel()
	hash, err := a.Passwords.Hash(ctx, password)
	if ctx.Err() != nil {
		return "", core.NewError(core.Unavailable).Because(ctx.Err())
	}
	return core.Secret(hash), err
}
