package accounts

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"

	"errand/core"
	"errand/store"
)

// SignInBy returns the person whom a provider of single sign-on has signed in: the user with the identity, else the user with the
// verified address, else a new user if the address has an allowed domain. Anybody else is forbidden, with a reason.
//
// CountVisit has already counted the visit; a successful sign-in takes it off the count.
func (a *Accounts) SignInBy(ctx context.Context, i core.ProviderIdentity, client netip.Addr) (core.Person, error) {
	address, err := core.ReadEmailAddress(i.EmailAddress)
	if err != nil {
		return core.Person{}, core.NewError(core.Forbidden).With("reason", "the provider has no e-mail address of yours that it has verified")
	}
	_, domain, _ := strings.Cut(address, "@")
	user, err := a.Store.FindOrBindUser(ctx, store.SignInIdentity{
		Issuer: i.Issuer, Subject: i.Subject, EmailAddress: address, MayCreate: slices.Contains(a.AllowedDomains, domain),
	})
	switch {
	case errors.Is(err, store.ErrOtherIdentity):
		return core.Person{}, core.NewError(core.Forbidden).With("reason", "the account with your address belongs to another identity of the "+
			"provider; a site admin can help")
	case core.HasCode(err, core.NotFound), err == nil && !user.DisabledAt.IsZero():
		return core.Person{}, core.NewError(core.Forbidden).With("reason", "there is no account for you here; a site admin can make one")
	case err != nil:
		return core.Person{}, err
	}
	if err := a.Store.UncountAttempt(ctx, limitClient(client).Subject); err != nil {
		return core.Person{}, err
	}
	return personOf(user), a.Store.NoteSignIn(ctx, user.ID)
}

// CountVisit counts a return from a provider of single sign-on, before the provider is asked who it is. It returns limit
// when too many come from the address.
func (a *Accounts) CountVisit(ctx context.Context, client netip.Addr) error {
	return a.Store.CountAttempt(ctx, limitClient(client))
}
