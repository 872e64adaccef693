package accounts

import (
	"context"

	"errand/core"
	"errand/store"
)

// MakeSignUpLink returns the secret of the link for the first user to sign up; empty when there are users. It replaces earlier links.
func (a *Accounts) MakeSignUpLink(ctx context.Context) (core.Secret, error) {
	code, err := core.NewCredential(a.Random, core.LinkPrefix)
	if err != nil {
		return "", err
	}
	made, err := a.Store.MakeSignUpLink(ctx, hashSecret(code))
	if err != nil || !made {
		return "", err
	}
	return code, nil
}

// CheckLink returns the person whom a link is for: an empty person for the first user, who does not exist yet. An
// unusable link is not_found.
func (a *Accounts) CheckLink(ctx context.Context, code core.Secret) (core.Person, error) {
	if !code.LooksLike(core.LinkPrefix) {
		return core.Person{}, core.NewError(core.NotFound)
	}
	link, err := a.Store.FindUserLink(ctx, hashSecret(code))
	if err != nil {
		return core.Person{}, err
	}
	if link.UserID == 0 { // of the first user
		exists, err := a.Store.HasUsers(ctx)
		if err == nil && exists {
			err = core.NewError(core.NotFound)
		}
		return core.Person{}, err
	}
	return a.FindPerson(ctx, link.UserID)
}

// SignUp makes the first user, a site admin, by a link. It returns not_found for an unusable link, and invalid_request
// for an address or a password that is not allowed.
func (a *Accounts) SignUp(ctx context.Context, code core.Secret, emailAddress string, password core.Secret) (core.Person, error) {
	if p, err := a.CheckLink(ctx, code); err != nil || p.ID != 0 {
		return core.Person{}, notFoundUnless(err)
	}
	address, err := core.ReadEmailAddress(emailAddress)
	if err != nil {
		return core.Person{}, core.RefuseField("email", "must be an e-mail address, such as ann@example.com")
	}
	hash, err := a.makePassword(ctx, store.User{}, password.Reveal())
	if err != nil {
		return core.Person{}, err
	}
	user, err := a.Store.SignUp(ctx, hashSecret(code), store.NewUser{EmailAddress: address, PasswordHash: hash})
	if err != nil {
		return core.Person{}, err
	}
	return personOf(user), a.Store.NoteSignIn(ctx, user.ID)
}

// ResetPassword sets a new password by a link from a mail, with the errors of SignUp. It ends all sessions and
// forgets the counted attempts, since the owner has arrived.
func (a *Accounts) ResetPassword(ctx context.Context, code, password core.Secret) (core.Person, error) {
	p, err := a.CheckLink(ctx, code)
	if err != nil || p.ID == 0 {
		return core.Person{}, notFoundUnless(err)
	}
	user, err := a.Store.ReadUser(ctx, p.ID)
	if err != nil {
		return core.Person{}, err
	}
	hash, err := a.makePassword(ctx, user, password.Reveal())
	if err != nil {
		return core.Person{}, err
	}
	if user, err = a.Store.ResetPassword(ctx, hashSecret(code), hash); err != nil {
		return core.Person{}, err
	}
	if err := a.Store.ForgetAttempts(ctx, hashSubject("account", user.EmailAddress)); err != nil {
		return core.Person{}, err
	}
	return personOf(user), a.Store.NoteSignIn(ctx, user.ID)
}

// notFoundUnless returns the error, or not_found for a link of the other kind.
func notFoundUnless(err error) error {
	if err != nil {
		return err
	}
	return core.NewError(core.NotFound)
}
