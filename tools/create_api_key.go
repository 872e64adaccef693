package tools

import (
	"context"
	"crypto/sha256"
	"slices"

	"errand/core"
	"errand/store"
)

func (t *Tools) createAPIKey(ctx context.Context, call core.Call, in core.CreateAPIKeyInput) (core.Data[core.CreatedAPIKey], error) {
	value, err := core.NewCredential(t.random, core.APIKeyPrefix)
	if err != nil {
		return wrapData(core.CreatedAPIKey{}, err)
	}
	hash := sha256.Sum256([]byte(value.Reveal()))
	key := store.NewAPIKey{Name: in.Name, Hash: hash[:], Prefix: value.Reveal()[:shownPrefix]}
	for _, permission := range core.KeyPermissions { // each once, in their order
		if slices.Contains(in.Permissions, core.Permission(permission)) {
			key.Permissions = append(key.Permissions, permission)
		}
	}
	created, err := t.store.CreateAPIKey(ctx, call.Actor, key)
	return wrapData(core.CreatedAPIKey{APIKey: created, Value: value.Reveal()}, err)
}
