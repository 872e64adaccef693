package tools

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"

	"errand/core"
)

// Authenticate returns the actor behind a bearer token, or unauthorized.
func (t *Tools) Authenticate(ctx context.Context, token core.Secret) (core.Actor, error) {
	hash := sha256.Sum256([]byte(token.Reveal()))
	if t.adminToken != "" {
		// The hashes are compared, so that the duration betrays nothing.
		admin := sha256.Sum256([]byte(t.adminToken.Reveal()))
		if subtle.ConstantTimeCompare(hash[:], admin[:]) == 1 {
			return core.NewBootstrapActor(), nil
		}
	}
	var actor core.Actor
	err := error(core.NewError(core.Unauthorized))
	switch {
	case token.LooksLike(tokenPrefix):
		actor, err = t.findTokenActor(ctx, hash[:])
	case token.LooksLike(setupPrefix):
		actor, err = t.findSetupActor(ctx, hash[:])
	}
	if core.HasCode(err, core.NotFound) {
		err = core.NewError(core.Unauthorized)
	}
	if err != nil {
		return core.Actor{}, err
	}
	return actor, nil
}

func (t *Tools) findTokenActor(ctx context.Context, hash []byte) (core.Actor, error) {
	found, err := t.store.UseToken(ctx, hash)
	return core.Actor{
		Type: core.ActorToken, ID: core.OptInt(found.ID), Name: found.Name, Scopes: found.Scopes, Prefix: core.Text(found.Prefix),
		ProjectID: found.ProjectID, ProjectName: found.ProjectName, OnlyProject: found.OnlyProject, IsAgent: found.IsAgent,
	}, err
}

func (t *Tools) findSetupActor(ctx context.Context, hash []byte) (core.Actor, error) {
	found, err := t.store.UseSetupKey(ctx, hash)
	return core.Actor{
		Type: core.ActorToken, ID: core.OptInt(found.ID), Name: "setup key " + found.Prefix, Scopes: core.List[core.Scope]{core.SetupScope},
		Prefix: core.Text(found.Prefix), IsSetupKey: true,
	}, err
}

// FindUserActor returns the user as an actor, named by the e-mail address and with the user's present rights, and the
// generation of the valid sessions. An unknown or disabled user is unauthorized.
func (t *Tools) FindUserActor(ctx context.Context, userID int64) (actor core.Actor, generation int64, err error) {
	actor, generation, err = t.store.FindUserActor(ctx, userID)
	if core.HasCode(err, core.NotFound) {
		err = core.NewError(core.Unauthorized)
	}
	return actor, generation, err
}
