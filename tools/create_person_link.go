package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) createPersonLink(ctx context.Context, call core.Call, in core.PersonInput) (core.Data[core.PersonLink], error) {
	code, hash, err := t.newLinkCode()
	if err != nil {
		return wrapData(core.PersonLink{}, err)
	}
	user, expiresAt, err := t.store.MakePersonLink(ctx, call.Actor, in.ID, hash)
	if err != nil {
		return wrapData(core.PersonLink{}, err)
	}
	return wrapData(t.handOutLink(ctx, user, code, expiresAt, "[Errand] Choose a password", passwordLinkText), nil)
}

const passwordLinkText = `Somebody who administers Errand made this link for you to choose a new password:

%s

It works once. If you did not expect it, ask them; the password stays as it is until the link is used.
`
