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
	return wrapData(t.makeToken(ctx, call.Actor, store.NewToken{
		Name: in.Name, Scopes: in.Scopes, ProjectID: project, OnlyProject: in.OnlyProject}))
}

// makeToken makes the value of a token and stores the token.
func (t *Tools) makeToken(ctx context.Context, actor core.Actor, token store.NewToken) (core.CreatedToken, error) {
	value, err := core.NewCredential(t.random, tokenPrefix)
	if err != nil {
		return core.CreatedToken{}, err
	}
	hash := sha256.Sum256([]byte(value.Reveal()))
	token.Hash, token.Prefix = hash[:], value.Reveal()[:shownPrefix]
	created, err := t.store.CreateToken(ctx, actor, token)
	return core.CreatedToken{Token: created, Value: value.Reveal()}, err
}
