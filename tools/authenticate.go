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
		// Hashes are compared, so that the time that it takes betrays nothing.
		admin := sha256.Sum256([]byte(t.adminToken.Reveal()))
		if subtle.ConstantTimeCompare(hash[:], admin[:]) == 1 {
			return core.NewBootstrapActor(), nil
		}
	}
	if !looksLikeToken(token) {
		return core.Actor{}, core.NewError(core.Unauthorized)
	}
	found, err := t.store.UseToken(ctx, hash[:])
	if core.HasCode(err, core.NotFound) {
		return core.Actor{}, core.NewError(core.Unauthorized)
	}
	if err != nil {
		return core.Actor{}, err
	}
	return core.Actor{
		Type: core.ActorToken, ID: core.OptInt(found.ID), Name: found.Name, Scopes: found.Scopes, Prefix: core.Text(found.Prefix),
		ProjectID: found.ProjectID, ProjectName: found.ProjectName,
	}, nil
}
