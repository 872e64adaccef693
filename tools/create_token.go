package tools

import (
	"context"
	"crypto/sha256"

	"errand/core"
	"errand/store"
)

func (t *Tools) createToken(ctx context.Context, call core.Call, in core.CreateTokenInput) (core.Data[core.CreatedToken], error) {
	project, err := t.findOptionalProject(ctx, in.Project)
	if err != nil {
		return wrapData(core.CreatedToken{}, err)
	}
	value, err := t.newToken()
	if err != nil {
		return wrapData(core.CreatedToken{}, err)
	}
	hash := sha256.Sum256([]byte(value.Reveal()))
	token, err := t.store.CreateToken(ctx, call.Actor, store.NewToken{
		Name: in.Name, Hash: hash[:], Prefix: value.Reveal()[:shownPrefix], Scopes: in.Scopes, ProjectID: project,
	})
	return wrapData(core.CreatedToken{Token: token, Value: value.Reveal()}, err)
}
