package manage

import (
	"context"
	"crypto/sha256"

	"errand/core"
)

// Authenticate returns the actor behind an API key, or unauthorized.
func (t *Handlers) Authenticate(ctx context.Context, key core.Secret) (core.Actor, error) {
	if !key.LooksLike(core.APIKeyPrefix) {
		return core.Actor{}, core.NewError(core.Unauthorized)
	}
	hash := sha256.Sum256([]byte(key.Reveal()))
	found, err := t.Store.UseAPIKey(ctx, hash[:])
	if core.HasCode(err, core.NotFound) {
		return core.Actor{}, core.NewError(core.Unauthorized)
	}
	return core.Actor{
		Type: core.ActorToken, ID: core.OptInt(found.ID), Name: "API key " + found.Name, Scopes: found.Permissions,
		Prefix: core.Text(found.Prefix),
	}, err
}
