package tools

import (
	"cmp"
	"context"
	"errors"

	"errand/core"
	"errand/store"
)

func (t *Tools) invitePerson(ctx context.Context, call core.Call, in core.InvitePersonInput) (core.Data[core.PersonLink], error) {
	address, err := core.ReadEmailAddress(in.EmailAddress)
	if err != nil {
		return wrapData(core.PersonLink{}, err)
	}
	code, hash, err := t.newLinkCode()
	if err != nil {
		return wrapData(core.PersonLink{}, err)
	}
	user, expiresAt, err := t.store.InvitePerson(ctx, call.Actor, store.InvitedPerson{
		NewUser: store.NewUser{EmailAddress: address, SiteAdmin: in.SiteAdmin}, TeamID: in.Team, Role: cmp.Or(in.Role, core.RoleMember),
		LinkHash: hash,
	})
	if errors.Is(err, store.ErrEmailTaken) {
		err = core.RefuseField("email_address", "is a person's already: make a link for a new password instead")
	}
	if err != nil {
		return wrapData(core.PersonLink{}, err)
	}
	return wrapData(t.handOutLink(ctx, user, code, expiresAt, "[Errand] You are invited", invitationText), nil)
}

const invitationText = `You are invited to Errand, where the errors of your applications are looked after.

Choose a password within 7 days, and you are in:

%s
`
